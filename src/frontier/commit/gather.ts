import { cleanText } from "../../changes/template/clean-text.ts";
import type { Discovery, SitemapDiscovery } from "../../crawl/crawl.ts";
import { ledgerOf } from "../../crawl/crawl-id.ts";
import type { Outcome, SitemapReading } from "../../crawl/page/outcome.ts";
import { divideByShard, type Parcel, type Parcels } from "../../crawl/shards/parcels.ts";
import { type CrawlCommit, emptyCommit } from "../../store/ledger/ledger-commit.ts";
import { type CommitDepths, NO_DEPTHS } from "../../store/ledger/waiting/lowered.ts";
import type { PageText } from "../../store/records/search-index.ts";
import type { Attempt } from "../attempt.ts";
import type { CrawlContext } from "../context.ts";
import type { Deps } from "../deps.ts";
import { FEATURES } from "../features/list.ts";
import type { BatchHook } from "../hook/ask-hook.ts";
import type { GatherDeps } from "../needs.ts";
import { visitOf } from "../work.ts";
import { gatherAssets } from "./gather-assets.ts";
import { gatherPage } from "./gather-page.ts";
import { gatherSignals } from "./gather-signals.ts";
import { gatherLinkedSitemaps, gatherSitemap, guessLists, seenKeyOf } from "./gather-sitemap.ts";
import { Gathering } from "./gathering.ts";

/** What one crawl's attempts bring: a commit without its packs and its bill. After it, the ledger has `links`. */
interface Gathered {
  commit: Omit<CrawlCommit, "packs" | "usage">;
  /** Those of its discoveries that are new. */
  fresh: Discovery[];
  links: Iterable<string>;
}

/** `attempts`: the attempts of one crawl. Throws HookFailure. */
export async function gather(
  context: CrawlContext,
  attempts: Attempt[],
  deps: GatherDeps,
  hook: BatchHook | null = null,
): Promise<Gathered> {
  const crawl = context.crawl.id;
  const seen = deps.seen.of(crawl);
  const gathering = new Gathering(context, seen);
  const { joinedOrigins } = gathering;
  const { fresh: queued = [], known: visits = [] } = Object.groupBy(attempts, ({ work }) =>
    visitOf(work) === null ? "fresh" : "known",
  );
  const { duplicates, firsts } = await compareContents(queued, context, deps);

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

  const findings = { attempts, queued, gathering, hook, deps };
  for (const { found } of FEATURES) await found?.(findings);
  const { fresh: known, nearer } = await (gathering.hasDepthLimit ? byDepth : bySeen)(gathering, deps);
  let discoveries = known;
  for (const { fresh } of FEATURES) discoveries = (await fresh?.(discoveries, findings)) ?? discoveries;
  const sitemaps = await withinRoom(gathering, deps);
  const byFeatures = await Promise.all(FEATURES.map(({ gather: add }) => add?.(findings)));
  const { signals, dated, isCut } = await gatherSignals(context, gathering.listed, deps);
  const { page = [], sitemap = [] } = Object.groupBy(queued, (attempt) => attempt.work.kind);
  const joinedHosts = [...joinedOrigins].map((origin) => new URL(origin).host);
  const divided = divide({ discoveries: [...discoveries, ...nearer], sitemaps, hosts: joinedHosts }, context);
  const noted = (outcome: Outcome): Outcome => {
    const note = gathering.notes.get(outcome.url);
    if (note === undefined) return outcome;
    return { ...outcome, detail: outcome.detail === null ? note.replace(/^; /, "") : `${outcome.detail}${note}` };
  };
  return {
    commit: {
      ...Object.assign(emptyCommit(crawl), ...byFeatures),
      outcomes: page.map(({ outcome }) =>
        firsts.has(outcome.url) ? { ...noted(outcome), isListed: true } : noted(outcome),
      ),
      visits: visits.flatMap(({ visit, outcome }) =>
        visit === null ? [] : [{ ...visit, outcome: visit.outcome === null ? null : noted(outcome) }],
      ),
      added: context.crawl.watchingSince === null ? [] : page.flatMap(newPageOf),
      texts: await indexedTexts([...page, ...visits], context, deps),
      discoveries: divided.own.discoveries,
      forOthers: divided.others,
      depths: gathering.hasDepthLimit ? { ...NO_DEPTHS, read: attempts.flatMap(depthOf) } : null,
      withheld: gathering.withheld,
      sitemapOutcomes: sitemap.map(({ outcome, sitemap: read }) => ({
        ...noted(outcome),
        listed: read?.pages.length ?? null,
      })),
      readings: visits.flatMap((attempt) => toReading(attempt, isCut) ?? []),
      sitemaps: divided.own.sitemaps,
      dated: [...gathering.dated, ...dated],
      signals: [...signals, ...[...gathering.shown].map((url) => ({ url, lastmod: null, isDue: true }))],
      refusals: gathering.refusals,
      joinedHosts,
      documents: attempts.flatMap(({ work }) =>
        work.kind === "page" && work.row.document !== null ? work.row.url : [],
      ),
    },
    fresh: discoveries,
    links: [...gathering.seenKeys(), ...gathering.withheldKeys, ...[...gathering.linkedSitemaps].map(seenKeyOf)],
  };
}

