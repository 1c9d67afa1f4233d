import { keepShape } from "../../core/shapes.ts";
import type { Canonicalize, OutLink, RawLink } from "./links.ts";
import { documentBase, HrefResolver, parseRefresh, resolveLinks } from "./links.ts";
import { metaDirectives } from "./page-robots.ts";
import type { HtmlDocument, HtmlElement } from "./parse-html.ts";
import { ScriptLinks } from "./script-links.ts";

/** What a page says of itself and what it links to, gathered in one walk over its elements. */

export interface Page {
  /** The first `title`, white space collapsed, at most 500 characters. */
  title: string | null;
  /** `meta name=description`, likewise, at most 1,000 characters. */
  description: string | null;
  /** The `lang` of `html`, as written. */
  language: string | null;
  /** Directives of `meta name=robots`, and of a `meta` with the name of our agent; lower case, each once. */
  robots: string[];
  /** What relative links are seen from: the page's URL, or what its `base` says. */
  base: string;
  /** `link rel=canonical`, canonical. */
  canonical: string | null;
  /** Where `meta http-equiv=refresh` leads, canonical; null where to the page itself. */
  refresh: string | null;
  /** In document order, each URL once; `canonical` and `refresh` are among them. What only scripts name comes last. */
  links: OutLink[];
  /** Whether some are left out: there are more than `maxLinks`, or than anybody would write. */
  truncated: boolean;
  /** Distinct links that are no URL: how many, and the first ten. */
  invalidCount: number;
  invalid: string[];
}

export interface ExtractOptions {
  maxLinks?: number;
  /** Our product token: a `meta` with this name speaks to us alone. */
  agent?: string;
  /** Whether URLs in scripts, JSON and `data-*` attributes are links too, of kind `script`: up to 1,000. They are guesses, so it is off. */
  scriptLinks?: boolean;
}

const MAX_LINKS = 10_000;
const MAX_TITLE = 500;
const MAX_DESCRIPTION = 1_000;
const HTML = "http://www.w3.org/1999/xhtml";
const FOLLOWED_RELATIONS = ["next", "prev", "alternate", "canonical"];
/** Of one `rel`. */
const MAX_RELATIONS = 100;
const PAGE_TYPE = /^[\t\n\f\r ]*(?:text\/html|application\/xhtml\+xml|$)/i;

/**
 * `pageUrl`: where the page was found after redirects, absolute and http or https. Links in `noscript` count, for a crawler runs no
 * scripts, and those in `noframes` and `iframe`, for it shows no frames; those in a `template` do not, unless it is a declarative shadow
 * root. `noembed` and all after `plaintext` is text to a browser, though not to the parser. Throws nothing that `canonicalize` does not.
 */
export function extractPage(
  document: HtmlDocument,
  pageUrl: string,
  canonicalize: Canonicalize,
  options: ExtractOptions = {},
): Page {
  const scripts = options.scriptLinks === true ? new ScriptLinks() : null;
  const found = gather(document, options.agent?.toLowerCase() || "robots", scripts);
  if (scripts !== null) found.links.push(...scripts.links);
  const base = documentBase(found.baseHref, pageUrl);
  const resolver = keepShape(new HrefResolver(base, pageUrl, canonicalize));
  return {
    title: found.title || null,
    description: found.description,
    language: found.language,
    robots: [...found.robots],
    base,
    canonical: found.canonicalHref === null ? null : resolver.resolve(found.canonicalHref),
    refresh: found.refreshHref === null ? null : resolver.resolve(found.refreshHref),
    ...resolveLinks(found.links, resolver, options.maxLinks ?? MAX_LINKS),
    invalidCount: resolver.invalidCount,
    invalid: resolver.invalid,
  };
}

/** As written. A `base` governs the links before it too, so nothing can be resolved until the walk is over. */
class Found {
  title: string | null = null;
  description: string | null = null;
  language: string | null = null;
  readonly robots = new Set<string>();
  baseHref: string | null = null;
  canonicalHref: string | null = null;
  refreshHref: string | null = null;
  readonly links: RawLink[] = [];
}

