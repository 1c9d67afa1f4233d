import type { Discovery, SitemapDiscovery } from "../crawl/crawl.ts";
import type { Outcome, SitemapReading } from "../crawl/outcome.ts";
import { PREFERRED_PRIORITY, pagePriority } from "../crawl/url-kind.ts";
import type { CrawlCommit } from "../store/ledger-commit.ts";
import { type CommitDepths, NO_DEPTHS } from "../store/lowered.ts";
import { hostOf } from "../url/host-key.ts";
import type { BatchHook } from "./ask-hook.ts";
import type { Attempt } from "./attempt.ts";
import type { CrawlContext } from "./context.ts";
import type { Deps } from "./deps.ts";
import { gatherAssets } from "./gather-assets.ts";
import { gatherPage } from "./gather-page.ts";
import { gatherReturns } from "./gather-returns.ts";
import { gatherSignals } from "./gather-signals.ts";
import { gatherLinkedSitemaps, gatherSitemap, guessLists, seenKeyOf } from "./gather-sitemap.ts";
import { Gathering } from "./gathering.ts";
import { heldKey, holdBackEndless } from "./hold-back-endless.ts";
import { refuseSamePages } from "./refuse-same-pages.ts";
import { visitOf } from "./work.ts";

/** The findings of one crawl's attempts: a commit without its packs and its bill. After it, the ledger has `links`. */
interface Findings {
  commit: Omit<CrawlCommit, "packs" | "usage">;
  /** Those of its discoveries that are new. */
  fresh: Discovery[];
  links: Iterable<string>;
}

/** `attempts`: the attempts of one crawl. Throws HookFailure. */
export async function gather(
  context: CrawlContext,
  attempts: Attempt[],
  deps: Deps,
  hook: BatchHook | null = null,
): Promise<Findings> {
  const crawl = context.crawl.id;
  const seen = deps.seen.of(crawl);
  const gathering = new Gathering(context, seen);
  const { joinedOrigins } = gathering;
  const { fresh: queued = [], known: visits = [] } = Object.groupBy(attempts, ({ work }) =>
    visitOf(work) === null ? "fresh" : "known",
  );
  const duplicates = await duplicatePages(queued, context, deps);

  for (const attempt of attempts) {
    if (attempt.work.kind === "sitemap") await gatherSitemap(attempt, attempt.work, gathering);
    else {
      await gatherAssets(attempt, attempt.work, gathering);
      if (attempt.work.row.kind === "page") {
        gatherLinkedSitemaps(attempt, attempt.work, gathering);
        await gatherPage(attempt, attempt.work, gathering, duplicates.has(attempt.outcome.url));
      }
    }
  }
  gathering.sitemaps.push(...guessLists(joinedOrigins, context.crawl.options));

  const same = await refuseSamePages(attempts, gathering, deps);
  const { fresh: known, nearer } = await (gathering.hasDepthLimit ? byDepth : bySeen)(gathering, deps);
  const { left: fresh, withheld: slowed } = await holdBackEndless(known, attempts, gathering, deps);
  const sitemapUrls = new Set(attempts.flatMap(({ work }) => (work.kind === "sitemap" ? [work.row.url] : [])));
  const wanted = await withinHostLimits(fresh, sitemapUrls, gathering, deps);
  const ranked = await rank(wanted, gathering, deps);
  const discoveries = hook === null ? ranked : await hook.askFound(ranked, attempts, gathering);
  const sitemaps = await withinRoom(gathering, deps);
  const { signals, dated, isCut } = await gatherSignals(context, gathering.listed, deps);
  const askAgain = await gatherReturns(crawl, queued, deps);
  const { page = [], sitemap = [] } = Object.groupBy(queued, (attempt) => attempt.work.kind);
  const noted = (outcome: Outcome): Outcome => {
    const note = gathering.notes.get(outcome.url);
    if (note === undefined) return outcome;
    return { ...outcome, detail: outcome.detail === null ? note.replace(/^; /, "") : `${outcome.detail}${note}` };
  };
  return {
    commit: {
      crawl,
      outcomes: page.map(({ outcome }) => noted(outcome)),
      visits: visits.flatMap(({ visit, outcome }) =>
        visit === null ? [] : [{ ...visit, outcome: visit.outcome === null ? null : noted(outcome) }],
      ),
      added: context.crawl.watchingSince === null ? [] : page.flatMap(newPageOf),
      texts: [...page, ...visits].flatMap(({ work, outcome: { url, title }, text }) =>
        text === null ? [] : [{ url, title, text, visit: visitOf(work) }],
      ),
      discoveries: [...discoveries, ...nearer],
      depths: gathering.hasDepthLimit ? { ...NO_DEPTHS, read: attempts.flatMap(depthOf) } : null,
      askAgain,
      withheld: [...same, ...slowed],
      released: [],
      sitemapOutcomes: sitemap.map(({ outcome, sitemap: read }) => ({
        ...noted(outcome),
        listed: read?.pages.length ?? null,
      })),
      readings: visits.flatMap((attempt) => toReading(attempt, isCut) ?? []),
      sitemaps,
      dated: [...gathering.dated, ...dated],
      signals: [...signals, ...[...gathering.shown].map((url) => ({ url, lastmod: null, isDue: true }))],
      refusals: gathering.refusals,
      joinedHosts: [...joinedOrigins].map((origin) => new URL(origin).host),
      hostPages: context.crawl.options.limitPerHost === 0 ? [] : page.flatMap(hostPageOf),
      limitPerHost: context.crawl.options.limitPerHost || null,
      documents: attempts.flatMap(({ work }) =>
        work.kind === "page" && work.row.document !== null ? work.row.url : [],
      ),
    },
    fresh: discoveries,
    links: [
      ...gathering.seenKeys(),
      ...same.flatMap(({ urls }) => urls.map(({ url }) => url)),
      ...slowed.flatMap(({ urls }) => urls.map(({ url }) => heldKey(url))),
      ...[...gathering.linkedSitemaps].map(seenKeyOf),
    ],
  };
}

