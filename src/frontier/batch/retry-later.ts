import { logError } from "../../core/log.ts";
import { STALL_AFTER_MS } from "../../store/ledger/ledger.ts";
import type { RetryDeps } from "../needs.ts";
import { settleDeadLetters } from "./dead-letter.ts";
import { type Dispatch, dispatch, type Hint } from "./message.ts";
import { retryDelayMs } from "./retry-delay.ts";

/**
 * Sends hints again whose processing failed through a fault of the platform. The delays grow beyond ten minutes, so a
 * short fault costs seconds and a long one no URL. The ledger expects them so late: a repair would begin their count of
 * failures anew.
 */

/** Hints that failed `deps.limits.failures` times are settled as errored, with the reason `dead-letter`. */
export async function retryLater(hints: readonly Hint[], deps: RetryDeps): Promise<void> {
  const { over = [], again = [] } = Object.groupBy(hints, ({ failures }) =>
    failures >= deps.limits.failures ? "over" : "again",
  );
  const sendings = again.map((hint) => ({
    ...hint,
    failures: hint.failures + 1,
    delayMs: retryDelayMs(hint.failures, deps.random()),
  }));
  await dispatch(deps, sendings);
  await expectRetries(sendings, deps);
  if (over.length > 0) await settleDeadLetters(over, deps);
}

async function expectRetries(sendings: readonly Dispatch[], { clock, ledger }: RetryDeps): Promise<void> {
  for (const [crawl, sent] of Map.groupBy(sendings, (sending) => sending.crawl)) {
    const soonest = clock.now() + Math.min(...sent.map(({ delayMs }) => delayMs));
    // The messages are sent. At worst a repair sends them once more.
    await ledger
      .expectProgress(crawl, soonest + STALL_AFTER_MS)
      .catch((error: unknown) => logError("retries-not-expected", error, { crawls: [crawl] }));
  }
}
