import { isPlainPath, MAX_URL_LENGTH } from "../../url/canonicalize.ts";
import type { EncodeQuery } from "../characters/query-encoding.ts";

/** Characters of the text of a link that are kept. */
export const MAX_ANCHOR_TEXT = 80;

/** Resolves the links of a document: from what it writes to canonical URLs, each once. */

/**
 * `script` is no link, but a URL found in a script, in JSON or in a `data-*` attribute. `page` and `sitemap` are the
 * entries of a sitemap. `form` is a search form that was filled in.
 */
export type LinkKind = "a" | "area" | "frame" | "iframe" | "link" | "refresh" | "script" | "page" | "sitemap" | "form";

/** `navigation`: in a menu, a header, a footer, a sidebar or the like. */
export type LinkPlace = "navigation" | "content";

interface LinkDetails {
  /** The relations in lower case, separated by spaces; at most 200 characters. */
  rel: string;
  /** The anchor text, white space collapsed; at most 80 characters. */
  text: string;
  place: LinkPlace;
  /** What scripts do with it instead of a GET, such as `data-method=delete`, or ask before. Absent for nothing. */
  acts?: string;
}

/** A link as it is written. */
export interface RawLink extends LinkDetails {
  href: string;
  kind: LinkKind;
  nofollow: boolean;
  /** The text around it, at most some 200 characters. Absent unless requested, and if there is none. */
  around?: string;
}

/** One link of a page, as it stands there. */
export interface PageLink extends LinkDetails {
  /** Canonical, without a fragment. The page's own URL for a place in the page. */
  url: string;
  kind: LinkKind;
  nofollow: boolean;
  /** What follows `#`, as written; null if there is no `#`. */
  fragment: string | null;
  /** As in RawLink. */
  around?: string;
}

/**
 * All links of a page to one URL. `rel`, `text` and `place` are those of the first link in content, or else of the
 * first. Entries of a sitemap have none, and neither have links that earlier versions stored.
 */
export interface Link extends Partial<LinkDetails> {
  /** Canonical. */
  url: string;
  kind: LinkKind;
  /** Whether every link to this URL says `nofollow`. A guess from a script does not count: it cannot say so. */
  nofollow: boolean;
  /** For an entry of a sitemap, when it last changed: milliseconds since the epoch. */
  lastmod?: number | null;
}

/** `canonicalize` of url/. Returns null for what cannot be fetched. */
export type Canonicalize = (href: string, base: string) => string | null;

/** Links that a limit drops: how many, and canonical URLs of the first few. */
export class DroppedLinks {
  count = 0;
  readonly examples: string[] = [];

  /** Whether it needs further examples. */
  get needsExamples(): boolean {
    return this.examples.length < MAX_DROPPED_EXAMPLES;
  }

  /** `url`: null for a link that was not resolved. */
  add(url: string | null): void {
    this.count += 1;
    if (url !== null && this.needsExamples) this.examples.push(url);
  }
}

export interface ResolvedLinks {
  /** Each URL once. */
  links: Link[];
  /** Links to distinct URLs beyond a limit. */
  dropped: DroppedLinks;
  /** Each distinct link once, in document order. */
  pageLinks: PageLink[];
  /** The number of links, as written, that a limit leaves out of `pageLinks`. */
  droppedPageLinks: number;
}

const MAX_INVALID_EXAMPLES = 10;
const MAX_EXAMPLE_LENGTH = 500;
const MAX_DROPPED_EXAMPLES = 3;
/** Distinct hrefs that are resolved per page. */
const MAX_HREFS = 250_000;
/**
 * Limit for all links of a page together. They go from one Worker invocation to another, which may carry 32 MiB, beside
 * a body of up to 10: https://developers.cloudflare.com/workers/runtime-apis/rpc/#limitations
 */
const MAX_CHARACTERS = 16_000_000;
/** Distinct links that are kept per page. As objects they take about 20 MB. */
const MAX_PAGE_LINKS = 100_000;

/** RFC 3986 3.1. */
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const NAME_START = /[\w-]/;
const TABS_AND_NEWLINES = /[\t\n\r]/;
const ALL_TABS_AND_NEWLINES = /[\t\n\r]+/g;

/**
 * Resolves the hrefs of one page. Parsing URLs costs the most, so each distinct href is parsed once, and a plain path
 * never.
 */
export class HrefResolver {
  /** Distinct hrefs that are no URL: how many, and the first ten. */
  invalidCount = 0;
  readonly invalid: string[] = [];

