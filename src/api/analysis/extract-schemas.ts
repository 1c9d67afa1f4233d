import * as z from "zod";
import { MOST_ASKED, type ValueCheck, type ValuedRecord } from "../../crawl/page/value-check.ts";
import { recordView, viewRecord } from "../records/record-schemas.ts";
import { cost, count, integer, objectOf, requestOf } from "../requests/fields.ts";
import { extractedView } from "./extracted-view.ts";
import { extractionShape, hasOne, NEEDS_ONE } from "./extraction-request.ts";

/** Requests that have a model find values in one page or in those of a crawl, and their answers. */

export const extractRequest = requestOf({
  url: z.string().min(1).describe("The URL of the page, in any spelling."),
  crawl: z
    .string()
    .optional()
    .describe(
      "The id of a crawl, the beginning of it, or `latest`: the page is read as that crawl stored it. Without it, the page is fetched.",
    ),
  ...extractionShape,
}).refine(hasOne, NEEDS_ONE);

export const storedExtractRequest = requestOf({
  ...extractionShape,
  cursor: z.string().default("").describe("Cursor of the next page of results: the `cursor` of the previous answer."),
  limit: integer(1, MOST_ASKED, MOST_ASKED).describe("Maximum number of records in one answer."),
  modelCalls: integer(0, 1_000_000_000, 0)
    .nullable()
    .default(null)
    .describe(
      "Maximum number of calls of the model by this request. 0: only answers that were stored already. null: no limit.",
    ),
  modelCostUsd: z
    .number()
    .min(0)
    .max(1_000_000)
    .nullable()
    .default(null)
    .describe(
      "Cost limit of this request in US dollars, by the prices: no call begins that may go beyond. null: none.",
    ),
  modelPrices: z
    .string()
    .max(100)
    .default("")
    .describe("As of a crawl. Empty: those of the crawl, or the installation's `MODEL_PRICES`."),
}).refine(hasOne, NEEDS_ONE);

export const extractView = objectOf({
  url: z.string().describe("The canonical URL of the page, after redirects."),
  httpStatus: z.int().nullable().describe("The HTTP status of the answer. null: nothing was fetched."),
  title: z.string().nullable().describe("The title of the page."),
  text: z.string().nullable().describe("The Markdown that the model saw. null: the page could not be read."),
  extracted: extractedView.nullable().describe("What the model found. null: it was not asked, or did not answer."),
  spent: objectOf({
    calls: count.describe("Calls of the model."),
    input: count.describe("Tokens of its questions."),
    output: count.describe("Tokens of its answers."),
  }).describe("What the request took of the model, with answers that the crawl had stored already."),
  problem: z.string().nullable().describe("Why there are no values, in words. null: there are."),
});
export type ExtractView = z.output<typeof extractView>;

export function viewExtract(check: ValueCheck): ExtractView {
  return check;
}

export const storedExtractView = objectOf({
  spent: objectOf({
    calls: count.describe("Calls of the model. Answers that were stored already are none."),
    inputTokens: count.describe("Tokens of the questions."),
    outputTokens: count.describe("Tokens of the answers."),
    costUsd: cost.nullable().describe("Their cost, in US dollars. null: there are no prices."),
  }).describe("What this request has spent."),
  records: z
    .array(
      recordView.extend({
        extracted: extractedView
          .nullable()
          .describe("What the model found. null: `problem` says why there is nothing."),
        problem: z.string().optional().describe("Why there are no values, in words."),
      }),
    )
    .describe("Completed pages in the order of their URLs."),
  cursor: z.string().nullable().describe("Cursor of the next page of results. null: this is the last one."),
});
export type StoredExtractView = z.output<typeof storedExtractView>;

export function viewValued({ record, extracted, problem }: ValuedRecord): StoredExtractView["records"][number] {
  return { ...viewRecord(record), extracted, ...(problem === null ? {} : { problem }) };
}
