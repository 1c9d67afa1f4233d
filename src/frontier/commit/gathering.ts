import type { Discovery, SitemapDiscovery } from "../../crawl/crawl.ts";
import { hasDepthLimit } from "../../crawl/crawl-options.ts";
import { ASSET_PRIORITY, DESCRIBED_LEVEL, isDescribed } from "../../crawl/page/url-kind.ts";
import type { Withheld } from "../../crawl/watch/withheld-url.ts";
import type { LinkSample } from "../../media/document.ts";
import type { Refusal } from "../../scope/refusal.ts";
import { decideScope, type ScopeDecision } from "../../scope/scope.ts";
import { decideTrap } from "../../scope/traps.ts";
import type { CrawlCommit, PageRefusals } from "../../store/ledger/ledger-commit.ts";
import { MAX_URL_LENGTH } from "../../url/canonicalize.ts";
import type { CrawlContext } from "../context.ts";
import type { SeenFilter } from "./seen-filter.ts";

/** Collects the findings of one crawl's attempts from pages and sitemaps. */

const EXAMPLES = 3;

export class Gathering {
  readonly context: CrawlContext;
  readonly seen: SeenFilter;
  /** Accepted, each once. */
  readonly found = new Map<string, Discovery>();
  readonly sitemaps: SitemapDiscovery[] = [];
  /** The URLs of those of them that pages name. */
  readonly linkedSitemaps = new Set<string>();
  /** Dates that sitemaps give, for new, known and refused URLs. */
  readonly dated: CrawlCommit["dated"] = [];
  /** Dates in sitemaps of a watch that were read again. */
  readonly listed: CrawlCommit["dated"] = [];
  /** The assets of pages and style sheets that a visit found changed. */
  readonly shown = new Set<string>();
  /** Origins that a seed redirected to. */
  readonly joinedOrigins = new Set<string>();
  /** Text to append to the detail of a page's or a sitemap's outcome, by URL. A leading "; " joins it to the rest. */
  readonly notes = new Map<string, string>();
  /** Whether a nearer way to a known page matters. */
  readonly hasDepthLimit: boolean;
  /** URLs that rules hold back. */
  readonly withheld: Withheld[] = [];
  /** What the seen filter remembers of them. */
  readonly withheldKeys: string[] = [];
  readonly #refused = new Map<string, PageRefusals>();

  constructor(context: CrawlContext, seen: SeenFilter) {
    this.context = context;
    this.seen = seen;
    this.hasDepthLimit = hasDepthLimit(context.crawl.options);
  }

  /**
   * Whether a link at this depth certainly brings nothing: its page is known, and a nearer way to it does not matter.
   */
  isKnown(url: string, depth: number): boolean {
    if (!this.hasDepthLimit || depth > this.context.scope.depth) return this.seen.isRecent(url);
    return this.seen.isRecent(keyAt(url, depth));
  }

  /** What the seen filter remembers of the found URLs once they are in the ledger. */
  *seenKeys(): Generator<string> {
    for (const { url, kind, depth } of this.found.values()) {
      yield url;
      if (this.hasDepthLimit && kind === "page") yield keyAt(url, depth);
    }
  }

  /**
   * A URL that is found twice in a batch keeps the shorter path and the date; of two equal paths, the one that does not
   * make it a URL of a growing pattern. A URL that is linked and shown is an asset, and one that is stored wins over
   * one that is described. With a subject, the link with the best score says where it was found.
   */
  add(found: Discovery): void {
    const discovery = this.#asMedia(found);
    const known = this.found.get(discovery.url);
    if (known === undefined) return void this.found.set(discovery.url, discovery);
    const nearest = isNearer(discovery, known) ? discovery : known;
    const best = scoreOf(discovery) > scoreOf(known) ? discovery : known;
    const score = best.found === undefined ? {} : { via: best.via, found: best.found };
    this.found.set(discovery.url, { ...nearest, ...score, lastmod: known.lastmod ?? discovery.lastmod });
  }

  /** A link to a media file is no page: it is described, and counts towards no page limit. */
  #asMedia(found: Discovery): Discovery {
    if (found.kind !== "page" || !this.context.isMedia(found.url)) return found;
    return { ...found, kind: "asset", chain: DESCRIBED_LEVEL, priority: ASSET_PRIORITY, pattern: null };
  }

  /** Accepts a link, or counts it with the reason of its refusal. */
  decide(link: Discovery, from: PageRefusals["in"]): void {
    const decision = decideLink(this.context, link);
    if (decision.accept) this.add(link);
    else this.refuse(link.via ?? "", from, decision.reason, [link.url]);
  }

  /** Notes URLs that rules hold back. `keyOf`: what the seen filter remembers of one. */
  hold(withheld: readonly Withheld[], keyOf: (url: string) => string): void {
    this.withheld.push(...withheld);
    for (const { urls } of withheld) this.withheldKeys.push(...urls.map(({ url }) => keyOf(url)));
  }

  /** `page`: the page or sitemap that holds the links; it has a row in the table `from`. */
  refuse(page: string, from: PageRefusals["in"], reason: Refusal, urls: readonly string[]): void {
    this.refuseSample(page, from, reason, { count: urls.length, examples: urls });
  }

  /** Like `refuse`, for links that the page fetcher has counted. */
  refuseSample(page: string, from: PageRefusals["in"], reason: Refusal, { count, examples }: LinkSample): void {
    if (count === 0) return;
    const key = `${reason} ${from} ${page}`;
    const entry = this.#refused.get(key) ?? { page, in: from, reason, count: 0, examples: [] };
    entry.count += count;
    const taken = examples.slice(0, EXAMPLES - entry.examples.length);
    entry.examples.push(...taken.map((url) => url.slice(0, MAX_URL_LENGTH)));
    this.#refused.set(key, entry);
  }

  get refusals(): PageRefusals[] {
    return [...this.#refused.values()];
  }
}

/** The key under which the seen filter remembers a page that is at most this deep. No URL has a space. */
function keyAt(url: string, depth: number): string {
  return `${depth} ${url}`;
}

function scoreOf({ found }: Discovery): number {
  return found?.score ?? -1;
}

function isNearer(found: Discovery, known: Discovery): boolean {
  if (found.kind !== known.kind) return found.kind === "asset";
  if (isDescribed(found) !== isDescribed(known)) return isDescribed(known);
  return found.depth < known.depth || (found.depth === known.depth && found.chain < known.chain);
}

/** Asks scope, then the traps that a URL shows by itself, then the chain of variants that it ends. */
export function decideLink(context: CrawlContext, { url, via, depth, chain }: Discovery): ScopeDecision {
  const decision = decideScope(context.scope, url, depth);
  if (!decision.accept) return decision;
  const { traps } = context.crawl.options;
  const trap = decideTrap(traps, url, via ?? url);
  if (trap !== null) return { accept: false, ...trap };
  if (chain <= traps.maxChain) return decision;
  return { accept: false, reason: "chain", detail: `${chain} in a row` };
}
