/** The facts about all URLs of a site in typed arrays by node: nine bytes for each URL. */

/** What a URL is to the links that lead to it. */
export const UrlState = {
  /** Nothing is known of it: it was not fetched, or robots.txt forbids it. */
  unread: 0,
  /** An HTML page whose links were kept. */
  page: 1,
  /** Anything else that was read. It has no ids, title or canonical URL to check. */
  document: 2,
  redirect: 3,
  /** It was asked for, and there is nothing to read. */
  broken: 4,
  /** A page that asks not to be indexed. Its links are known. */
  noindex: 5,
} as const;
export type UrlState = (typeof UrlState)[keyof typeof UrlState];

/** The clicks of a page that links do not reach. */
export const NO_CLICKS = 0xffff;

export interface SiteFacts {
  /** The node of a canonical URL; null if the crawl has no row of it. */
  findNode(url: string): number | null;
  states: Uint8Array;
  /** The status of the last answer; 0 without one. */
  httpStatuses: Uint16Array;
  /** Clicks from the nearest seed; see ClickDepths. */
  clicks: Uint16Array;
  /** Nodes that link to each node, itself not counted; a redirect counts as a link. */
  inLinks: Uint32Array;
  /** Whether pages without clicks are certainly not reached. */
  areClicksCounted: boolean;
  /** Where each redirect leads: its node and the canonical target. */
  redirects: Pick<ReadonlyMap<number, string>, "get">;
  /** The nodes that redirects lead to. */
  redirectTargets: Pick<ReadonlySet<number>, "has">;
  /** The first pages that link to a redirect, by its node. */
  redirectSources: ReadonlyMap<number, readonly string[]>;
  /** By node, 1 for a URL that a sitemap lists. Null if the crawl read no sitemap, or did not keep what they list. */
  listed: Uint8Array | null;
  /** URLs that an analysis asked for, of other sites and of this one, and that do not exist. */
  brokenExternals: ReadonlyMap<string, BrokenExternal>;
}

export interface BrokenExternal {
  /** 404 or 410; 0 for a name that does not exist. */
  httpStatus: number;
  /** Whether that is the answer at the end of redirects. */
  isRedirected: boolean;
}

interface RedirectEnd {
  /** Null for a URL without a row. */
  node: number | null;
  state: UrlState;
  /** The URLs that follow the first, in order. That of a loop ends with the first URL that comes again. */
  hops: string[];
  isLoop: boolean;
}

/** Follows the redirects of a site from a node to their end. */
export function followRedirects(start: number, startUrl: string, site: SiteFacts): RedirectEnd {
  const state = stateOf(start, site);
  // Most links lead to a page at once, and a pass follows all of them.
  if (state !== UrlState.redirect) return { node: start, state, hops: [], isLoop: false };
  const hops: string[] = [];
  const seen = new Set([startUrl]);
  let node: number | null = start;
  let url: string | undefined = startUrl;
  while (node !== null && stateOf(node, site) === UrlState.redirect) {
    url = site.redirects.get(node);
    if (url === undefined) return { node: null, state: UrlState.unread, hops, isLoop: false };
    hops.push(url);
    if (seen.has(url)) return { node, state: UrlState.redirect, hops, isLoop: true };
    seen.add(url);
    node = site.findNode(url);
  }
  return { node, state: stateOf(node, site), hops, isLoop: false };
}

export function stateOf(node: number | null, { states }: SiteFacts): UrlState {
  return node === null ? UrlState.unread : (states[node] as UrlState);
}

/** Why a URL is broken, for people. */
export function describeStatus(httpStatus: number): string {
  return httpStatus === 0 ? "no answer" : `status ${httpStatus}`;
}
