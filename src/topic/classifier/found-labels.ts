import type { Scores } from "./label-scores.ts";

/** The result of a classification, as it is stored beside the labels of the rows. */
export interface Classification extends Scores {
  folds: number;
  /** Labelled pages by label. */
  pages: Record<string, number>;
  /** Given examples that are no completed pages of the crawl. */
  missing: string[];
  /** Whether the marks of the crawl were the examples. */
  isByMarks: boolean;
}
