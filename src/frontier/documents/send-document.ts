import { logError } from "../../core/log.ts";
import type { QueuedUrl } from "../../crawl/crawl.ts";
import type { DocumentFetched } from "../../crawl/page/outcome.ts";
import { IN_FLIGHT_MS } from "../../store/installation/deletions.ts";
import { type DocumentMessage, type Hint, MAX_DELAY_S } from "../batch/message.ts";
import type { Deps } from "../deps.ts";
import type { SendDocumentDeps } from "../needs.ts";
import { type PageWork, visitOf } from "../work.ts";

/** Has documents read that wait in the mirror. The consumer of their messages is read-waiting.ts. */

/** Time for a document to come to the reader and be read, beyond which its crawl counts as stalled. */
export const DOCUMENT_READING_MS = 300_000;
/** The epoch of no crawl. A message of another epoch that fails for good settles no URL (dead-letter.ts). */
const NO_EPOCH = 0;

/**
 * Notes a document that the mirror took, and sends its message. False if the queue did not take it. Throws if the
 * ledger did not take the note.
 */
export async function sendFetched(work: PageWork, fetched: DocumentFetched, deps: SendDocumentDeps): Promise<boolean> {
  const { kind: _, writes, retryAfterMs: __, setCookies: ___, ...answer } = fetched;
  deps.meter.add({ mirrorWrites: writes });
  await deps.waitingDocuments.add(toWaiting(work), answer).catch(async (error: unknown) => {
    await sendSweep(work.row, deps);
    throw error;
  });
  return sendWorks([work], deps);
}

/**
 * Sends a message that removes a document of which nobody may know: its fetcher was lost, was too slow for its lane, or
 * says that the mirror failed, and a put may still take effect then. It comes when no consumer of now lives any more,
 * because another attempt may settle the URL before the put, or never store it. Does not throw: what is not swept goes
 * with its crawl.
 */
export async function sendSweep(
  { crawl, url, visit }: Pick<QueuedUrl, "crawl" | "url" | "visit">,
  deps: TicketDeps,
): Promise<void> {
  const place = { crawl, epoch: NO_EPOCH, url, visit: visit?.count ?? null };
  await sendMessage(place, IN_FLIGHT_MS * deps.clock.speed, deps, { sweeps: true }).catch((error: unknown) =>
    logError("document-not-swept", error, { crawls: [crawl] }),
  );
}

/**
 * Has documents read that the ledger knows of, with what their hints say now. False if the queue did not take the
 * messages. Throws if the ledger did not take what the hints say.
 */
export async function sendStored(works: readonly PageWork[], deps: SendDocumentDeps): Promise<boolean> {
  await deps.waitingDocuments.offer(works.map(toWaiting));
  return sendWorks(works, deps);
}

async function sendWorks(works: readonly PageWork[], deps: SendDocumentDeps): Promise<boolean> {
  const crawls = [...new Set(works.map(({ row }) => row.crawl))];
  try {
    for (const { hint } of works) await sendTicket(hint, 0, deps);
  } catch (error) {
    logError("document-not-sent", error, { crawls });
    return false;
  }
  await Promise.all(crawls.map((crawl) => expectReading(crawl, deps)));
  return true;
}

/** Sends a message that has one document read after `delayMs` milliseconds. */
export async function sendTicket(hint: Hint, delayMs: number, deps: TicketDeps): Promise<void> {
  await sendMessage(hint, delayMs, deps);
}

type TicketDeps = Pick<Deps, "documentQueue" | "clock">;

async function sendMessage(
  { crawl, epoch, url, visit }: Pick<Hint, "crawl" | "epoch" | "url" | "visit">,
  delayMs: number,
  deps: TicketDeps,
  marks: Pick<DocumentMessage, "sweeps"> = {},
): Promise<void> {
  const visits = visit === null ? {} : { visits: [visit] };
  const body: DocumentMessage = { v: 2, crawl, epoch, urls: [url], ...visits, ...marks };
  const delaySeconds = Math.min(Math.ceil(delayMs / deps.clock.speed / 1_000), MAX_DELAY_S);
  await deps.documentQueue.sendBatch([{ body, ...(delaySeconds > 0 ? { delaySeconds } : {}) }]);
}

/** Its other messages may all be settled before a document is read. */
export async function expectReading(crawl: string, { ledger, clock }: Pick<Deps, "clock" | "ledger">): Promise<void> {
  await ledger
    .expectProgress(crawl, clock.now() + DOCUMENT_READING_MS)
    // At worst a repair sends the document to the reader once more.
    .catch((error: unknown) => logError("reading-not-expected", error, { crawls: [crawl] }));
}

function toWaiting(work: PageWork) {
  const { row, hint } = work;
  const { failures, askAlone = false } = hint;
  return { crawl: row.crawl, url: row.url, visit: visitOf(work), failures, askAlone };
}
