import * as z from "zod";

/** The values of fields, as answers have them. */

export const fieldValue = z.union([z.string(), z.number(), z.array(z.string())]);

export const fieldValues = z
  .record(z.string(), fieldValue.nullable())
  .nullable()
  .describe(
    "What the crawl's rules read from the page, by the names of the fields. A field that the page lacks is null. null: no rules are for this page.",
  );
