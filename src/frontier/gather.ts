import type { Discovery, SitemapDiscovery } from "../crawl/crawl.ts";
import type { CrawlCommit } from "../store/ledger-commit.ts";
import type { Attempt } from "./attempt.ts";
import type { CrawlContext } from "./context.ts";
import type { Deps } from "./deps.ts";
import { gatherAssets } from "./gather-assets.ts";
import { gatherPage } from "./gather-page.ts";
import { gatherSitemap, guessSitemap } from "./gather-sitemap.ts";
import { Gathering } from "./gathering.ts";

/** What one crawl's attempts have to say to the ledger, and the links that will be in the ledger once it is said. */
export async function gather(
  attempts: Attempt[],
  deps: Deps,
): Promise<{ commit: CrawlCommit; links: Iterable<string> }> {
  const [{ work } = never()] = attempts;
  const { context } = work;
  const crawl = context.crawl.id;
  const seen = deps.seen.of(crawl);
  const gathering = new Gathering(context, seen);
  const { found, joinedOrigins } = gathering;
  const duplicates = await duplicatePages(attempts, context, deps);

  for (const attempt of attempts) {
    if (attempt.work.kind === "sitemap") gatherSitemap(attempt, attempt.work, gathering);
    else {
      gatherAssets(attempt, attempt.work, gathering);
      if (attempt.work.row.asset === 0) gatherPage(attempt, attempt.work, gathering, duplicates.has(attempt));
    }
  }
  if (context.crawl.options.source !== "links") gathering.sitemaps.push(...[...joinedOrigins].map(guessSitemap));

  const maybe = [...found.keys()].filter((url) => seen.ask(url) === "maybe");
  const unknown = maybe.length > 0 ? await deps.ledger.unknown(crawl, maybe) : new Set<string>();
  const known = new Set(maybe.filter((url) => !unknown.has(url)));
  const fresh = [...found.values()].filter(({ url }) => !known.has(url));
  const over = await overBudget(fresh, context, deps);
  for (const { url, via } of over) {
    found.delete(url);
    if (via !== null) gathering.refuse(via, "urls", "variants", [url]);
  }
  const sitemaps = await withinRoom(gathering, deps);
  const { page = [], sitemap = [] } = Object.groupBy(attempts, (attempt) => attempt.work.kind);
  return {
    commit: {
      crawl,
      outcomes: page.map(({ outcome }) => outcome),
      texts: page.flatMap(({ outcome: { url, title }, text }) => (text === null ? [] : [{ url, title, text }])),
      discoveries: fresh.filter((discovery) => !over.has(discovery)),
      sitemapOutcomes: sitemap.map(({ outcome, sitemap: read }) => ({
        ...outcome,
        listed: read?.pages.length ?? null,
      })),
      sitemaps,
      dated: gathering.dated,
      refusals: gathering.refusals,
      usage: {},
      packs: [],
      joinedHosts: [...joinedOrigins].map((origin) => new URL(origin).host),
    },
    links: found.keys(),
  };
}

/** Attempts whose content the crawl holds as often as its links are to be followed. */
async function duplicatePages(attempts: Attempt[], context: CrawlContext, deps: Deps): Promise<Set<Attempt>> {
  const { source, traps } = context.crawl.options;
  const most = traps.maxDuplicates;
  const linking = attempts.filter(({ outcome, links }) => outcome.sha256 !== null && links.length > 0);
  const digests = [...new Set(linking.map(({ outcome }) => outcome.sha256 as string))];
  if (digests.length === 0 || source === "sitemaps") return new Set();
  const copies = await deps.ledger.copies(context.crawl.id, digests, most);
  return new Set(
    linking.filter(({ outcome }) => {
      const before = copies.get(outcome.sha256 as string) ?? 0;
      copies.set(outcome.sha256 as string, before + 1);
      return before >= most;
    }),
  );
}

/** Those of the new URLs that go beyond what their pattern may have. */
async function overBudget(fresh: Discovery[], context: CrawlContext, deps: Deps): Promise<Set<Discovery>> {
  const variants = fresh.filter(({ pattern }) => pattern !== null);
  if (variants.length === 0) return new Set();
  const most = context.crawl.options.traps.maxVariants;
  const patterns = [...new Set(variants.map(({ pattern }) => pattern as string))];
  const counts = await deps.ledger.variants(context.crawl.id, patterns);
  return new Set(
    variants.filter(({ pattern }) => {
      const before = counts.get(pattern as string) ?? 0;
      counts.set(pattern as string, before + 1);
      return before >= most;
    }),
  );
}

/** Of the sitemaps those that the crawl still takes, each once. */
async function withinRoom(gathering: Gathering, deps: Deps): Promise<SitemapDiscovery[]> {
  if (gathering.sitemaps.length === 0) return [];
  const sitemaps = [...new Map(gathering.sitemaps.map((sitemap) => [sitemap.url, sitemap])).values()];
  const room = await deps.sitemaps.room(gathering.context.crawl.id);
  for (const { url, via } of sitemaps.slice(room)) {
    if (via !== null) gathering.refuse(via, "sitemaps", "sitemap-limit", [url]);
  }
  return sitemaps.slice(0, room);
}

function never(): never {
  throw new Error("a crawl without attempts");
}