  readonly #known = new Map<string, string | null>();
  readonly #base: string;
  readonly #origin: string;
  /** The origin as canonical URLs write it; null if none can have it. */
  readonly #canonicalOrigin: string | null;
  /**
   * The base URL up to the last slash of its path; null if it is longer than any crawled URL, because it would be
   * parsed with each link.
   */
  readonly #directory: string | null;
  readonly #baseIsPage: boolean;
  readonly #canonicalize: Canonicalize;
  readonly #encodeQuery: EncodeQuery | null;

  /** `base`: the document's base URL, from `documentBase`. `encodeQuery`: for a page whose queries are not in UTF-8. */
  constructor(base: string, pageUrl: string, canonicalize: Canonicalize, encodeQuery: EncodeQuery | null = null) {
    const parsed = URL.parse(base);
    this.#origin = parsed?.origin ?? "";
    this.#canonicalOrigin = canonicalize(`${this.#origin}/`, base)?.slice(0, -1) ?? null;
    const path = parsed?.pathname ?? "";
    const isLong = base.length > MAX_URL_LENGTH;
    this.#base = isLong ? `${this.#origin}/` : base;
    this.#directory = isLong ? null : this.#origin + path.slice(0, path.lastIndexOf("/") + 1);
    this.#baseIsPage = base === pageUrl;
    this.#canonicalize = canonicalize;
    this.#encodeQuery = encodeQuery;
  }

  /** Whether the limit of distinct hrefs is reached. No honest page reaches it. */
  get isFull(): boolean {
    return this.#known.size >= MAX_HREFS;
  }

  /** Whether `written` leads to a place in the page itself, such as `#top`. */
  isOwnPlace(written: string): boolean {
    return this.#baseIsPage && stripHref(written) === "";
  }

