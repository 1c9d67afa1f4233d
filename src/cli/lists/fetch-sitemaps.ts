import { plural } from "../../core/shown-values.ts";
import { OPTIONS } from "../../crawl/options/option-table.ts";
import { deleteAll } from "../control/delete-command.ts";
import { UserError } from "../errors.ts";
import type { Installation, WhereOptions } from "../installation/installation.ts";
import { follow, listenForStop } from "../output/follow.ts";
import { quietProgress } from "../output/progress.ts";
import { describeSitemaps } from "../output/summary.ts";
import type { UrlList } from "./open-list.ts";

/**
 * Adds the pages of a list's sitemaps to it. A dry run reads them, so they are fetched at their hosts' pace and as
 * robots.txt allows, and nothing else is. It is deleted afterwards.
 */

/** Sitemaps that one crawl may name. */
const MOST_SITEMAPS = 100;

/** `request`: of the crawl that is planned. Throws UserError if no page is found, or it is stopped. */
export async function fetchSitemaps(
  list: UrlList,
  request: Record<string, unknown>,
  at: Installation,
  flags: WhereOptions,
  tell: (line: string) => void,
): Promise<void> {
  if (list.sitemaps.length === 0) return;
  const known = new Set(list.seeds.map(({ url }) => url));
  for (let from = 0; from < list.sitemaps.length; from += MOST_SITEMAPS) {
    const sitemaps = list.sitemaps.slice(from, from + MOST_SITEMAPS);
    await readThem(sitemaps, request, at, flags, tell, (url, place) => {
      if (known.has(url)) list.duplicates += 1;
      else list.seeds.push({ url, place });
      known.add(url);
    });
  }
  if (list.seeds.length === 0) throw new UserError(`${list.name} lists no page that can be crawled.`, 2);
}

async function readThem(
  sitemaps: readonly string[],
  request: Record<string, unknown>,
  at: Installation,
  flags: WhereOptions,
  tell: (line: string) => void,
  add: (url: string, place: string) => void,
): Promise<void> {
  const { id } = await at.client.start(dryRunOf(sitemaps, request));
  const stop = listenForStop();
  try {
    const { crawl, interrupted } = await follow(id, at, quietProgress(process.stderr), stop.signal, flags);
    if (interrupted) throw new UserError("Stopped before the crawl started.");
    for await (const { url, via } of at.client.records(id)) if (via !== null) add(url, via);
    for (const line of describeSitemaps(crawl)) tell(line.trim());
    for (const { reason, count: urls, examples } of crawl.refused)
      tell(`Left out of what they list: ${plural(urls, "URL")} (${reason}), such as ${examples[0]}`);
  } finally {
    stop.end();
    await deleteAll(id, true, false, at.client);
  }
}

/** All that the sitemaps list, on any host. What the crawl itself leaves out is told there. */
function dryRunOf(sitemaps: readonly string[], request: Record<string, unknown>): Record<string, unknown> {
  const { politeness, userAgent, from, headers, session, acceptLanguage, ownHosts, timeoutMs } = request;
  const { "traps.maxVariants": variants, "traps.maxPathDepth": depth, "traps.maxRepeatedSegments": repeated } = OPTIONS;
  return {
    // A dry run fetches no seed as a page.
    urls: sitemaps,
    sitemaps,
    dryRun: true,
    source: "links",
    limit: OPTIONS.limit.max,
    options: { includeExternalLinks: true },
    traps: { maxVariants: variants.max, maxPathDepth: depth.max, maxRepeatedSegments: repeated.max },
    ...{ politeness, userAgent, from, headers, session, acceptLanguage, ownHosts, timeoutMs },
  };
}