/** What a commit may add, and the known pages to which it has found a nearer way. */
interface FoundByKnown {
  fresh: Discovery[];
  nearer: Discovery[];
}

/** Asks the ledger about the URLs that this isolate may have committed and forgotten. */
async function bySeen({ found, seen, context }: Gathering, { ledger }: Deps): Promise<FoundByKnown> {
  const maybe = [...found.keys()].filter((url) => seen.ask(url) === "maybe");
  const unknown = maybe.length > 0 ? await ledger.unknown(context.crawl.id, maybe) : new Set<string>();
  const known = new Set(maybe.filter((url) => !unknown.has(url)));
  return { fresh: [...found.values()].filter(({ url }) => !known.has(url)), nearer: [] };
}

/** Asks the ledger about all, because it alone knows their depths. */
async function byDepth({ found, context }: Gathering, { ledger }: Deps): Promise<FoundByKnown> {
  const all = [...found.values()];
  const known = all.length > 0 ? await ledger.nearer(context.crawl.id, all) : new Map<string, boolean>();
  return {
    fresh: all.filter(({ url }) => !known.has(url)),
    nearer: all.filter(({ url, kind }) => kind === "page" && known.get(url) === true),
  };
}

/** The depth at which a page was read. */
function depthOf({ work }: Attempt): CommitDepths["read"] {
  return work.kind === "page" && work.row.kind === "page" ? [{ url: work.row.url, depth: work.row.depth }] : [];
}

/** `isUnconditional`: the next reading must have an answer. */
function toReading({ work, outcome, sitemap }: Attempt, isUnconditional: boolean): SitemapReading | null {
  if (work.kind === "page" || work.row.reading === null) return null;
  const { url, status, detail, httpStatus, fetchedAt: readAt } = outcome;
  const { count: reading, etag, lastModified } = work.row.reading;
  const isRead = status === "completed" && sitemap !== null;
  const validators = isRead ? outcome : { etag, lastModified };
  const kept = isUnconditional ? NO_VALIDATORS : { etag: validators.etag, lastModified: validators.lastModified };
  return { url, reading, isRead, detail, httpStatus, listed: sitemap?.pages.length ?? null, readAt, ...kept };
}

const NO_VALIDATORS = { etag: null, lastModified: null };

/** A completed page, which counts towards the page limit of its host. */
function hostPageOf({ work, outcome: { url, status } }: Attempt): CrawlCommit["hostPages"] {
  const isPage = work.kind === "page" && work.row.kind === "page";
  return isPage && status === "completed" ? [{ url, host: hostOf(url) }] : [];
}

/** A page that a watch completes for the first time, for its readers. */
function newPageOf({ work, outcome }: Attempt): string[] {
  return work.kind === "page" && work.row.kind === "page" && outcome.status === "completed" ? [outcome.url] : [];
}

