import { isPlainPath, MAX_URL_LENGTH } from "../url/canonicalize.ts";
import type { EncodeQuery } from "./query-encoding.ts";

/** Resolves the links of a document: from what it writes to canonical URLs, each once. */

/**
 * `script` is no link, but a URL found in a script, in JSON or in a `data-*` attribute. `page` and `sitemap` are the
 * entries of a sitemap.
 */
export type LinkKind = "a" | "area" | "frame" | "iframe" | "link" | "refresh" | "script" | "page" | "sitemap";

/** `navigation`: in a menu, a header, a footer, a sidebar or the like. */
export type LinkPlace = "navigation" | "content";

export interface LinkDetails {
  /** The relations in lower case, separated by spaces; at most 200 characters. */
  rel: string;
  /** The anchor text, white space collapsed; at most 80 characters. */
  text: string;
  place: LinkPlace;
}

/** A link as it is written. */
export interface RawLink {
  href: string;
  kind: LinkKind;
  nofollow: boolean;
  /** Null unless requested. */
  details: LinkDetails | null;
}

/**
 * `rel`, `text` and `place` are there where they were requested: those of the first link to this URL in content, or
 * else of the first.
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

interface ResolvedLinks {
  links: Link[];
  dropped: DroppedLinks;
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

/** RFC 3986 3.1. */
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const NAME_START = /[\w-]/;
const TABS_AND_NEWLINES = /[\t\n\r]/;

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
 * Returns links in the order given, each URL once, under the kind of the first link to it. The first link beyond a
 * limit is dropped, and so is what follows. After the examples it is counted as it is written, because resolving it
 * costs the most: a URL that is written twice counts twice.
 */
export function resolveLinks(written: Iterable<RawLink>, resolver: HrefResolver, maxLinks: number): ResolvedLinks {
  const links = new Map<string, Link>();
  const dropped = new DroppedLinks();
  let charactersLeft = MAX_CHARACTERS;
  for (const { href, kind, nofollow, details } of written) {
    const isCut = dropped.count > 0 || resolver.isFull;
    if (isCut && !dropped.needsExamples) {
      dropped.add(null);
      continue;
    }
    const url = resolver.resolve(href);
    if (url === null) continue;
    const first = links.get(url);
    if (first !== undefined) {
      first.nofollow &&= nofollow || kind === "script";
      if (details?.place === "content" && first.place === "navigation") Object.assign(first, details);
      continue;
    }
    charactersLeft -= url.length;
    if (isCut || links.size >= maxLinks || charactersLeft < 0) {
      dropped.add(url);
      continue;
    }
    links.set(url, details === null ? { url, kind, nofollow } : { url, kind, nofollow, ...details });
  }
  return { links: [...links.values()], dropped };
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
  if (TABS_AND_NEWLINES.test(href)) href = href.replace(/[\t\n\r]+/g, "");
  const fragmentAt = href.indexOf("#");
  if (fragmentAt === -1 || (fragmentAt > 0 && href.charCodeAt(fragmentAt - 1) <= 32)) return href;
  return href.slice(0, fragmentAt);
}
