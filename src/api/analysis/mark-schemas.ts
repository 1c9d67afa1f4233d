import * as z from "zod";
import { MAX_LABEL_LENGTH, type Mark } from "../../crawl/subject/mark.ts";
import { MAX_URL_LENGTH } from "../../url/canonicalize.ts";
import { count, listOf, objectOf, optionalText, requestOf, time } from "../requests/fields.ts";

/** Marks: what a person says of a crawl's pages. */

/** In one request. */
const MAX_URLS = 1_000;

export const labelText = z
  .string()
  .trim()
  .min(1)
  .max(MAX_LABEL_LENGTH)
  .regex(/^\P{Cc}+$/u, "a label has no control characters");

export const markRequest = requestOf({
  urls: z
    .array(z.string().min(1).max(MAX_URL_LENGTH))
    .min(1)
    .max(MAX_URLS)
    .describe("The URLs of the pages, in any spelling."),
  label: labelText
    .nullable()
    .describe(
      "The label, at most 100 characters. A page has one, and a new one replaces it. A focused crawl learns from `right` and `wrong`. null: the marks of the pages are removed.",
    ),
});

export const markedView = objectOf({
  marked: count.describe("Number of pages that have this label now, or none if their marks were to be removed."),
  missing: z.array(z.string()).describe("URLs that the crawl does not have. They are not marked."),
});
export type MarkedView = z.output<typeof markedView>;

export const marksQuery = requestOf({
  label: optionalText.describe("Only marks with this label."),
  url: optionalText.describe("Only the mark of this page, in any spelling."),
});

export const marksView = objectOf({
  labels: z.record(z.string(), count).describe("Number of marks of the crawl, by label."),
  marks: listOf({
    url: z.string().describe("The canonical URL of the page."),
    label: z.string().describe("The label."),
    markedAt: time.describe("When the page got this label."),
  }).describe("The marks, in the order of their URLs."),
});
export type MarksView = z.output<typeof marksView>;

export function viewMarks(all: readonly Mark[], shown: readonly Mark[]): MarksView {
  const labels = [...Map.groupBy(all, ({ label }) => label)].map(([label, marks]) => [label, marks.length] as const);
  const marks = shown.map(({ url, label, markedAt }) => ({ url, label, markedAt: new Date(markedAt).toISOString() }));
  return { labels: Object.fromEntries(labels.sort(([a], [b]) => (a < b ? -1 : 1))), marks };
}
