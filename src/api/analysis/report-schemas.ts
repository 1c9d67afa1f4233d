import * as z from "zod";
import type { Report } from "../../crawl/report/report.ts";
import { MAX_URL_LENGTH } from "../../url/canonicalize.ts";
import { recordView, viewRecord } from "../records/record-schemas.ts";
import { count, listOf, objectOf, requestOf, time } from "../requests/fields.ts";

/** A crawl's URLs in numbers: its report, and its tree of URLs. */

const tally = z.record(z.string(), count);

export const reportView = objectOf({
  codes: tally.describe("Number of URLs by the HTTP status of the last answer."),
  types: tally.describe("Number of URLs by media type."),
  depths: tally.describe("Number of URLs by depth."),
  reasons: tally.describe("Number of URLs by reason."),
  hosts: listOf({
    host: z.string().describe("The host, with its port if that is not the scheme's default."),
    urls: count.describe("Number of URLs."),
    completed: count.describe("Number of completed URLs."),
    bytes: count.describe("Size of the completed URLs, in bytes."),
  }).describe("The 20 hosts with the most URLs, largest first."),
  newest: z.array(recordView).describe("The 10 pages completed last, newest first."),
  errors: z.array(recordView).describe("The 10 URLs that errored last, newest first."),
  history: listOf({
    at: time.describe("Start of the interval."),
    pages: count.describe("Number of completed pages."),
    bytes: count.describe("Size of these pages, in bytes."),
  }).describe("Completed pages in up to 120 intervals of equal length, starting with the first fetch."),
});
export type ReportView = z.output<typeof reportView>;

export function viewReport({ newest, errors, history, ...counts }: Report): ReportView {
  return {
    ...counts,
    newest: newest.map(viewRecord),
    errors: errors.map(viewRecord),
    history: history.map((step) => ({ ...step, at: new Date(step.at).toISOString() })),
  };
}

export const treeQuery = requestOf({
  path: z
    .string()
    .max(MAX_URL_LENGTH)
    .regex(/^(?:https?:\/\/[^?#]*\/)?$/, "a URL that ends with a slash of its path, such as https://example.com/docs/")
    .default("")
    .describe("A URL that ends with a slash of its path. Without it: the hosts."),
});

const treeCounts = {
  urls: count.describe("Number of URLs."),
  completed: count.describe("Number of completed URLs."),
  queued: count.describe("Number of queued URLs."),
  errored: count.describe("Number of errored URLs."),
  bytes: count.describe("Size of the completed URLs, in bytes."),
};

export const treeView = objectOf({
  path: z.string().describe("The path whose children these are. Empty for the hosts."),
  children: listOf({
    segment: z.string().describe("An origin or a path segment. It ends with a slash if it may have children."),
    isLeaf: z.boolean().describe("Whether it has no children. It counts all URLs that differ only in their query."),
    ...treeCounts,
  }).describe("The 200 children with the most URLs, largest first."),
  rest: objectOf({ children: count.describe("Number of other children."), ...treeCounts })
    .nullable()
    .describe("The sum of all other children. null: there are none."),
  ranges: listOf({
    first: z.string().describe("The first segment of the range."),
    last: z.string().describe("The last segment of the range."),
    children: count.describe("Number of children in the range."),
    ...treeCounts,
  }).describe("The other children in up to 24 ranges of their segments, in order. Empty: there are none."),
});
