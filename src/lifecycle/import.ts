import { nameUuid } from "../core/name-uuid.ts";
import type { Crawl } from "../crawl/crawl.ts";
import { crawlIdIn } from "../crawl/crawl-id.ts";
import { type CrawlOptions, DEFAULT_OPTIONS } from "../crawl/crawl-options.ts";
import { MAX_LIMIT } from "../crawl/options/start-options.ts";
import type { Deps } from "../frontier/deps.ts";
import { onEachLedger } from "../frontier/ledgers.ts";
import { chooseLedger } from "./choose-ledger.ts";
import type { NewCrawlDeps } from "./needs.ts";

/** Makes the crawl of an archive. Its answers come in portions (frontier/imports/), and somebody says which are all. */

/** Of the ids of imports: the same archive always has the same crawl, so an import that begins again goes on. */
const NAMESPACE = "3f1c6a54-6d0e-5b53-9a57-6f0f8f2f5a11";
/** The bounds of the options: an archive has as many pages as it has. */
const ALL = { limit: MAX_LIMIT, maxQueued: 100_000 };

export interface ImportOrder {
  /** A digest of the archive, in any form. */
  archive: string;
  name: string;
  /** Canonical: where somebody would begin to read. */
  urls: readonly string[];
  answers: number;
}

/**
 * Null if the crawl of this archive is being deleted. Throws NoRoom, and what a ledger throws that does not answer: it
 * may have the crawl.
 */
export async function startImport(
  { archive, name, urls, answers }: ImportOrder,
  installation: Pick<CrawlOptions, "userAgent" | "documents" | "maxCostUsd">,
  deps: NewCrawlDeps & Pick<Deps, "imports">,
): Promise<Crawl | null> {
  const named = nameUuid(NAMESPACE, archive);
  const known = await Promise.all(
    onEachLedger(deps).map((each) => each.ledger.crawl(crawlIdIn(each.ledgerNumber, named))),
  );
  const found = known.find((crawl) => crawl !== null);
  if (found !== undefined) return found;
  const home = await chooseLedger(deps);
  const id = crawlIdIn(home.ledgerNumber, named);
  const options: CrawlOptions = {
    ...DEFAULT_OPTIONS,
    ...installation,
    ...ALL,
    urls: [...urls],
    source: "links",
    // The archive has what a crawl with assets has. Its owner may read all of it, and none of it comes again.
    ...{ store: "warc", search: true, assets: true, pageRobots: false, maxAttempts: 1 },
  };
  const hosts = [...new Set(urls.map((url) => new URL(url).host))];
  await home.imports.begin({ id, options, hosts, imported: { name, answers, leftOut: [] }, now: deps.clock.now() });
  return home.ledger.crawl(id);
}
