import { logError, logInfo, logWarning } from "../core/log.ts";
import { BatchFailure, consume } from "./consumer.ts";
import { settleDeadLetters } from "./dead-letter.ts";
import type { Deps } from "./deps.ts";
import { type FrontierMessage, type Hint, hintsOf } from "./message.ts";
import type { QueueRole } from "./queue-role.ts";

/**
 * A batch as the queue delivers it: works it through, bills it, logs it, and says of each message whether it is done
 * with.
 */

/** A message of another version comes back when the code that knows it is deployed, which takes a minute or two. */
const UNKNOWN_RETRY_S = 60;

/**
 * Messages of an unknown version are given back. They may end in the dead-letter queue and be lost, and no URL with
 * them: its row is still queued, the crawl stalls, and is repaired. Throws a BatchFailure, after noting it with the
 * crawls that it concerns.
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
  if (unknown.length > 0) logWarning("unknown-messages", { role, count: unknown.length, first: unknown[0]?.body });
  const hints = read.flatMap(({ hints }) => hints ?? []);
  // This invocation; and each message's arrival, and its removal.
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
