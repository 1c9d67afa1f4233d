import { logError, logWarning } from "../../core/log.ts";
import { ledgerOf } from "../../crawl/crawl-id.ts";
import type { PrivateAccess } from "../../url/private-access.ts";
import { type DocumentMessage, type Hint, hintsOf, UNKNOWN_RETRY_S } from "../batch/message.ts";
import { retryDelayMs } from "../batch/retry-delay.ts";
import type { Deps } from "../deps.ts";
import { homeOf } from "../ledgers.ts";
import { sweepDocument } from "./read-document.ts";
import { readWaiting } from "./read-waiting.ts";

/** Handles messages of the queue of documents: has documents read or swept, bills, and acknowledges or retries. */

/** A document that cannot be settled costs no other message. `elsewhere` replaces `processTicket` on this machine. */
export async function deliverDocuments(
  { messages }: Pick<MessageBatch<DocumentMessage>, "messages">,
  given: Deps,
  access: PrivateAccess,
  elsewhere?: (ticket: Hint, isRepeated: boolean) => Promise<void>,
): Promise<void> {
  for (const message of messages) {
    const [ticket] = hintsOf(message.body) ?? [];
    // One invocation; one read and one delete of the message.
    given.meter.add({ workerRequests: 1, queueOperations: 2 });
    if (ticket === undefined || !given.ledgers.has(ledgerOf(ticket.crawl))) {
      logWarning("unknown-messages", { role: "documents", count: 1 });
      message.retry({ delaySeconds: UNKNOWN_RETRY_S });
      continue;
    }
    const deps = homeOf(given, ticket.crawl);
    const process = elsewhere ?? ((...args: [Hint, boolean]) => processTicket(...args, deps, access));
    try {
      const { answer, sweeps } = message.body;
      if (answer !== undefined) await deps.waitingDocuments.adopt(ticket, answer);
      await (sweeps === true ? sweepDocument(ticket, deps) : process(ticket, message.attempts > 1));
    } catch (error) {
      logError("documents-not-read", error, { crawl: ticket.crawl });
      message.retry({ delaySeconds: Math.ceil(retryDelayMs(message.attempts - 1, deps.random()) / 1_000) });
    } finally {
      deps.unbilled.add([ticket], deps.meter.take());
    }
  }
}

/** Throws if the message must come again. */
export async function processTicket(
  ticket: Hint,
  isRepeated: boolean,
  deps: Deps,
  access: PrivateAccess,
): Promise<void> {
  const { workload } = deps;
  let worked: Hint = ticket;
  workload.batches += 1;
  try {
    await readWaiting(ticket, isRepeated, deps, access, (hint) => {
      // What was used for one document is not billed for the next one.
      if (worked !== ticket) deps.unbilled.add([worked], deps.meter.take());
      worked = hint;
    });
  } finally {
    workload.batches -= 1;
    deps.unbilled.add([worked], deps.meter.take());
  }
}
