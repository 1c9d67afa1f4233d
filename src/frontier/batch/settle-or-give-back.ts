import type { Attempt } from "../attempt.ts";
import { settleAttempt } from "../features/open-features.ts";
import type { SecondLook } from "../visits/look-twice.ts";
import { type Batch, BatchFailure } from "./batch.ts";

/**
 * Like `settleAttempt`. Null for a visit for which something cannot be read, which is no answer: nothing is told or
 * learned, and the visit alone comes again.
 */
export async function settleOrGiveBack(
  attempt: Attempt,
  batch: Batch,
  look: SecondLook | null = null,
): Promise<Attempt | null> {
  try {
    return await settleAttempt(attempt, batch.deps, look);
  } catch (error) {
    await batch.giveBack([attempt.work.hint], new BatchFailure("compare", error));
    return null;
  }
}