function gather(document: HtmlDocument, agent: string, scripts: ScriptLinks | null): Found {
  const found = keepShape(new Found());
  let endOfSkipped: HtmlElement | null = null;
  for (const element of document.all) {
    if (endOfSkipped !== null) {
      if (element === endOfSkipped) endOfSkipped = null;
      continue;
    }
    scripts?.readElement(element);
    switch (element.localName) {
      case "a":
        addLink(found, "a", anchorHref(element), element.getAttribute("rel"));
        break;
      case "area":
        addLink(found, "area", element.getAttribute("href"), element.getAttribute("rel"));
        break;
      case "frame":
      case "iframe":
        addLink(found, element.localName, element.getAttribute("src"), null);
        break;
      case "link":
        readLinkElement(found, element);
        break;
      case "meta":
        readMeta(found, element, agent);
        break;
      case "base":
        if (element.namespaceURI === HTML) found.baseHref ??= element.getAttribute("href");
        break;
      case "html":
        found.language ??= element.getAttribute("lang")?.trim() || null;
        break;
      case "title":
        if (element.namespaceURI === HTML) found.title ??= collapse(element.textContent, MAX_TITLE);
        break;
      case "template":
        if (element.getAttribute("shadowrootmode") === null) endOfSkipped = lastDescendant(element);
        break;
      case "noembed":
        endOfSkipped = lastDescendant(element);
        break;
      case "plaintext":
        return found;
    }
  }
  return found;
}

function addLink(found: Found, kind: RawLink["kind"], href: string | null, rel: string | null): void {
  if (href !== null) found.links.push({ href, kind, nofollow: rel !== null && relations(rel).includes("nofollow") });
}

/** SVG 2: `href`, and `xlink:href` of older drawings where there is none. https://www.w3.org/TR/SVG2/linking.html#XLinkRefAttrs */
function anchorHref(element: HtmlElement): string | null {
  const href = element.getAttribute("href");
  return href === null && element.namespaceURI !== HTML ? element.getAttribute("xlink:href") : href;
}

/** A `type` says what to expect without a request: the feeds and oEmbed documents that sites name as alternates are no pages. */
function readLinkElement(found: Found, element: HtmlElement): void {
  const rel = element.getAttribute("rel");
  const href = element.getAttribute("href");
  if (rel === null || href === null) return;
  const names = relations(rel);
  if (!FOLLOWED_RELATIONS.some((name) => names.includes(name)) || names.includes("stylesheet")) return;
  if (!PAGE_TYPE.test(element.getAttribute("type") ?? "")) return;
  if (names.includes("canonical")) found.canonicalHref ??= href;
  addLink(found, "link", href, rel);
}

/** The first refresh that is valid counts, of descriptions the first, of robots directives all. */
function readMeta(found: Found, element: HtmlElement, agent: string): void {
  const content = element.getAttribute("content");
  if (content === null) return;
  const name = element.getAttribute("name")?.toLowerCase();
  if (name === "description") found.description ??= collapse(content, MAX_DESCRIPTION) || null;
  else if (name === "robots" || name === agent)
    for (const directive of metaDirectives(content)) found.robots.add(directive);
  if (found.refreshHref !== null || element.getAttribute("http-equiv")?.toLowerCase() !== "refresh") return;
  found.refreshHref = parseRefresh(content);
  addLink(found, "refresh", found.refreshHref, null);
}

function relations(rel: string): string[] {
  return rel.toLowerCase().split(/[\t\n\f\r ]+/, MAX_RELATIONS);
}

/** Null for an element without others in it. */
function lastDescendant(element: HtmlElement): HtmlElement | null {
  let last = element.lastElementChild;
  for (let below = last; below !== null; below = below.lastElementChild) last = below;
  return last;
}

/** Stripped and collapsed as `document.title` is, and cut without splitting a character in two. */
function collapse(text: string, maxLength: number): string {
  const collapsed = text.replace(/[\t\n\f\r ]+/g, " ").trim();
  return collapsed.length <= maxLength ? collapsed : collapsed.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, "");
}
