import type { Crawl } from "../../crawl/crawl.ts";
import { ledgerOf } from "../../crawl/crawl-id.ts";
import type { Format } from "../../crawl/page/page-format.ts";
import { partsOf } from "../../crawl/shards/shards.ts";
import { homeOf, type LedgersDeps } from "../../frontier/ledgers.ts";
import type { TemplateDeps } from "../../passes/template/open-template.ts";
import { type Reading, readingOf } from "../../reading/records/read-formats.ts";

/** The parameters of requests for pages that say how they are read. */

interface ReadingQuery {
  formats: readonly Format[];
  rawText: boolean;
  chunkTokens?: number | undefined;
}

/** What reads the pages: without their template or as they are, in chunks of a size. */
export async function readingOfQuery<Own extends TemplateDeps>(
  crawl: Crawl,
  { chunkTokens, ...how }: ReadingQuery,
  deps: Own,
): Promise<Own & Pick<Reading, "template" | "chunkTokens">> {
  return { ...(await readingOf(crawl, how, deps)), ...(chunkTokens === undefined ? {} : { chunkTokens }) };
}

/** Likewise, with the parts of a crawl over several ledgers. */
export async function wholeReadingOf<
  Own extends Omit<Reading, "template" | "chunkTokens" | "parts"> & TemplateDeps & LedgersDeps,
>(crawl: Crawl, query: ReadingQuery, deps: Own): Promise<Own & Pick<Reading, "template" | "chunkTokens" | "parts">> {
  const reading = await readingOfQuery(crawl, query, deps);
  if (crawl.shards === null) return reading;
  const parts = partsOf(crawl.shards).map(async (id) => {
    const at = homeOf(deps, id);
    const part = await at.ledger.crawl(id);
    return part === null ? [] : [[ledgerOf(id), { crawl: part, deps: await readingOfQuery(part, query, at) }] as const];
  });
  return { ...reading, parts: new Map((await Promise.all(parts)).flat()) };
}
