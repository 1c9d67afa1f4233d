import type { Tokens } from "../../extract/ask-for-values.ts";

/** What was spent on a model. Answers that were stored take nothing. */
export interface ModelSpent extends Tokens {
  calls: number;
}

export const NOTHING_SPENT: ModelSpent = { calls: 0, input: 0, output: 0 };
