import { settleDeadLetters } from "./dead-letter.ts";
import type { Deps } from "./deps.ts";
import { dispatch, type Hint } from "./message.ts";

/**
 * Sends hints again whose processing failed through a fault of the platform. The delays grow beyond ten minutes, so a
 * short fault costs seconds and a long one no URL.
 */

const FIRST_DELAY_MS = 5_000;

/** Hints that failed `deps.limits.failures` times are settled as errored, with the reason `dead-letter`. */
export async function retryLater(hints: readonly Hint[], deps: Deps): Promise<void> {
  const { over = [], again = [] } = Object.groupBy(hints, ({ failures }) =>
    failures >= deps.limits.failures ? "over" : "again",
  );
  await dispatch(
    deps,
    again.map((hint) => ({
      ...hint,
      failures: hint.failures + 1,
      delayMs: retryDelayMs(hint.failures, deps.random()),
    })),
  );
  if (over.length > 0) await settleDeadLetters(over, deps);
}

/** The delay after `failures` earlier failures: 5 s, doubling, times 0.5 to 1.5 by chance, so that consumers spread. */
export function retryDelayMs(failures: number, random: number): number {
  return FIRST_DELAY_MS * 2 ** failures * (0.5 + random);
}
