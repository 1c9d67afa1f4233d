import { isPlainPath, MAX_URL_LENGTH } from "../../url/canonicalize.ts";

/** From the links as a page writes them to the URLs that they name: resolved, canonical, each once. */

/** `script`: no link, but a URL found in a script, in JSON or in a `data-*` attribute. */
export type LinkKind = "a" | "area" | "frame" | "iframe" | "link" | "refresh" | "script";

/** A link as it was written. */
export interface RawLink {
  href: string;
  kind: LinkKind;
  nofollow: boolean;
}

export interface OutLink {
  /** Canonical. */
  url: string;
  kind: LinkKind;
  /** Whether every link to this URL says so: one that does not is leave enough, but a script's, which cannot say, is none. */
  nofollow: boolean;
}

/** `canonicalize` of url/: null for what is no URL to be fetched. */
export type Canonicalize = (href: string, base: string) => string | null;

export interface ResolvedLinks {
  links: OutLink[];
  /** Whether the page holds more than the limit. */
  truncated: boolean;
}

const MAX_INVALID_EXAMPLES = 10;
const MAX_EXAMPLE_LENGTH = 500;
/** Hrefs of a page that are looked at, each as often as it is written differently: five times as many as it may have links. */
const MAX_HREFS = 50_000;
/**
 * Of all links of a page. They go from one Worker invocation to another, which takes 32 MiB, together with a body of 10 at the most:
 * https://developers.cloudflare.com/workers/runtime-apis/rpc/#limitations
 */
const MAX_CHARACTERS = 16_000_000;

/** RFC 3986 3.1. */
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const NAME_START = /[\w-]/;
const TABS_AND_NEWLINES = /[\t\n\r]/;

/** Resolves the hrefs of one page. Parsing URLs is most of the cost, so it is done once for each that is written differently, and not for plain paths. */
export class HrefResolver {
  /** Distinct hrefs that name no URL: how many, and the first ten. */
  invalidCount = 0;
  readonly invalid: string[] = [];

  readonly #known = new Map<string, string | null>();
  readonly #base: string;
  readonly #origin: string;
  /** The same in canonical URLs; null where they cannot have it. */
  readonly #canonicalOrigin: string | null;
  /** The base URL up to the last slash of its path; null where that is longer than any URL that is crawled, and would be parsed with each link. */
  readonly #directory: string | null;
  readonly #baseIsPage: boolean;
  readonly #canonicalize: Canonicalize;

  /** `base`: the document's base URL, from `documentBase`. */
  constructor(base: string, pageUrl: string, canonicalize: Canonicalize) {
    const parsed = URL.parse(base);
    this.#origin = parsed?.origin ?? "";
    this.#canonicalOrigin = canonicalize(`${this.#origin}/`, base)?.slice(0, -1) ?? null;
    const path = parsed?.pathname ?? "";
    const isLong = base.length > MAX_URL_LENGTH;
    this.#base = isLong ? `${this.#origin}/` : base;
    this.#directory = isLong ? null : this.#origin + path.slice(0, path.lastIndexOf("/") + 1);
    this.#baseIsPage = base === pageUrl;
    this.#canonicalize = canonicalize;
  }

  /** Whether so many hrefs were resolved that the page is up to no good. */
  get isFull(): boolean {
    return this.#known.size >= MAX_HREFS;
  }

  /**
   * The canonical URL without fragment, or null: for a place in the page itself, for a scheme that is not http or https (neither is
   * counted), and for what is no URL.
   */
  resolve(written: string): string | null {
    if (this.#canonicalOrigin !== null && isPlainPath(written)) return this.#canonicalOrigin + written;
    const href = stripHref(written);
    if (href === "" && this.#baseIsPage) return null;
    const known = this.#known.get(href);
    if (known !== undefined) return known;
    const url = this.#resolveOnce(href);
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
   * The href with what it leaves out put before it, where that is plain to see: the origin before an absolute path, the directory before
   * a name. An absolute URL needs no base, and parsing that is half of the cost. Others come back as they are. Null below a base that is
   * too long.
   */
  #absolute(href: string): string | null {
    const [first = "", second] = href;
    if (first === "/" && second !== "/" && second !== "\\") return this.#origin + href;
    if (this.#directory === null) return first === "/" || first === "\\" ? href : null;
    return NAME_START.test(first) ? this.#directory + href : href;
  }
}

/** Links in the order given, each URL once, under the kind of the first that names it; those beyond a limit are left out. */
export function resolveLinks(written: Iterable<RawLink>, resolver: HrefResolver, maxLinks: number): ResolvedLinks {
  const links = new Map<string, OutLink>();
  let charactersLeft = MAX_CHARACTERS;
  for (const { href, kind, nofollow } of written) {
    if (resolver.isFull) return { links: [...links.values()], truncated: true };
    const url = resolver.resolve(href);
    if (url === null) continue;
    const first = links.get(url);
    if (first !== undefined) {
      first.nofollow &&= nofollow || kind === "script";
      continue;
    }
    charactersLeft -= url.length;
    if (links.size >= maxLinks || charactersLeft < 0) return { links: [...links.values()], truncated: true };
    links.set(url, { url, kind, nofollow });
  }
  return { links: [...links.values()], truncated: false };
}

/**
 * The URL from which a page's relative links are seen, given the `href` of its first `base` that has one.
 * HTML "document base URL", except that a base of any scheme but http and https is ignored, not those of `data:` and `javascript:` alone.
 * https://html.spec.whatwg.org/multipage/urls-and-fetching.html#document-base-url
 */
export function documentBase(baseHref: string | null, pageUrl: string): string {
  if (baseHref === null) return pageUrl;
  const base = URL.parse(baseHref, pageUrl);
  return base !== null && (base.protocol === "https:" || base.protocol === "http:") ? base.href : pageUrl;
}

/**
 * The URL in the `content` of `meta http-equiv=refresh`, as written: null where it names none (the page itself) or is not valid.
 * https://html.spec.whatwg.org/multipage/semantics.html#shared-declarative-refresh-steps
 */
export function parseRefresh(content: string): string | null {
  const time = /^[\t\n\f\r ]*[\d.][\d.]*(?:[\t\n\f\r ]*[;,]|[\t\n\f\r ]|$)[\t\n\f\r ]*/.exec(content);
  if (time === null) return null;
  const rest = content.slice(time[0].length).replace(/^url[\t\n\f\r ]*=[\t\n\f\r ]*/i, "");
  const quote = rest[0];
  if (quote !== '"' && quote !== "'") return rest === "" ? null : rest;
  const end = rest.indexOf(quote, 1);
  return rest.slice(1, end === -1 ? undefined : end) || null;
}

/**
 * The href as the URL standard's parser would see it, without its fragment. A fragment after a space stays, for that space, which is
 * part of the URL, would be trimmed as the last character. https://url.spec.whatwg.org/#concept-basic-url-parser
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
