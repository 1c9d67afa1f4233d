import * as z from "zod";
import { findFieldProblems, MAX_PAGE_FIELDS } from "../../media/html/fields/field-problems.ts";
import { FIELD_TYPES, type FieldGroup } from "../../media/html/fields/field-rule.ts";
import { MAX_URL_LENGTH } from "../../url/canonicalize.ts";
import { requestOf } from "../requests/fields.ts";

/** The rules by which fields are read from pages, as requests have them. */

const MAX_GROUPS = 20;
const MAX_TEXT = 500;

const fieldRule = requestOf({
  schema: z
    .string()
    .max(MAX_TEXT)
    .optional()
    .describe("A path in JSON-LD and microdata, such as `Product.offers.price`. It goes before the selector."),
  selector: z
    .string()
    .max(MAX_TEXT)
    .optional()
    .describe("A CSS selector. The first element that it matches and that has a value counts; for a list, all do."),
  attribute: z
    .string()
    .max(MAX_TEXT)
    .optional()
    .describe("The attribute that holds the value. The default is what suits the element and the type."),
  as: z
    .enum(FIELD_TYPES)
    .optional()
    .describe("The type of the value. The default is `text`, or that of a known name, such as `price`."),
});

/** Fields by name. A rule that is `{}` goes by the name of the field. */
export const fieldRules = z.record(z.string().max(MAX_TEXT), fieldRule).superRefine((rules, context) => {
  for (const { path, message } of findFieldProblems(rules)) context.addIssue({ code: "custom", path, message });
});

const fieldGroup = requestOf({
  urls: z
    .array(z.string().min(1).max(MAX_URL_LENGTH))
    .max(100)
    .default([])
    .describe("Globs. The fields are those of pages whose URLs match one. An empty list is for all pages."),
  fields: fieldRules.describe(
    "The fields by name, each with its rule. `{}` reads what the page declares under that name.",
  ),
});

/** One object of fields is a group for all pages. */
function toGroups(value: unknown): unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? [{ fields: value }] : value;
}

/** The groups of a crawl, or one object of fields by name for all pages. */
export const fieldGroups = z.preprocess(
  toGroups,
  z
    .array(fieldGroup)
    .max(MAX_GROUPS)
    .superRefine((groups, context) => {
      const names = new Set(groups.flatMap(({ fields }) => Object.keys(fields)));
      if (names.size > MAX_PAGE_FIELDS)
        context.addIssue({
          code: "custom",
          message: `the groups have ${names.size} fields together; at most ${MAX_PAGE_FIELDS} are possible`,
        });
    }),
) as unknown as z.ZodType<FieldGroup[], FieldGroup[]>;
