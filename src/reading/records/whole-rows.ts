import type { Crawl, CrawlUrl } from "../../crawl/crawl.ts";
import { mergeByUrl } from "../../crawl/shards/merge-by-url.ts";
import { ledgerOfUrl } from "../../crawl/shards/shards.ts";
import type { Records } from "../../store/records/records.ts";
import type { PartReading, Reading } from "./read-formats.ts";

/** The records of a crawl in the order of their URLs, also of one over several ledgers. */

type RowDeps = Pick<Reading, "parts"> & { records: Pick<Records, "walk" | "endOfPage"> };
type Page = Parameters<Records["walk"]>[1];

/** The part that has this URL; the crawl itself if it is in one ledger, or if the part is not there yet. */
export function partWith(crawl: Crawl, url: string, deps: Reading): PartReading {
  const part = crawl.shards === null ? undefined : deps.parts?.get(ledgerOfUrl(url, crawl.shards));
  return part ?? { crawl, deps };
}

export function walkRows(crawl: Crawl, page: Page, { records, parts }: RowDeps): AsyncGenerator<CrawlUrl> {
  if (parts === undefined) return records.walk(crawl.id, page);
  return mergeByUrl([...parts.values()].map((part) => part.deps.records.walk(part.crawl.id, page)));
}

/**
 * The last URL of such a page; null if no records come after it. The parts share the limit, and the page ends with the
 * first of theirs that does.
 */
export async function endOfRows(crawl: Crawl, page: Page, { records, parts }: RowDeps): Promise<string | null> {
  if (parts === undefined) return records.endOfPage(crawl.id, page);
  const share = { ...page, limit: Math.max(1, Math.floor(page.limit / parts.size)) };
  const ends = await Promise.all([...parts.values()].map((part) => part.deps.records.endOfPage(part.crawl.id, share)));
  return ends.reduce((least, end) => (least === null || (end !== null && end < least) ? end : least), null);
}