/** Divides what was found between this part of a crawl over several ledgers and the others. */
function divide(found: Parcel, { crawl: { id, shards } }: CrawlContext): { own: Parcel; others: Parcels } {
  return shards === null ? { own: found, others: {} } : divideByShard(found, ledgerOf(id), shards);
}

/** The texts for the search index: of a watch, without what its pages have in common. */
async function indexedTexts(
  attempts: readonly Attempt[],
  { crawl }: CrawlContext,
  { crawlTemplates }: Pick<Deps, "crawlTemplates">,
): Promise<PageText[]> {
  const texts = attempts.flatMap(({ work, outcome: { url, title }, text }): PageText[] =>
    text === null ? [] : [{ url, title, text, visit: visitOf(work) }],
  );
  const template = texts.length === 0 ? null : await crawlTemplates.open(crawl);
  if (template === null) return texts;
  return texts.map((page) => {
    const own = template.of(page.url);
    return own === null ? page : { ...page, text: cleanText(page.text, own).text };
  });
}

/** What a commit may add, and the known pages to which it has found a nearer way. */
interface FoundByKnown {
  fresh: Discovery[];
  nearer: Discovery[];
}

/** Asks the ledger about the URLs that this isolate may have committed and forgotten. */
async function bySeen({ found, seen, context }: Gathering, { ledger }: Pick<Deps, "ledger">): Promise<FoundByKnown> {
  const maybe = [...found.keys()].filter((url) => seen.ask(url) === "maybe");
  const unknown = maybe.length > 0 ? await ledger.unknown(context.crawl.id, maybe) : new Set<string>();
  const known = new Set(maybe.filter((url) => !unknown.has(url)));
  return { fresh: [...found.values()].filter(({ url }) => !known.has(url)), nearer: [] };
}

/** Asks the ledger about all, because it alone knows their depths. */
async function byDepth({ found, context }: Gathering, { ledger }: Pick<Deps, "ledger">): Promise<FoundByKnown> {
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

/** A page that a watch completes for the first time, for its readers. */
function newPageOf({ work, outcome }: Attempt): string[] {
  return work.kind === "page" && work.row.kind === "page" && outcome.status === "completed" ? [outcome.url] : [];
}

/** What the contents of pages say, by their URLs. */
interface ComparedContents {
  /**
   * Pages whose links are not followed: `maxDuplicates` pages with their content lead from the seed to them, so their
   * links would lead to the same page again. Pages that are alike in other places of the site are no trap. A page that
   * a browser drew is not its answer, which is often the same for a whole site.
   */
  duplicates: Set<string>;
  /** The first pages of their contents in the crawl: they are listed. Pages of a watch get other contents later. */
  firsts: Set<string>;
}

/** Most pages have no copy in the crawl, and then their way is not looked up. */
async function compareContents(
  attempts: Attempt[],
  context: CrawlContext,
  deps: Pick<Deps, "ledger">,
): Promise<ComparedContents> {
  const { id, options } = context.crawl;
  const { maxDuplicates } = options.traps;
  const stored = attempts.flatMap(({ work, outcome: { url, status, sha256, packed, rendered }, links }) =>
    work.kind === "page" && sha256 !== null
      ? [{ url, via: work.row.via, sha256, status, packed, isLinking: rendered === undefined && links.length > 0 }]
      : [],
  );
  if (stored.length === 0) return { duplicates: new Set(), firsts: new Set() };
  const copies = await deps.ledger.copies(id, [...new Set(stored.map(({ sha256 }) => sha256))], maxDuplicates);
  const fresh = stored.filter(
    ({ status, sha256, packed }) => status === "completed" && !copies.get(sha256) && packed?.revisits == null,
  );
  const firsts = options.watch === null ? new Map(fresh.map(({ sha256, url }) => [sha256, url])).values() : [];
  const suspects = stored.filter(({ isLinking, sha256 }) => isLinking && (copies.get(sha256) ?? 0) >= maxDuplicates);
  if (suspects.length === 0 || options.source === "sitemaps") return { duplicates: new Set(), firsts: new Set(firsts) };
  const before = await deps.ledger.copiesBefore(id, suspects, maxDuplicates);
  const duplicates = suspects.map(({ url }) => url).filter((url) => (before.get(url) ?? 0) >= maxDuplicates);
  return { duplicates: new Set(duplicates), firsts: new Set(firsts) };
}

/** The sitemaps that the crawl still accepts, each once. The others are refused. */
async function withinRoom(gathering: Gathering, deps: Pick<Deps, "sitemaps">): Promise<SitemapDiscovery[]> {
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
