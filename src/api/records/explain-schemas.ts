import * as z from "zod";
import { EXPLAIN_STEPS, type Explanation, type StepName } from "../../crawl/report/explanation.ts";
import { requestedCrawl } from "../crawls/crawl-request.ts";
import { count, isoOrNull, listOf, objectOf, requestOf, time, urlStatus } from "../requests/fields.ts";
import { recordView, urlQuery, viewRecord } from "./record-schemas.ts";

/** The decision of a crawl about a URL, with its rules. */

export const explainRequest = requestOf({ ...urlQuery.shape, crawl: requestedCrawl });

export const explainView = objectOf({
  url: z.string().nullable().describe("The canonical URL. null: it is not a URL that can be crawled."),
  asWritten: z.string().describe("The URL as it was sent."),
  verdict: z
    .enum([...urlStatus.options, "would be fetched", "refused", "wait"])
    .describe("The status of the URL, or the decision if the crawl has no record of it."),
  sentence: z.string().describe("The decision in words."),
  steps: listOf({
    step: z.enum(Object.keys(EXPLAIN_STEPS) as StepName[]).describe("The step."),
    ok: z.boolean().describe("Whether the URL passes this step."),
    rule: z
      .string()
      .describe("The rule that decided: a name from the closed lists, a pattern, or a line of robots.txt."),
    detail: z.string().describe("The decision in words."),
  }).describe("The steps in the order of a crawl. Steps after a refusal are left out."),
  record: recordView.nullable().describe("The crawl's record of the URL."),
  pace: objectOf({
    delayMs: z.number().min(0).describe("Delay between two requests to the host, in milliseconds."),
    crawlDelayMs: z.number().nullable().describe("Crawl-delay of robots.txt, in milliseconds."),
    nextAt: time.nullable().describe("No request starts before this time. null: a request may start now."),
    backoff: count.describe("Number of failures of the host in a row."),
    waitingSince: time.nullable().describe("Since when its robots.txt gives no answer."),
    why: z.string().describe("What it waits for, in words."),
  })
    .nullable()
    .describe("When the host may be asked. null: no host was looked at."),
});
export type ExplainView = z.output<typeof explainView>;

export function viewExplanation({ record, pace, ...rest }: Explanation): ExplainView {
  return {
    ...rest,
    record: record === null ? null : viewRecord(record),
    pace:
      pace === null ? null : { ...pace, nextAt: isoOrNull(pace.nextAt), waitingSince: isoOrNull(pace.waitingSince) },
  };
}
