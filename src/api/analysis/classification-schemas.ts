import * as z from "zod";
import type { Pass } from "../../crawl/report/pass.ts";
import type { Classification } from "../../topic/classifier/found-labels.ts";
import { MAX_URL_LENGTH } from "../../url/canonicalize.ts";
import { count, listOf, objectOf, requestOf, time } from "../requests/fields.ts";
import { labelText } from "./mark-schemas.ts";
import { startedPassView } from "./pass-schemas.ts";

/** Labels that pages get by examples. */

/** In one request. */
const MAX_GIVEN = 10_000;

export const classificationRequest = requestOf({
  examples: z
    .array(
      requestOf({
        url: z.string().min(1).max(MAX_URL_LENGTH).describe("The URL of a page, in any spelling."),
        label: labelText.describe("Its label, at most 100 characters."),
      }),
    )
    .max(MAX_GIVEN)
    .optional()
    .describe(
      "Pages whose label is known: at least two of each label, better ten. Of a URL that comes twice the last label counts. Without it: the marks of the crawl.",
    ),
});

const ratio = z.number().min(0).max(1);

export const classificationView = objectOf({
  classifiedAt: time.describe("When the classification began."),
  byMarks: z.boolean().describe("Whether the marks of the crawl were the examples."),
  folds: count.describe("Number of folds of the cross-validation."),
  macro: objectOf({
    precision: ratio.describe("Precision."),
    recall: ratio.describe("Recall."),
    f1: ratio.describe("F1."),
  }).describe("The means over the labels, by cross-validation. A label that no example got has precision 0."),
  labels: listOf({
    label: z.string().describe("The label."),
    examples: count.describe("Number of examples."),
    precision: ratio
      .nullable()
      .describe("Share of the examples that got this label and have it, by cross-validation. null: none got it."),
    recall: ratio.describe("Share of the examples with this label that got it, by cross-validation."),
    f1: ratio.describe("The harmonic mean of precision and recall."),
    pages: count.describe("Number of completed pages that have the label now."),
  }).describe("The labels, in the order of their names."),
  missing: z.array(z.string()).describe("Examples that are no completed pages of the crawl. They were left out."),
});
export type ClassificationView = z.output<typeof classificationView>;

export const startedClassificationView = startedPassView.extend({
  missing: z.array(z.string()).describe("Examples that are no completed pages of the crawl. They are left out."),
});
export type StartedClassificationView = z.output<typeof startedClassificationView>;

export function viewClassification({ startedAt }: Pass, found: Classification): ClassificationView {
  const { isByMarks, folds, macro, labels, pages, missing } = found;
  return {
    classifiedAt: new Date(startedAt).toISOString(),
    byMarks: isByMarks,
    folds,
    macro,
    labels: labels.map((score) => ({ ...score, pages: pages[score.label] ?? 0 })),
    missing,
  };
}
