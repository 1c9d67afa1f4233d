import { logError, logInfo, logWarning } from "../../core/log.ts";
import { ledgerOf } from "../../crawl/crawl-id.ts";
import { isDatabaseFull } from "../../store/installation/database-size.ts";
import type { PrivateAccess } from "../../url/private-access.ts";
import type { Deps } from "../deps.ts";
import { atLedger } from "../ledgers.ts";
import { deliverAsked } from "../shards/deliver-left.ts";
import { Activity } from "./activity.ts";
import { type Shares, sharesOf } from "./batch.ts";
import { consume } from "./consumer.ts";
import { settleDeadLetters } from "./dead-letter.ts";
import { type FrontierMessage, type Hint, hintsOf, type LeftHint, leftIn, UNKNOWN_RETRY_S } from "./message.ts";
import type { QueueRole } from "./queue-role.ts";
import { retryDelayMs } from "./retry-delay.ts";

/** Handles a batch that the queue delivers: processes it, bills it, logs it, and acknowledges or retries messages. */

/** A message with what it names. */
type Read = { message: Message<FrontierMessage>; hints: Hint[] };

/**
 * Messages of an unknown version, or of a ledger that is not bound, are retried. They may end in the dead-letter queue
 * and be lost, but their URLs are not: the rows are still queued, the crawl stalls, and the heartbeat repairs it.
 * Messages whose URLs could neither be settled nor sent again are retried too. The messages of each ledger are a batch
 * of their own, beside the others: none waits for, or fails with, another one. `elsewhere` replaces `processHints`
 * where batches leave their queue. A message that asks for what a part has left is no batch.
 */
export async function deliver(
  batch: Pick<MessageBatch<FrontierMessage>, "messages">,
  role: Exclude<QueueRole, "notices" | "documents">,
  deps: Deps,
  access: PrivateAccess,
  elsewhere?: (hints: Hint[]) => Promise<void>,
): Promise<void> {
  const unknown: Message<FrontierMessage>[] = [];
  const known: Read[] = [];
  const asked: LeftHint[] = [];
  for (const message of batch.messages) {
    const left = leftIn(message.body);
    const hints = left === null ? hintsOf(message.body) : [];
    if (hints === null || !deps.ledgers.has(ledgerOf(message.body.crawl))) unknown.push(message);
    else if (left !== null) asked.push(left);
    else if (hints.length > 0) known.push({ message, hints });
  }
  if (role === "frontier") for (const message of unknown) message.retry({ delaySeconds: UNKNOWN_RETRY_S });
  if (unknown.length > 0) logWarning("unknown-messages", { role, count: unknown.length });
  // One invocation.
  deps.meter.add({ workerRequests: 1, queueOperations: 2 * unknown.length });
  const parts = [...Map.groupBy(known, ({ message }) => ledgerOf(message.body.crawl))];
  const shares = sharesOf(deps, parts.length);
  // A meter of several parts would mix the bills of their crawls. The first part pays for the invocation.
  const open = (ledger: number, i: number) => (i === 0 ? atLedger(deps, ledger) : deps.ledgers.apart(ledger));
  await Promise.all([
    ...parts.map(([ledger, part], i) => {
      const own = open(ledger, i);
      const process = elsewhere ?? ((hints: Hint[]) => processHints(hints, own, access, undefined, shares));
      return deliverPart(part, role, own, process);
    }),
    ...asked.map((left, i) => deliverLeftOf(left, open(ledgerOf(left.crawl), parts.length + i))),
  ]);
}

/** Delivers what a part has left for others. It does not throw: the heartbeat makes up for what fails. */
async function deliverLeftOf(left: LeftHint, deps: Deps): Promise<void> {
  const { crawl } = left;
  deps.meter.add({ queueOperations: 2 });
  await deliverAsked(left, deps).catch((error: unknown) => {
    logWarning("parts-not-told", { crawl, error: String(error) });
  });
  deps.unbilled.giveBack(crawl, deps.meter.take());
}

/** Handles messages of one ledger. It does not throw. */
async function deliverPart(
  part: readonly Read[],
  role: Parameters<typeof deliver>[1],
  deps: Deps,
  process: (hints: Hint[]) => Promise<void>,
): Promise<void> {
  const hints = part.flatMap((read) => read.hints);
  // For each message, one read and one delete.
  deps.meter.add({ queueOperations: 2 * part.length });
  try {
    await (role === "deadLetter" ? settleDeadLetters(hints, deps) : process(hints));
  } catch (error) {
    logError("batch-not-processed", error, { role, crawls: crawlsOf(hints) });
    // The rows are still queued. A full database takes no dead letters either, so nothing would come of a retry.
    if (isDatabaseFull(error)) return;
    for (const { message } of part) {
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
  shares?: Shares,
): Promise<void> {
  const { failures, ...report } = await consume(hints, deps, access, activity, shares);
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
