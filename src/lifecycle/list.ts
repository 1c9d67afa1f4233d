import type { Crawl } from "../crawl/crawl.ts";
import { PREFERRED_PRIORITY } from "../crawl/page/url-kind.ts";
import { guessLists } from "../frontier/commit/gather-sitemap.ts";
import type { Deps } from "../frontier/deps.ts";
import { emptyCommit } from "../store/ledger/ledger-commit.ts";
import { hostOf, originOf } from "../url/host-key.ts";
import { seedOf } from "./first-urls.ts";
import type { StartDeps } from "./needs.ts";
import { resumeCrawl } from "./start.ts";

/** Adds seeds to a crawl that is paused until its list is complete, and starts it then. */

/**
 * Every batch reads the crawl's row, and with it one seed of each origin: D1 holds 2 MB in a row, and these seeds stand
 * in it beside their hosts. It is room for some 10,000 origins. In UTF-16 units.
 */
const MAX_ORIGIN_CHARACTERS = 500_000;

export interface Added {
  /** Seeds that the crawl did not know. */
  added: number;
  /** Seeds for whose hosts the crawl has no room. */
  tooMany: Set<string>;
}

/** Adds seeds, canonical ones; those that are known already change nothing. Throws NoRoom. */
export async function addSeeds(
  crawl: Crawl,
  urls: readonly string[],
  deps: Pick<Deps, "lists"> & StartDeps,
): Promise<Added> {
  const { fresh, tooMany } = newOrigins(crawl, urls);
  const seeds = [...new Set(urls)].filter((url) => !tooMany.has(url));
  const now = deps.clock.now();
  const unknown = await deps.ledger.unknown(crawl.id, seeds);
  const discoveries = seeds.filter((url) => unknown.has(url)).map((url) => seedOf(url, PREFERRED_PRIORITY));
  const sitemaps = guessLists(new Set(fresh.map(originOf)), crawl.options);
  if (discoveries.length + sitemaps.length > 0)
    await deps.ledger.commit([{ ...emptyCommit(crawl.id), discoveries, sitemaps }], now);
  // Afterwards, so that a portion that is sent again after a kill finds the same origins new.
  if (fresh.length > 0) await deps.lists.join(crawl.id, [...new Set(fresh.map(hostOf))], fresh, now);
  return { added: discoveries.length, tooMany };
}

/** The first URL of each origin that the crawl does not know, and those of the origins for which it has no room. */
function newOrigins({ options }: Crawl, urls: readonly string[]): { fresh: string[]; tooMany: Set<string> } {
  const known = new Set(options.urls.map(originOf));
  let room = MAX_ORIGIN_CHARACTERS - options.urls.reduce((sum, { length }) => sum + length, 0);
  const fresh: string[] = [];
  const tooMany = new Set<string>();
  for (const url of urls) {
    const origin = originOf(url);
    if (known.has(origin)) continue;
    if (url.length > room) {
      tooMany.add(url);
      continue;
    }
    known.add(origin);
    room -= url.length;
    fresh.push(url);
  }
  return { fresh, tooMany };
}

/** Starts a crawl that has its whole list. False when it has ended. Throws NoRoom. */
export async function closeList(
  crawl: string,
  deps: Pick<Deps, "lists"> & Parameters<typeof resumeCrawl>[1],
): Promise<boolean> {
  await deps.lists.close(crawl, deps.clock.now());
  return resumeCrawl(crawl, deps);
}
