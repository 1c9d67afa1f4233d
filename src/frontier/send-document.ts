import { logError } from "../core/log.ts";
import type { DocumentAnswer, DocumentFetched } from "../crawl/outcome.ts";
import type { Deps } from "./deps.ts";
import type { DocumentMessage } from "./message.ts";
import { type PageWork, visitOf } from "./work.ts";

/** Sends the message of a document that waits in the mirror. Its consumer is read-document.ts. */

/** Time for a document to come to the reader and be read, beyond which its crawl counts as stalled. */
export const READING_MS = 300_000;

/**
 * Notes a document that the mirror took, and sends it. False if the queue did not take the message. Throws if the
 * ledger did not take the note.
 */
export async function sendFetched(work: PageWork, fetched: DocumentFetched, deps: Deps): Promise<boolean> {
  const { kind: _, writes, retryAfterMs: __, setCookies: ___, ...answer } = fetched;
  deps.meter.add({ mirrorWrites: writes });
  await deps.waitingDocuments.add({ ...work.row, visit: visitOf(work) }, answer);
  return sendDocuments([{ work, answer }], deps);
}

/** False if the queue did not take the messages. */
export async function sendDocuments(
  documents: readonly { work: PageWork; answer: DocumentAnswer }[],
  deps: Deps,
): Promise<boolean> {
  try {
    // One after the other: a call takes 256,000 bytes, and the headers of an answer may be half of them.
    for (const { work, answer } of documents) await deps.documentQueue.sendBatch([{ body: toMessage(work, answer) }]);
  } catch (error) {
    logError("document-not-sent", error, { crawls: [...new Set(documents.map(({ work }) => work.row.crawl))] });
    return false;
  }
  await Promise.all(
    [...new Set(documents.map(({ work }) => work.row.crawl))].map((crawl) => expectReading(crawl, deps)),
  );
  return true;
}

/** Its other messages may all be settled before a document is read. */
export async function expectReading(crawl: string, { ledger, clock }: Deps): Promise<void> {
  await ledger
    .expectProgress(crawl, clock.now() + READING_MS)
    // At worst a repair sends the document to the reader once more.
    .catch((error: unknown) => logError("reading-not-expected", error, { crawls: [crawl] }));
}

function toMessage(work: PageWork, answer: DocumentAnswer): DocumentMessage {
  const { row, context } = work;
  const { failures, askAlone } = work.hint;
  const visit = visitOf(work);
  return {
    ...{ v: 2, crawl: row.crawl, epoch: context.crawl.epoch, urls: [row.url] },
    ...(visit === null ? {} : { visits: [visit] }),
    ...(failures === 0 ? {} : { failures }),
    ...(askAlone === undefined ? {} : { askAlone }),
    answer,
  };
}
