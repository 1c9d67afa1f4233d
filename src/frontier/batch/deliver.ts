import { logError, logInfo, logWarning } from "../../core/log.ts";
import { isDatabaseFull } from "../../store/installation/database-size.ts";
import type { PrivateAccess } from "../../url/private-access.ts";
import type { Deps } from "../deps.ts";
import { Activity } from "./activity.ts";
import { consume } from "./consumer.ts";
import { settleDeadLetters } from "./dead-letter.ts";
import { type FrontierMessage, type Hint, hintsOf, UNKNOWN_RETRY_S } from "./message.ts";
import type { QueueRole } from "./queue-role.ts";
import { retryDelayMs } from "./retry-delay.ts";

/** Handles a batch that the queue delivers: processes it, bills it, logs it, and acknowledges or retries messages. */

/**
 * Messages of an unknown version are retried. They may end in the dead-letter queue and be lost, but their URLs are
 * not: the rows are still queued, the crawl stalls, and the heartbeat repairs it. Messages whose URLs could neither be
 * settled nor sent again are retried too. `process` replaces `processHints` where batches leave their queue.
 */
export async function deliver(
  batch: Pick<MessageBatch<FrontierMessage>, "messages">,
  role: Exclude<QueueRole, "notices" | "documents">,
  deps: Deps,
  access: PrivateAccess,
  process = (hints: Hint[]) => processHints(hints, deps, access),
): Promise<void> {
  const read = batch.messages.map((message) => ({ message, hints: hintsOf(message.body) }));
  const { known = [], unknown = [] } = Object.groupBy(read, ({ hints }) => (hints === null ? "unknown" : "known"));
  if (role === "frontier") for (const { message } of unknown) message.retry({ delaySeconds: UNKNOWN_RETRY_S });
  if (unknown.length > 0) logWarning("unknown-messages", { role, count: unknown.length });
  const hints = known.flatMap(({ hints }) => hints ?? []);
  // One invocation; and for each message, one read and one delete.
  deps.meter.add({ workerRequests: 1, queueOperations: 2 * batch.messages.length });
  if (hints.length === 0) return;
  try {
    await (role === "deadLetter" ? settleDeadLetters(hints, deps) : process(hints));
  } catch (error) {
    logError("batch-not-processed", error, { role, crawls: crawlsOf(hints) });
    // The rows are still queued. A full database takes no dead letters either, so nothing would come of a retry.
    if (isDatabaseFull(error)) return;
    for (const { message } of known) {
      message.retry({ delaySeconds: Math.ceil(retryDelayMs(message.attempts - 1, deps.random()) / 1_000) });
    }
  } finally {
    deps.unbilled.add(hints, deps.meter.take());
  }
}

/** Processes hints, and logs what was done and what failed. Throws if hints could not be sent again. */
export async function processHints(
  hints: Hint[],
  deps: Deps,
  access: PrivateAccess,
  activity = new Activity(),
): Promise<void> {
  const { failures, ...report } = await consume(hints, deps, access, activity);
  logInfo("batch", { crawls: crawlsOf(hints), hints: hints.length, ...report, failures: failures.length });
  for (const { failure, crawls } of failures) {
    logError("batch-failed", failure, { crawls });
    await deps.ledger.noteFailure(crawls, failure.message, deps.clock.now()).catch((second: unknown) => {
      logError("batch-failure-not-noted", second, { crawls });
    });
  }
}

function crawlsOf(hints: Hint[]): string[] {
  return [...new Set(hints.map(({ crawl }) => crawl))];
}
