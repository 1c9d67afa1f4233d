import * as z from "zod";
import { type FieldCheck, MOST_REREAD, type RereadRecord } from "../../crawl/page/field-check.ts";
import type { FieldReading } from "../../media/html/fields/field-rule.ts";
import { FIELD_TYPES } from "../../media/html/fields/field-rule.ts";
import { recordView, viewRecord } from "../records/record-schemas.ts";
import { count, flag, integer, listOf, objectOf, requestOf } from "../requests/fields.ts";
import { fieldGroups } from "./field-rules-request.ts";
import { fieldValue } from "./field-values.ts";

/** Requests that read fields by rules from one page or from those of a crawl, and their answers. */

const rules = fieldGroups.describe(
  "The rules: one object of fields by name for all pages, or a list of groups by URL, as in the body of `POST /api/crawls`.",
);

export const fieldsRequest = requestOf({
  url: z.string().min(1).describe("The URL of the page, in any spelling."),
  fields: rules.default([]),
  crawl: z
    .string()
    .optional()
    .describe(
      "The id of a crawl, the beginning of it, or `latest`: the page is read as that crawl stored it. Without it, the page is fetched.",
    ),
  propose: flag(false).describe("Also list what fields of the page may be read from, each with a rule."),
});

export const storedFieldsRequest = requestOf({
  fields: rules,
  cursor: z.string().default("").describe("Cursor of the next page of results: the `cursor` of the previous answer."),
  limit: integer(1, MOST_REREAD, MOST_REREAD).describe("Maximum number of records in one answer."),
});

const sources = z.enum(["json-ld", "microdata", "meta", "selector"]);

const reading = {
  name: z.string().describe("The name of the field."),
  value: fieldValue.nullable().describe("The value. null: the page has none."),
  from: sources.nullable().describe("What gave the value. null: nothing did."),
  by: z.string().nullable().describe("The path, the name of a meta element, or the selector that gave the value."),
  written: z
    .string()
    .nullable()
    .describe("The value as the page writes it, cut after 200 characters. null: it is the same."),
  note: z.string().nullable().describe("How an ambiguous value was decided, or what was left out of it, in words."),
  problem: z.string().nullable().describe("Why there is no value, in words. null: there is one."),
};

export const fieldsView = objectOf({
  url: z.string().describe("The canonical URL of the page, after redirects."),
  httpStatus: z.int().nullable().describe("The HTTP status of the answer. null: there was none."),
  title: z.string().nullable().describe("The title of the page."),
  language: z.string().nullable().describe("The language that the page names."),
  fields: listOf(reading).describe("The fields of the rules for this page, in their order."),
  proposals: listOf({
    name: z.string().describe("A name for the field."),
    text: z.string().describe("What the rule reads, cut after 160 characters."),
    from: sources.describe("Where it stands."),
    place: z.string().describe("The name of the element, or the type of the thing that has it."),
    rule: objectOf({
      schema: z.string().optional().describe("The path in JSON-LD and microdata."),
      selector: z.string().optional().describe("The CSS selector."),
      as: z.enum(FIELD_TYPES).optional().describe("The type of the value. Absent: `text`."),
    }).describe("The rule that reads it."),
    count: count.describe("Number of elements that the selector matches."),
  }).describe("What fields may be read from, what the page declares first. Empty without `propose`."),
  problem: z.string().nullable().describe("Why the page could not be read, in words. null: it was read."),
});
export type FieldsView = z.output<typeof fieldsView>;

export function viewFields({ url, httpStatus, page, problem }: FieldCheck): FieldsView {
  const { title = null, language = null, fields = [], proposals = [] } = page ?? {};
  return { url, httpStatus, title, language, fields, proposals, problem };
}

export const storedFieldsView = objectOf({
  records: z
    .array(
      recordView.extend({
        missing: z
          .record(z.string(), z.string())
          .optional()
          .describe("Why fields have no value, in words, by their names. Absent: all have one."),
        problem: z.string().optional().describe("Why the page could not be read."),
      }),
    )
    .describe("Completed pages in the order of their URLs, with `fields` as these rules read them."),
  cursor: z.string().nullable().describe("Cursor of the next page of results. null: this is the last one."),
});
export type StoredFieldsView = z.output<typeof storedFieldsView>;

export function viewReread({ record, readings, problem }: RereadRecord): StoredFieldsView["records"][number] {
  const lacking = readings.filter((one): one is FieldReading & { problem: string } => one.problem !== null);
  return {
    ...viewRecord(record),
    ...(lacking.length === 0
      ? {}
      : { missing: Object.fromEntries(lacking.map(({ name, problem }) => [name, problem])) }),
    ...(problem === null ? {} : { problem }),
  };
}