/**
 * The URLs of pages whose links are not followed: `maxDuplicates` pages with their content lead from the seed to them,
 * so their links would lead to the same page again. Pages that are alike in other places of the site are no trap. Most
 * pages have no copy in the crawl, and then their way is not looked up. A page that a browser drew is not its answer,
 * which is often the same for a whole site.
 */
async function duplicatePages(attempts: Attempt[], context: CrawlContext, deps: Deps): Promise<Set<string>> {
  const { id, options } = context.crawl;
  const { maxDuplicates } = options.traps;
  if (options.source === "sitemaps") return new Set();
  const linking = attempts.flatMap(({ work, outcome: { url, sha256, rendered }, links }) =>
    work.kind === "page" && rendered === undefined && sha256 !== null && links.length > 0
      ? [{ url, via: work.row.via, sha256 }]
      : [],
  );
  if (linking.length === 0) return new Set();
  const copies = await deps.ledger.copies(id, [...new Set(linking.map(({ sha256 }) => sha256))], maxDuplicates);
  const suspects = linking.filter(({ sha256 }) => (copies.get(sha256) ?? 0) >= maxDuplicates);
  if (suspects.length === 0) return new Set();
  const before = await deps.ledger.copiesBefore(id, suspects, maxDuplicates);
  return new Set(suspects.map(({ url }) => url).filter((url) => (before.get(url) ?? 0) >= maxDuplicates));
}

/**
 * Gives the new pages their priorities. Refuses those beyond the maximum of their pattern. Batches that run side by
 * side may give the same number twice, which changes the order by little.
 */
async function rank(fresh: Discovery[], gathering: Gathering, deps: Deps): Promise<Discovery[]> {
  const patterns = [...new Set(fresh.flatMap(({ pattern }) => pattern ?? []))];
  const { crawl, topic } = gathering.context;
  const counts = patterns.length === 0 ? new Map<string, number>() : await deps.ledger.variants(crawl.id, patterns);
  return fresh.flatMap((discovery) => {
    const { url, via, kind, pattern, found } = discovery;
    const isPreferred = discovery.priority >= PREFERRED_PRIORITY;
    if (kind !== "page") return discovery;
    const nth = pattern === null ? null : (counts.get(pattern) ?? 0) + 1;
    if (pattern !== null && nth !== null) counts.set(pattern, nth);
    // A seed's redirect has no score: it is as wanted as the seed.
    const score = topic === null ? null : (found?.score ?? 1);
    if ((nth ?? 0) <= crawl.options.traps.maxVariants) {
      const priority = pagePriority({ isPreferred, score, nth });
      // Most pages have the priority with which they come.
      return priority === discovery.priority ? discovery : { ...discovery, priority };
    }
    gathering.found.delete(url);
    if (via !== null) gathering.refuse(via, "urls", "variants", [url]);
    return [];
  });
}

/** Without the pages of hosts that have given as many as the crawl takes. They are refused. */
async function withinHostLimits(
  fresh: Discovery[],
  sitemapUrls: ReadonlySet<string>,
  gathering: Gathering,
  deps: Deps,
): Promise<Discovery[]> {
  const { id, options } = gathering.context.crawl;
  if (options.limitPerHost === 0 || fresh.length === 0) return fresh;
  const counts = await deps.ledger.hostPages(id, [...new Set(fresh.map(({ url }) => hostOf(url)))]);
  return fresh.filter(({ url, via, kind }) => {
    if (kind !== "page" || (counts.get(hostOf(url)) ?? 0) < options.limitPerHost) return true;
    gathering.found.delete(url);
    if (via !== null) gathering.refuse(via, sitemapUrls.has(via) ? "sitemaps" : "urls", "host-limit", [url]);
    return false;
  });
}

/** The sitemaps that the crawl still accepts, each once. The others are refused. */
async function withinRoom(gathering: Gathering, deps: Deps): Promise<SitemapDiscovery[]> {
  if (gathering.sitemaps.length === 0) return [];
  const sitemaps = [...new Map(gathering.sitemaps.map((sitemap) => [sitemap.url, sitemap])).values()];
  const room = await deps.sitemaps.room(gathering.context.crawl.id);
  return sitemaps.filter(({ url, via, feed }) => {
    room[feed ? "feeds" : "sitemaps"] -= 1;
    if (room[feed ? "feeds" : "sitemaps"] >= 0) return true;
    const from = gathering.linkedSitemaps.delete(url) ? "urls" : "sitemaps";
    if (via !== null) gathering.refuse(via, from, "sitemap-limit", [url]);
    return false;
  });
}
