import { compareText } from "../core/compare-text.ts";
import type { Crawl } from "../crawl/crawl.ts";
import { ledgerOf } from "../crawl/crawl-id.ts";
import { bindingOf } from "../crawl/ledger-name.ts";
import { isOpenStatus } from "../crawl/page/status.ts";
import type { UrlVersion } from "../crawl/page/url-version.ts";
import { seedsKey } from "../crawl/seeds-key.ts";
import { partsOf, type Shards } from "../crawl/shards/shards.ts";
import type { Deps } from "../frontier/deps.ts";
import { type Answers, askLedgers, homeOf, type LedgersDeps } from "../frontier/ledgers.ts";
import type { Term } from "../search/query.ts";
import type { SearchPage, SearchRequest } from "../store/records/search-hits.ts";

/**
 * Reads over the crawls of all ledgers, in the order that one ledger gives. Cursors name a place in that order, so they
 * are exact over ledgers too. A ledger that does not answer is left out, and named.
 */

/** What the ledgers gave, and the numbers of those that did not answer. */
export interface FromAll<T> {
  found: T;
  silent: number[];
}

/** Sentences for people, one for each ledger that did not answer. */
export function describeSilent(silent: readonly number[]): string[] {
  return silent.map(
    (ledger) => `The ledger ${ledger} (${bindingOf(ledger)}) does not answer, so its crawls are missing here.`,
  );
}

const newestFirst = (a: Crawl, b: Crawl) => b.createdAt - a.createdAt || compareText(a.id, b.id);

/** As `Ledger.crawls`. */
export async function listCrawls(
  deps: LedgersDeps & Pick<Deps, "ledger">,
  most: number,
  cursor = "",
  isAll = false,
): Promise<FromAll<Crawl[]>> {
  return merge(await askLedgers(deps, ({ ledger }) => ledger.crawls(most, cursor, isAll)), newestFirst, most);
}

/** As `Ledger.openCrawls`. */
export async function listOpenCrawls(
  deps: LedgersDeps & Pick<Deps, "ledger">,
  most: number,
): Promise<FromAll<Crawl[]>> {
  return merge(await askLedgers(deps, ({ ledger }) => ledger.openCrawls(most)), newestFirst, most);
}

/** As `Ledger.watches`. */
export async function listWatches(deps: LedgersDeps & Pick<Deps, "ledger">, most: number): Promise<FromAll<Crawl[]>> {
  return merge(await askLedgers(deps, ({ ledger }) => ledger.watches(most)), newestFirst, most);
}

/**
 * The ids of other watches with the same seeds that go on, newest first. Each asks the hosts for itself, and tells all
 * for itself. None for a crawl that is no watch or has ended.
 */
export async function watchesBeside(crawl: Crawl, deps: LedgersDeps & Pick<Deps, "ledger">): Promise<string[]> {
  if (crawl.options.watch === null || !isOpenStatus(crawl.status)) return [];
  const { answers } = await askLedgers(deps, ({ ledger }) => ledger.watchesOf(seedsKey(crawl), crawl.isListed));
  const others = answers.flat().filter(({ id }) => id !== crawl.id);
  return others.sort((a, b) => b.createdAt - a.createdAt).map(({ id }) => id);
}

/** As `Versions.list`. */
export async function listVersions(
  deps: LedgersDeps & Pick<Deps, "versions">,
  url: string,
  request: Parameters<Deps["versions"]["list"]>[1],
): Promise<FromAll<UrlVersion[]>> {
  const { crawl, limit } = request;
  if (crawl !== null) return { found: await homeOf(deps, crawl).versions.list(url, request), silent: [] };
  const answers = await askLedgers(deps, ({ versions }) => versions.list(url, request));
  return merge(answers, (a, b) => b.time - a.time || compareText(b.crawl, a.crawl), limit);
}

function merge<T>({ answers, silent }: Answers<T[]>, order: (a: T, b: T) => number, most: number): FromAll<T[]> {
  const [only = [], ...others] = answers;
  return { found: others.length === 0 ? only : answers.flat().sort(order).slice(0, most), silent };
}

/**
 * As `SearchHits.find`. `shards`: the parts of the crawl, if it is over several ledgers. A score weighs a word by how
 * rare it is among the pages of its ledger, so hits of two ledgers are compared by it about. A page that crawls of
 * several ledgers have is one hit, the newest, and counts in `total` once for each.
 */
export async function searchCrawls(
  terms: Term[],
  request: SearchRequest,
  deps: LedgersDeps & Pick<Deps, "searchHits">,
  shards: Shards | null = null,
): Promise<FromAll<SearchPage>> {
  const { crawl, limit, offset } = request;
  const upTo = { ...request, limit: offset + limit, offset: 0 };
  if (shards !== null) {
    const answers = await Promise.all(
      partsOf(shards).map((part) => homeOf(deps, part).searchHits.find(terms, { ...upTo, crawl: part })),
    );
    const merged = mergeHits(answers, request);
    const hits = merged.hits.map((hit) => ({ ...hit, crawl: shards.home }));
    return { found: { ...merged, hits }, silent: [] };
  }
  if (crawl !== null) return { found: await homeOf(deps, crawl).searchHits.find(terms, request), silent: [] };
  if (deps.ledgers.numbers.length === 1) return { found: await deps.searchHits.find(terms, request), silent: [] };
  const { answers, silent } = await askLedgers(deps, ({ searchHits }) => searchHits.find(terms, upTo));
  return { found: mergeHits(answers, request), silent };
}

function mergeHits(answers: readonly SearchPage[], { limit, offset }: SearchRequest): SearchPage {
  // What has all words, as they were typed, goes before what was corrected, and that before what has any of them.
  const rankOf = ({ total, matchesAny, corrected }: SearchPage) =>
    total === 0 ? 3 : matchesAny ? 2 : corrected.length > 0 ? 1 : 0;
  const best = Math.min(...answers.map(rankOf));
  const pages = answers.filter((page) => rankOf(page) === best);
  const newest = new Map<string, SearchPage["hits"][number]>();
  for (const hit of pages.flatMap(({ hits }) => hits)) {
    const known = newest.get(hit.url);
    if (known === undefined || (known.fetchedAt ?? 0) < (hit.fetchedAt ?? 0)) newest.set(hit.url, hit);
  }
  const hits = [...newest.values()].sort(
    (a, b) => b.score - a.score || ledgerOf(a.crawl) - ledgerOf(b.crawl) || compareText(a.url, b.url),
  );
  const sumOf = (count: (page: SearchPage) => number) => pages.reduce((sum, page) => sum + count(page), 0);
  return {
    hits: hits.slice(offset, offset + limit),
    total: sumOf(({ total }) => total),
    isAtLeast: pages.some(({ isAtLeast }) => isAtLeast),
    ranked: sumOf(({ ranked }) => ranked),
    matchesAny: best === 2,
    corrected: pages.find(({ corrected }) => corrected.length > 0)?.corrected ?? [],
  };
}
