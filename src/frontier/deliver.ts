import { batchFailure, consume } from "./consumer.ts";
import { settleDeadLetters } from "./dead-letter.ts";
import type { Deps } from "./deps.ts";
import { type FrontierMessage, hintsOf } from "./message.ts";

/** A batch as the queue delivers it: works it through, and says of each message whether it is done with. */

/** A message of another version comes back when the code that knows it is here, which a deploy takes a minute or two for. */
const UNKNOWN_RETRY_S = 60;

/**
 * Messages of an unknown version are given back. They may end in the dead-letter queue and be lost, and no URL with them: its row is queued
 * still, the crawl stalls, and is repaired. Throws what `consume` throws, after noting it with the crawls that it concerns.
 */
export async function deliver(
  batch: Pick<MessageBatch<FrontierMessage>, "queue" | "messages">,
  deps: Deps,
  allowPrivate: boolean,
): Promise<void> {
  const read = batch.messages.map((message) => ({ message, hints: hintsOf(message.body) }));
  const unknown = read.flatMap(({ message, hints }) => (hints === null ? [message] : []));
  const isDead = batch.queue.endsWith("dead-letter");
  if (!isDead) for (const message of unknown) message.retry({ delaySeconds: UNKNOWN_RETRY_S });
  if (unknown.length > 0)
    console.warn(`${unknown.length} messages of an unknown version`, JSON.stringify(unknown[0]?.body));
  const hints = read.flatMap(({ hints }) => hints ?? []);
  // This invocation; and each message's arrival, and its removal.
  deps.meter.add({ workerRequests: 1, queueOperations: 2 * batch.messages.length });
  if (hints.length === 0) return;
  if (isDead) return settleDeadLetters(hints, deps);
  try {
    await consume(hints, deps, allowPrivate);
  } catch (error) {
    const crawls = [...new Set(hints.map(({ crawl }) => crawl))];
    await deps.ledger.noteFailure(crawls, batchFailure(error), deps.clock.now()).catch((second: unknown) => {
      console.error("the failure of a batch could not be noted", second);
    });
    throw error;
  }
}
