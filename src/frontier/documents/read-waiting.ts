import { logError, logInfo } from "../../core/log.ts";
import { isDatabaseFull } from "../../store/installation/database-size.ts";
import type { ClaimedDocument } from "../../store/mirror/document-turns.ts";
import type { PrivateAccess } from "../../url/private-access.ts";
import { readWork } from "../batch/admit.ts";
import { settleDeadLetters } from "../batch/dead-letter.ts";
import type { Hint } from "../batch/message.ts";
import { pauseRefused } from "../batch/require-room.ts";
import { retryDelayMs } from "../batch/retry-delay.ts";
import type { Deps } from "../deps.ts";
import { dropDocument, readDocument } from "./read-document.ts";
import { sendTicket } from "./send-document.ts";
import { hintOf, removeSettled, takeDocument } from "./take-document.ts";

/**
 * Works on a message of the queue of documents. There is a message for each document that waits, and each has one
 * document read: the one whose turn it is. So it does not matter in which order messages come.
 *
 * A message for which nothing is free is dropped. What is held has a message of its own, which its queue delivers again
 * if its consumer dies; that one finds the document held, and comes back when the claim has ended. What waits for a
 * place behind is read by the consumer that has the place, one document after the other.
 */

/** Real time after which a consumer that goes on hands over to another one. One lives for fifteen minutes. */
const GO_ON_MS = 300_000;
/** The least wait of a message that comes back. */
const COME_BACK_MS = 1_000;

/** `isRepeated`: the message was delivered before. Calls `onWork` for each document. Throws if it must come again. */
export async function readWaiting(
  ticket: Hint,
  isRepeated: boolean,
  deps: Deps,
  access: PrivateAccess,
  onWork: (hint: Hint) => void,
): Promise<void> {
  const { clock } = deps;
  const goesOnUntil = clock.now() + GO_ON_MS * clock.speed;
  let isBehind = false;
  for (;;) {
    const taken = await takeDocument(deps);
    if (taken.document === null) {
      const { heldUntil } = taken;
      const comesBack = isRepeated && heldUntil !== null;
      if (comesBack) await sendTicket(ticket, Math.max(heldUntil - clock.now(), COME_BACK_MS), deps);
      return;
    }
    const { document } = taken;
    onWork(hintOf(document));
    const isRead = await readTaken(document, deps, access);
    isBehind ||= document.isBehind;
    if (isRead && !isBehind) return;
    if (clock.now() >= goesOnUntil) return sendTicket(ticket, 0, deps);
  }
}

/** False for a document that nobody wants any more. A failure costs it alone: it is read again later. */
async function readTaken(document: ClaimedDocument, deps: Deps, access: PrivateAccess): Promise<boolean> {
  const { workload, clock, documentTurns } = deps;
  const { crawl } = document;
  const hint = hintOf(document);
  try {
    if (document.tries > deps.limits.failures) {
      await settleDeadLetters([hint], deps);
      await removeSettled(document, deps);
      await deps.waitingDocuments.remove(hint);
      return true;
    }
    const [work] = await readWork([hint], deps, access);
    if (work?.kind !== "page") {
      await dropDocument(hint, deps);
      // What is still wanted is free again.
      await documentTurns.release(document, 0);
      return false;
    }
    if ((await readDocument(work, document, deps)) === "again") {
      await documentTurns.release(document, 0);
      await sendTicket(hint, 0, deps);
    }
    logInfo("document", { crawl });
    workload.failure = null;
  } catch (error) {
    logError("document-not-settled", error, { crawl });
    workload.failure = "a document could not be settled";
    // The document is kept: whoever resumes the crawl has it read.
    if (isDatabaseFull(error)) {
      await pauseRefused([crawl], deps);
      await documentTurns.release(document, 0);
      return true;
    }
    const delayMs = retryDelayMs(document.tries - 1, deps.random());
    await documentTurns.release(document, clock.now() + delayMs);
    await sendTicket(hint, delayMs, deps);
  }
  return true;
}
