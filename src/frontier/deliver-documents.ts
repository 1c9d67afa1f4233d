import { logError, logInfo, logWarning } from "../core/log.ts";
import { isDatabaseFull } from "../store/database-size.ts";
import type { PrivateAccess } from "../url/private-access.ts";
import type { Deps } from "./deps.ts";
import { answerOf, type DocumentMessage, hintsOf } from "./message.ts";
import { readDocument } from "./read-document.ts";
import { pauseRefused } from "./require-room.ts";
import { retryDelayMs } from "./retry-later.ts";

/** Handles messages of the queue of documents: reads, bills, logs, and acknowledges or retries. */

/** As long as a message of the frontier of an unknown version waits. */
const UNKNOWN_RETRY_S = 60;

/** A document that could not be settled is delivered again, and ends in the dead-letter queue after some 20 minutes. */
export async function deliverDocuments(
  { messages }: Pick<MessageBatch<DocumentMessage>, "messages">,
  deps: Deps,
  access: PrivateAccess,
): Promise<void> {
  const { workload } = deps;
  for (const message of messages) {
    const hints = hintsOf(message.body) ?? [];
    const [hint] = hints;
    const answer = answerOf(message.body);
    // One invocation; one read and one delete of the message.
    deps.meter.add({ workerRequests: 1, queueOperations: 2 });
    if (hint === undefined || answer === null) {
      logWarning("unknown-messages", { role: "documents", count: 1 });
      message.retry({ delaySeconds: UNKNOWN_RETRY_S });
      continue;
    }
    workload.batches += 1;
    try {
      await readDocument(hint, answer, deps, access);
      logInfo("document", { crawl: hint.crawl });
      workload.failure = null;
    } catch (error) {
      logError("document-not-settled", error, { crawl: hint.crawl });
      workload.failure = "a document could not be settled";
      // The document is kept: whoever resumes the crawl has it read.
      if (isDatabaseFull(error)) await pauseRefused([hint.crawl], deps);
      else message.retry({ delaySeconds: Math.ceil(retryDelayMs(message.attempts - 1, deps.random()) / 1_000) });
    } finally {
      workload.batches -= 1;
      deps.unbilled.add(hints, deps.meter.take());
    }
  }
}
