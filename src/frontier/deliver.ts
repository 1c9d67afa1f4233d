import { logError, logInfo, logWarning } from "../core/log.ts";
import { BatchFailure, consume } from "./consumer.ts";
import { settleDeadLetters } from "./dead-letter.ts";
import type { Deps } from "./deps.ts";
import { type FrontierMessage, type Hint, hintsOf } from "./message.ts";
import type { QueueRole } from "./queue-role.ts";

/** Handles a batch that the queue delivers: processes it, bills it, logs it, and acknowledges or retries messages. */

/** A message of an unknown version is retried after the deployment of the code that knows it: a minute or two. */
const UNKNOWN_RETRY_S = 60;

/**
 * Messages of an unknown version are retried. They may end in the dead-letter queue and be lost, but their URLs are
 * not: the rows are still queued, the crawl stalls, and the heartbeat repairs it. Throws a BatchFailure after noting it
 * on the crawls concerned.
 */
export async function deliver(
  batch: Pick<MessageBatch<FrontierMessage>, "messages">,
  role: QueueRole,
  deps: Deps,
  allowPrivate: boolean,
): Promise<void> {
  const read = batch.messages.map((message) => ({ message, hints: hintsOf(message.body) }));
  const unknown = read.flatMap(({ message, hints }) => (hints === null ? [message] : []));
  if (role === "frontier") for (const message of unknown) message.retry({ delaySeconds: UNKNOWN_RETRY_S });
  if (unknown.length > 0) logWarning("unknown-messages", { role, count: unknown.length });
  const hints = read.flatMap(({ hints }) => hints ?? []);
  // One invocation; and for each message, one read and one delete.
  deps.meter.add({ workerRequests: 1, queueOperations: 2 * batch.messages.length });
  if (hints.length === 0) return;
  try {
    if (role === "deadLetter") await settleDeadLetters(hints, deps);
    else await consumeAndLog(hints, deps, allowPrivate);
  } finally {
    deps.unbilled.add(hints, deps.meter.take());
  }
}

async function consumeAndLog(hints: Hint[], deps: Deps, allowPrivate: boolean): Promise<void> {
  const crawls = [...new Set(hints.map(({ crawl }) => crawl))];
  const batch = { crawls, hints: hints.length };
  try {
    logInfo("batch", { ...batch, ...(await consume(hints, deps, allowPrivate)) });
  } catch (error) {
    if (!(error instanceof BatchFailure)) throw error;
    logError("batch-failed", error, { ...batch, ...error.report });
    await deps.ledger.noteFailure(crawls, error.message, deps.clock.now()).catch((second: unknown) => {
      logError("batch-failure-not-noted", second, { crawls });
    });
    throw error;
  }
}
