import type { Tokens } from "../../extract/ask-for-values.ts";

/** What was spent on a model. Answers that were stored take nothing. */
export interface ModelSpent extends Tokens {
  calls: number;
}

/** The pages that the last pass left without an answer. */
export interface ModelGaps {
  /** Pages on which the model's server failed when it was asked last, also those that were given up. */
  failed: number;
  /** What it said of the last one; null if it failed on none. */
  why: string | null;
  /** Pages that nobody asked about, because a limit was reached. */
  left: number;
}

export const NO_GAPS: ModelGaps = { failed: 0, why: null, left: 0 };

export const NOTHING_SPENT: ModelSpent = { calls: 0, input: 0, output: 0 };