  /**
   * Returns the canonical URL without fragment. Returns null for a place in the page itself and for a scheme other than
   * http and https (neither counts as invalid), and for what is no URL.
   */
  resolve(written: string): string | null {
    if (this.#canonicalOrigin !== null && isPlainPath(written)) return this.#canonicalOrigin + written;
    const href = stripHref(written);
    if (href === "" && this.#baseIsPage) return null;
    const known = this.#known.get(href);
    if (known !== undefined) return known;
    const url = this.#resolveOnce(this.#encodeQuery === null ? href : this.#encodeQuery(href));
    this.#known.set(href, url);
    return url;
  }

  #resolveOnce(href: string): string | null {
    const scheme = SCHEME.exec(href)?.[0].toLowerCase();
    if (scheme !== undefined && scheme !== "http:" && scheme !== "https:") return null;
    const absolute = scheme === undefined ? this.#absolute(href) : href;
    const url = absolute === null ? null : this.#canonicalize(absolute, this.#base);
    if (url === null) {
      this.invalidCount += 1;
      if (this.invalid.length < MAX_INVALID_EXAMPLES) this.invalid.push(href.slice(0, MAX_EXAMPLE_LENGTH));
    }
    return url;
  }

  /**
   * Completes the href where that is simple: the origin before an absolute path, the directory before a name. An
   * absolute URL needs no base, and parsing the base is half of the cost. Returns other hrefs as they are, and null
   * below a base that is too long.
   */
  #absolute(href: string): string | null {
    const [first = "", second] = href;
    if (first === "/" && second !== "/" && second !== "\\") return this.#origin + href;
    if (this.#directory === null) return first === "/" || first === "\\" ? href : null;
    return NAME_START.test(first) ? this.#directory + href : href;
  }
}

/**
 * Returns links in the order given: each distinct link, and each URL once, under the kind of the first link to it. The
 * first link beyond a limit is dropped, and so is what follows. After the examples it is counted as it is written,
 * because resolving it costs the most: a URL that is written twice counts twice.
 */
export function resolveLinks(
  written: Iterable<RawLink>,
  resolver: HrefResolver,
  pageUrl: string,
  maxLinks: number,
): ResolvedLinks {
  const links = new Map<string, Link>();
  const dropped = new DroppedLinks();
  const pageLinks: PageLink[] = [];
  /** The only link to each URL so far; null once there are two, whose keys are in `keys`. Few URLs need a key. */
  const only = new Map<string, PageLink | null>();
  const keys = new Set<string>();
  let droppedPageLinks = 0;
  let charactersLeft = MAX_CHARACTERS;
  for (const raw of written) {
    const isCut = dropped.count > 0 || resolver.isFull;
    if (isCut && !dropped.needsExamples) {
      dropped.add(null);
      droppedPageLinks += 1;
      continue;
    }
    const link = resolveLink(raw, resolver, pageUrl);
    if (link === null) continue;
    if (!isInnerLink(link, pageUrl) && !links.has(link.url)) {
      charactersLeft -= link.url.length;
      if (isCut || links.size >= maxLinks || charactersLeft < 0) {
        dropped.add(link.url);
        droppedPageLinks += 1;
        continue;
      }
    }
    mergeLink(links, link, pageUrl);
    const first = only.get(link.url);
    if (first !== undefined) {
      if (first !== null) keys.add(keyOf(first));
      only.set(link.url, null);
      const key = keyOf(link);
      if (keys.has(key)) continue;
      if (pageLinks.length < MAX_PAGE_LINKS) keys.add(key);
    }
    if (pageLinks.length === MAX_PAGE_LINKS) {
      droppedPageLinks += 1;
      continue;
    }
    if (first === undefined) only.set(link.url, link);
    pageLinks.push(link);
  }
  return { links: [...links.values()], dropped, pageLinks, droppedPageLinks };
}

/** Null for what cannot be fetched. */
function resolveLink(raw: RawLink, resolver: HrefResolver, pageUrl: string): PageLink | null {
  const { href, kind, nofollow, rel, text, place, around, acts } = raw;
  const fragment = fragmentOf(href);
  const url = resolver.resolve(href) ?? (fragment !== null && resolver.isOwnPlace(href) ? pageUrl : null);
  if (url === null) return null;
  const link = { url, kind, nofollow, rel, text, place, fragment, ...(acts === undefined ? {} : { acts }) };
  return around === undefined ? link : { ...link, around };
}

/** A link to a place in its own page is no outlink. */
function isInnerLink({ url, fragment }: PageLink, pageUrl: string): boolean {
  return fragment !== null && url === pageUrl;
}

function keyOf({ url, kind, rel, text, place, fragment }: PageLink): string {
  return `${url}${fragment === null ? "" : `#${fragment}`}\n${text}\n${rel}\n${kind} ${place}`;
}

/** Merges the links of the page at `pageUrl` by their URLs, as `Document.links` has them. */
export function mergeLinks(pageLinks: Iterable<PageLink>, pageUrl: string): Link[] {
  const links = new Map<string, Link>();
  for (const link of pageLinks) mergeLink(links, link, pageUrl);
  return [...links.values()];
}

function mergeLink(links: Map<string, Link>, link: PageLink, pageUrl: string): void {
  if (isInnerLink(link, pageUrl)) return;
  const { url, kind, nofollow, rel, text, place } = link;
  const first = links.get(url);
  if (first === undefined) {
    links.set(url, { url, kind, nofollow, rel, text, place });
    return;
  }
  first.nofollow &&= nofollow || kind === "script";
  if (place === "content" && first.place === "navigation") Object.assign(first, { rel, text, place });
}

/**
 * Returns the URL against which relative links are resolved. `baseHref`: the `href` of the document's first `base` that
 * has one. This is HTML's "document base URL", but a base is ignored unless it is http or https.
 * https://html.spec.whatwg.org/multipage/urls-and-fetching.html#document-base-url
 */
export function documentBase(baseHref: string | null, pageUrl: string): string {
  if (baseHref === null) return pageUrl;
  const base = URL.parse(baseHref, pageUrl);
  return base !== null && (base.protocol === "https:" || base.protocol === "http:") ? base.href : pageUrl;
}

/**
 * Strips an href as the URL standard's parser does, and drops its fragment. A fragment after a space stays: that space
 * is part of the URL, and would be trimmed as its last character. https://url.spec.whatwg.org/#concept-basic-url-parser
 */
function stripHref(written: string): string {
  let start = 0;
  let end = written.length;
  while (start < end && written.charCodeAt(start) <= 32) start++;
  while (end > start && written.charCodeAt(end - 1) <= 32) end--;
  let href = written.slice(start, end);
  if (TABS_AND_NEWLINES.test(href)) href = href.replace(ALL_TABS_AND_NEWLINES, "");
  const fragmentAt = href.indexOf("#");
  if (fragmentAt === -1 || (fragmentAt > 0 && href.charCodeAt(fragmentAt - 1) <= 32)) return href;
  return href.slice(0, fragmentAt);
}

/** What follows the first `#` of an href, stripped as the rest of it; null if there is none. */
function fragmentOf(written: string): string | null {
  const at = written.indexOf("#");
  if (at === -1) return null;
  let end = written.length;
  while (end > at && written.charCodeAt(end - 1) <= 32) end--;
  return written.slice(at + 1, end).replace(ALL_TABS_AND_NEWLINES, "");
}
