import * as z from "zod";
import { count, listOf, objectOf } from "../requests/fields.ts";

/** What a model found in a page, as answers have it. */

const evidence = listOf({
  path: z.string().describe("The value, as a JSON Pointer in `values`: `/price`."),
  words: z.string().nullable().describe("The words of the page, as it writes them. null: there is no evidence."),
  in: z
    .enum(["page", "title", "rule"])
    .nullable()
    .describe(
      "Whether they stand in the page's Markdown or in its title, or a rule has read them from the page. null: there is no evidence.",
    ),
  at: count.nullable().describe("Their offset there, in UTF-16 code units. null: there is no evidence, or a rule."),
  problem: z.string().nullable().describe("Why there is no evidence, in words. null: there is."),
}).describe("Where each value comes from that is not null, in the order of the values.");

export const extractedView = objectOf({
  values: z.unknown().describe("The values, valid by the schema. null: there are none."),
  evidence,
  problem: z.string().nullable().describe("Why there are no values, in words. null: there are."),
  model: z.string().describe("The name of the model."),
  rules: objectOf({
    section: z.string().describe("The pattern of the URLs for which they were made."),
    version: count.describe("How often the rules of the section were made."),
  })
    .optional()
    .describe(
      "The rules that have read the values, made of what the model found in other pages. Absent: the model did.",
    ),
  cut: objectOf({
    sent: count.describe("Characters that the model saw, from the beginning."),
    of: count.describe("Characters of the page."),
  })
    .nullable()
    .describe("How much of a long page the model saw. null: it saw all."),
});
export type ExtractedView = z.output<typeof extractedView>;

/** Without what only the next try needs. */
export function shownExtracted({
  tries: _,
  before: __,
  ...extracted
}: ExtractedView & { tries?: number; before?: unknown }): ExtractedView {
  return extracted;
}
