import { logError } from "../core/log.ts";
import type { DocumentFetched } from "../crawl/outcome.ts";
import type { Deps } from "./deps.ts";
import type { DocumentMessage } from "./message.ts";
import { type PageWork, visitOf } from "./work.ts";

/** Sends the message of a document that waits in the mirror. Its consumer is read-document.ts. */

/** False if the queue did not take it. */
export async function sendDocument(work: PageWork, fetched: DocumentFetched, deps: Deps): Promise<boolean> {
  const { kind: _, writes, retryAfterMs: __, setCookies: ___, ...answer } = fetched;
  const { row, context } = work;
  const visit = visitOf(work);
  const visits = visit === null ? {} : { visits: [visit] };
  const body: DocumentMessage = {
    ...{ v: 2, crawl: row.crawl, epoch: context.crawl.epoch, urls: [row.url], ...visits },
    answer,
  };
  deps.meter.add({ mirrorWrites: writes });
  try {
    await deps.documentQueue.sendBatch([{ body }]);
    return true;
  } catch (error) {
    logError("document-not-sent", error, { crawl: row.crawl });
    return false;
  }
}
