import type { FormFill } from "../../core/form-fill.ts";
import { keepShape } from "../../core/shapes.ts";
import { queryEncoderOf } from "../characters/query-encoding.ts";
import type { Document, PageAudit, PageMetadata } from "../document.ts";
import { hashId } from "../id-hash.ts";
import { type AnswerHeaders, readHeaderLinks } from "../links/header-links.ts";
import {
  type Canonicalize,
  DroppedLinks,
  documentBase,
  HrefResolver,
  type Link,
  MAX_ANCHOR_TEXT,
  type PageLink,
  type RawLink,
  type ResolvedLinks,
  resolveLinks,
} from "../links/links.ts";
import { type ElementContent, readWithContexts } from "./article/anchor-contexts.ts";
import { AroundLinks } from "./article/around-links.ts";
import { ASKING, whatIsAsked } from "./facts/asked-of-reader.ts";
import { type HeadLink, MAX_FEEDS, readHeadLinks } from "./facts/head-links.ts";
import { AuditNotes } from "./facts/page-audit.ts";
import { metaDirectives } from "./facts/page-robots.ts";
import { parseRefresh } from "./facts/refresh.ts";
import { fillForms } from "./links/form-links.ts";
import { ScriptLinks } from "./links/script-links.ts";
import { attributesOf, type HtmlDocument, type HtmlElement } from "./tree/linkedom.ts";
import { tidy } from "./tree/tidy.ts";

/** Extracts the head and the links of a page in one walk over its elements. */

export interface Page {
  /** The first `title`, white space collapsed, at most 500 characters. */
  title: string | null;
  /** `meta name=description`, likewise, at most 1,000 characters. */
  description: string | null;
  /** The first `h1` elements, at most five, likewise. */
  headings: string[];
  /** The `lang` of `html`, trimmed. */
  language: string | null;
  /** Directives of `meta name=robots` and of a `meta` with the name of our agent; in lower case, each once. */
  robots: string[];
  /** The document's base URL, against which relative links are resolved. */
  base: string;
  /** `link rel=canonical`, canonical. */
  canonical: string | null;
  /** The target of `meta http-equiv=refresh`, canonical; null if that is the page itself. */
  /** The same page as Markdown. */
  markdownUrl: string | null;
  refresh: string | null;
  /** In document order, each URL once, `canonical` and `refresh` among them. URLs that only scripts name come last. */
  links: Link[];
  /** Each distinct link, places in the page itself among them. */
  pageLinks: PageLink[];
  /** The number of links that a limit leaves out of `pageLinks`. */
  droppedPageLinks: number;
  audit: PageAudit;
  alternates: PageMetadata["alternates"];
  /** Hashes of the page's `id`s and anchor names, the targets of fragments; null if there are too many. */
  ids: number[] | null;
  /** Sitemaps that the page names with `rel=sitemap`, canonical. */
  sitemaps: string[];
  /** Feeds that the page names with `rel=alternate`, canonical. */
  feeds: string[];
  /** Links beyond a limit. */
  dropped: DroppedLinks;
  /** Forms that were to be filled in and send POST. */
  postForms: DroppedLinks;
  /** Characters of its text; null where only its elements were read. */
  textLength: number | null;
  hasScripts: boolean;
  /** As in `Document.asks`. */
  asks?: Document["asks"];
  /** Distinct links that are no URL: how many, and the first ten. */
  invalidCount: number;
  invalid: string[];
}

interface ExtractOptions {
  maxLinks?: number;
  /** Our product token: a `meta` with this name is for us alone. */
  agent?: string;
  /**
   * Take URLs in scripts, JSON and `data-*` attributes for links of kind `script` too, up to 1,000. They are guesses,
   * so it is off.
   */
  scriptLinks?: boolean;
  /** The answer's headers: `Link` and `Refresh` count like their elements, after those. */
  headers?: AnswerHeaders;
  /** Search forms to fill in. */
  forms?: readonly FormFill[];
  /** Read the text around links. */
  aroundLinks?: boolean;
  /** The page's encoding, in which the queries of its links are. Defaults to UTF-8. */
  encoding?: string;
}

/** Together they take up to 40 MB of the 128 MB that an isolate has. */
const MAX_LINKS = 250_000;
/** As they are written, before those of one URL become one. A tree has fewer; a text of 10 MB may have a million. */
const MAX_WRITTEN_LINKS = 500_000;
const MAX_TITLE = 500;
const MAX_DESCRIPTION = 1_000;
const MAX_HEADINGS = 5;
const HTML = "http://www.w3.org/1999/xhtml";
const FOLLOWED_RELATIONS = ["next", "prev", "alternate", "canonical"];
/**
 * Relations of links for which a page does not vouch.
 * https://developers.google.com/search/docs/crawling-indexing/qualify-outbound-links
 */
const NOFOLLOWED_RELATIONS = new Set(["nofollow", "ugc", "sponsored"]);
/** Per `rel`. */
const MAX_RELATIONS = 100;
const MAX_REL = 200;
/** Per page. */
const MAX_SITEMAPS = 100;
const MAX_TRANSLATIONS = 500;
const MAX_IDS = 50_000;
/** https://blog.whatwg.org/feed-autodiscovery. The media types of RSS 2.0 and of RFC 4287. */
const FEED_TYPE = /^\s*application\/(?:rss|atom)\+xml\s*(?:;|$)/i;
/** https://www.rfc-editor.org/rfc/rfc7763 */
const MARKDOWN_TYPE = /^\s*text\/(?:x-)?markdown\s*(?:;|$)/i;
const PAGE_TYPE = /^[\t\n\f\r ]*(?:text\/html|application\/xhtml\+xml|$)/i;

/**
 * `pageUrl`: the page's URL after redirects, absolute and http or https. Links in `noscript` count, because a crawler
 * runs no scripts, and so do those in `noframes` and `iframe`, because it shows no frames. Links in a `template` do
 * not, unless it is a declarative shadow root. The content of `noembed` and everything after `plaintext` is text to a
 * browser, though not to the parser. Throws only what `canonicalize` throws.
 */
export function extractPage(
  document: HtmlDocument,
  pageUrl: string,
  canonicalize: Canonicalize,
  options: ExtractOptions = {},
): Page {
  const found = keepShape(new FoundInPage(options));
  const reader = {
    links: found.links,
    readElement: (element: HtmlElement) => readElement(found, element),
    readId: (id: string) => addId(found, id),
    tidyText: (written: string) => tidy(written, MAX_ANCHOR_TEXT),
  };
  const around = options.aroundLinks === true ? new AroundLinks() : null;
  found.textLength = readWithContexts(document, reader, MAX_ANCHOR_TEXT, around);
  if (options.forms !== undefined && options.forms.length > 0) {
    const { links, refused } = fillForms(document, options.forms, options.encoding ?? "utf-8");
    // Not by a spread, which puts each link on the stack.
    for (const link of links) found.links.push(link);
    found.refusedForms = refused;
  }
  return settlePage(found, pageUrl, canonicalize, options);
}

/** Resolves what was found, after the last element. */
export function settlePage(
  found: FoundInPage,
  pageUrl: string,
  canonicalize: Canonicalize,
  options: ExtractOptions,
): Page {
  readHeaders(found, options.headers ?? [], pageUrl);
  for (const href of found.scripts?.hrefs ?? [])
    found.links.push({ href, kind: "script", nofollow: false, rel: "", ...NO_CONTEXT });
  const base = documentBase(found.baseHref, pageUrl);
  const resolver = keepShape(
    new HrefResolver(base, pageUrl, canonicalize, queryEncoderOf(options.encoding ?? "utf-8")),
  );
  const postForms = new DroppedLinks();
  for (const action of new Set(found.refusedForms)) postForms.add(resolver.resolve(action) ?? pageUrl);
  return {
    title: found.title || null,
    description: found.description,
    headings: found.headings,
    language: found.language,
    robots: [...found.robots],
    base,
    canonical: found.canonicalHref === null ? null : resolver.resolve(found.canonicalHref),
    markdownUrl: found.markdownHref === null ? null : resolver.resolve(found.markdownHref),
    refresh: found.refreshHref === null ? null : resolver.resolve(found.refreshHref),
    ...withLeft(resolveLinks(found.links, resolver, pageUrl, options.maxLinks ?? MAX_LINKS), found.leftLinks),
    alternates: found.translations.length === 0 ? [] : readHeadLinks(found.translations, base).alternates,
    audit: found.audit.toAudit(base, pageUrl, canonicalize),
    ids: found.ids.size > MAX_IDS ? null : [...found.ids],
    sitemaps: [...new Set([...found.sitemapHrefs].flatMap((href) => resolver.resolve(href) ?? []))],
    feeds: [...new Set([...found.feedHrefs].flatMap((href) => resolver.resolve(href) ?? []))],
    invalidCount: resolver.invalidCount,
    invalid: resolver.invalid,
    postForms,
    textLength: found.textLength,
    hasScripts: found.hasScripts,
    ...(found.asks === undefined ? {} : { asks: found.asks }),
  };
}

/** Counts links that were not kept as they were written. */
function withLeft(resolved: ResolvedLinks, count: number): ResolvedLinks {
  resolved.dropped.count += count;
  return { ...resolved, droppedPageLinks: resolved.droppedPageLinks + count };
}

/** The part of the document that follows from its head and its links. */
export function documentPartOf(page: Page) {
  const { title, description, language, robots, links, sitemaps, feeds, asks } = page;
  const { canonical, markdownUrl, alternates, ids, pageLinks, droppedPageLinks, audit } = page;
  const named = markdownUrl === null ? {} : { markdownUrl };
  const kept = { description, canonical, ...named, alternates, ids, pageLinks, droppedPageLinks, audit };
  return { title, language, robots, links, sitemaps, feeds, ...kept, ...(asks === undefined ? {} : { asks }) };
}

/** Values as written. A `base` applies to links before it too, so links are resolved after the walk. */
export class FoundInPage {
  title: string | null = null;
  description: string | null = null;
  readonly headings: string[] = [];
  readonly audit = new AuditNotes();
  language: string | null = null;
  readonly robots = new Set<string>();
  baseHref: string | null = null;
  canonicalHref: string | null = null;
  markdownHref: string | null = null;
  refreshHref: string | null = null;
  readonly sitemapHrefs = new Set<string>();
  readonly feedHrefs = new Set<string>();
  readonly links: RawLink[] = [];
  /** Links beyond MAX_WRITTEN_LINKS, which are counted and not kept. */
  leftLinks = 0;
  /** `link` elements with `hreflang`. */
  readonly translations: HeadLink[] = [];
  readonly ids = new Set<number>();
  textLength: number | null = null;
  hasScripts = false;
  asks: Document["asks"];
  /** The actions of forms that send POST, as written. */
  refusedForms: readonly string[] = [];
  /** Null unless URLs in scripts are requested. */
  readonly scripts: ScriptLinks | null;
  /** The name of a `meta` that is for us, in lower case. */
  readonly agent: string;

  constructor({ agent, scriptLinks }: ExtractOptions) {
    this.scripts = scriptLinks === true ? new ScriptLinks() : null;
    this.agent = agent?.toLowerCase() || "robots";
  }

  addLink(link: RawLink): void {
    if (this.links.length < MAX_WRITTEN_LINKS) this.links.push(link);
    else this.leftLinks += 1;
  }
}

/** Reads one element without its id. The elements come in document order, without those that are skipped. */
export function readElement(found: FoundInPage, element: HtmlElement): ElementContent {
  found.scripts?.readElement(element);
  if (ASKING.has(element.localName)) found.asks = strongest(found.asks, whatIsAsked(element));
  found.audit.readElement(element);
  switch (element.localName) {
    case "a":
      addId(found, element.getAttribute("name"));
      addLink(found, element, "a", anchorHref(element), element.getAttribute("rel"));
      break;
    case "area":
      addLink(found, element, "area", element.getAttribute("href"), element.getAttribute("rel"));
      break;
    case "frame":
    case "iframe":
      addLink(found, element, element.localName, element.getAttribute("src"), null);
      break;
    case "link":
      readLinkElement(found, element);
      break;
    case "meta":
      readMeta(found, element);
      break;
    case "base":
      if (element.namespaceURI === HTML) found.baseHref ??= element.getAttribute("href");
      break;
    case "html":
      // XHTML that is sent as HTML often has the second alone.
      found.language ??= element.getAttribute("lang")?.trim() || element.getAttribute("xml:lang")?.trim() || null;
      break;
    case "title":
      if (element.namespaceURI === HTML) found.title ??= collapse(element.textContent, MAX_TITLE);
      break;
    case "h1":
      readHeading(found, element);
      break;
    case "script":
      found.hasScripts = true;
      break;
    case "template":
      return element.getAttribute("shadowrootmode") === null ? "skipped" : "read";
    case "noembed":
      return "skipped";
    case "plaintext":
      return "text";
  }
  return "read";
}

/** A password counts more than the proof of a human that stands beside it. */
function strongest(known: Document["asks"], asked: Document["asks"]): Document["asks"] {
  return known === "password" ? known : (asked ?? known);
}

function readHeading(found: FoundInPage, element: HtmlElement): void {
  const isKept = found.headings.length < MAX_HEADINGS;
  const text = isKept ? collapse(element.textContent, MAX_TITLE) : "";
  if (isKept) found.headings.push(text);
  found.audit.addHeading(text);
}

export function addId(found: FoundInPage, id: string | null): void {
  if (id !== null && id !== "" && found.ids.size <= MAX_IDS) found.ids.add(hashId(id));
}

function addLink(
  found: FoundInPage,
  element: HtmlElement,
  kind: RawLink["kind"],
  href: string | null,
  rel: string | null,
): void {
  if (href === null) return;
  const isNamed = rel !== null && rel !== "";
  const acts = kind === "a" ? actsOf(element) : null;
  found.addLink({
    href,
    kind,
    nofollow: isNamed && isNofollow(rel),
    rel: isNamed ? tidy(rel.toLowerCase(), MAX_REL) : "",
    text: kind === "area" ? tidy(element.getAttribute("alt") ?? "", MAX_ANCHOR_TEXT) : "",
    // Links that a reader cannot click, such as `link`, stay so.
    place: "navigation",
    ...(acts === null ? {} : { acts }),
  });
}

/** Methods by which Rails, Turbo, htmx and Unpoly send a link's request, and what they ask before: not for a page. */
const ACTING = /^(?:data-)?(?:hx-(?:post|put|patch|delete|confirm)|(?:turbo-|up-)?(?:method|confirm))$/;
const READS = new Set(["", "get", "head"]);
/** Characters of such an attribute that are looked at. */
const MAX_ACTS = 20;

/** The attribute by which a script does something else with a link than to open it; null if there is none. */
function actsOf(element: HtmlElement): string | null {
  for (const { name, value } of attributesOf(element)) {
    if (!name.includes("-") || !ACTING.test(name)) continue;
    const said = value.slice(0, MAX_ACTS).trim().toLowerCase();
    if (!name.endsWith("method") || !READS.has(said)) return `${name}=${said}`;
  }
  return null;
}

/**
 * SVG 2: `href`, and `xlink:href` of older drawings where there is none.
 * https://www.w3.org/TR/SVG2/linking.html#XLinkRefAttrs
 */
function anchorHref(element: HtmlElement): string | null {
  const href = element.getAttribute("href");
  return href === null && element.namespaceURI !== HTML ? element.getAttribute("xlink:href") : href;
}

function readLinkElement(found: FoundInPage, element: HtmlElement): void {
  const rel = element.getAttribute("rel");
  const href = element.getAttribute("href");
  if (rel === null || href === null) return;
  const names = relations(rel);
  const type = element.getAttribute("type");
  const hreflang = element.getAttribute("hreflang");
  if (hreflang !== null && found.translations.length < MAX_TRANSLATIONS)
    found.translations.push({ rel: names, href, type, title: null, hreflang });
  const isFollowed = readRelations(found, href, names, type ?? "");
  if (isFollowed) addLink(found, element, "link", href, rel);
}

/**
 * Reads the relations of a `link` element or a `Link` header. Returns whether it leads to a page: by their `type`, the
 * feeds and oEmbed documents that sites name as alternates do not.
 */
function readRelations(found: FoundInPage, href: string, names: readonly string[], type: string): boolean {
  const isSitemap = names.includes("sitemap") && !areNofollowed(names);
  if (isSitemap && found.sitemapHrefs.size < MAX_SITEMAPS) found.sitemapHrefs.add(href);
  const isFeed = names.includes("alternate") && FEED_TYPE.test(type) && !areNofollowed(names);
  if (isFeed && found.feedHrefs.size < MAX_FEEDS) found.feedHrefs.add(href);
  if (names.includes("alternate") && MARKDOWN_TYPE.test(type) && !areNofollowed(names)) found.markdownHref ??= href;
  if (!FOLLOWED_RELATIONS.some((name) => names.includes(name)) || names.includes("stylesheet")) return false;
  if (!PAGE_TYPE.test(type)) return false;
  if (names.includes("canonical")) {
    found.canonicalHref ??= href;
    found.audit.addCanonical(href);
  }
  return true;
}

/**
 * Reads the `Link` and `Refresh` headers. They are relative to the page itself, whatever its `base` is:
 * https://www.rfc-editor.org/rfc/rfc8288#section-3.1
 */
function readHeaders(found: FoundInPage, headers: AnswerHeaders, pageUrl: string): void {
  const add = (written: string, kind: RawLink["kind"], rel: string) => {
    const href = absoluteTo(pageUrl, written);
    const details = { rel: tidy(rel.toLowerCase(), MAX_REL), ...NO_CONTEXT };
    found.links.push({ href, kind, nofollow: isNofollow(rel), ...details });
  };
  for (const { href, rel, type } of readHeaderLinks(headers))
    if (readRelations(found, absoluteTo(pageUrl, href), relations(rel), type)) add(href, "link", rel);
  const refresh = parseRefresh(headers.find(([name]) => name === "refresh")?.[1] ?? "");
  if (refresh === null || found.refreshHref !== null) return;
  found.refreshHref = absoluteTo(pageUrl, refresh);
  add(refresh, "refresh", "");
}

const NO_CONTEXT = { text: "", place: "navigation" } as const;

function absoluteTo(pageUrl: string, href: string): string {
  return URL.parse(href, pageUrl)?.href ?? href;
}

/** The first valid refresh counts, the first description, and all robots directives. */
function readMeta(found: FoundInPage, element: HtmlElement): void {
  const content = element.getAttribute("content");
  if (content === null) return;
  const name = element.getAttribute("name")?.toLowerCase();
  if (name === "description") found.description ??= collapse(content, MAX_DESCRIPTION) || null;
  else if (name === "robots" || name === found.agent)
    for (const directive of metaDirectives(content)) found.robots.add(directive);
  if (found.refreshHref !== null || element.getAttribute("http-equiv")?.toLowerCase() !== "refresh") return;
  found.refreshHref = parseRefresh(content);
  addLink(found, element, "refresh", found.refreshHref, null);
}

function isNofollow(rel: string): boolean {
  return areNofollowed(relations(rel));
}

function areNofollowed(names: readonly string[]): boolean {
  return names.some((name) => NOFOLLOWED_RELATIONS.has(name));
}

/** People also separate relations by commas. */
function relations(rel: string): string[] {
  return rel.toLowerCase().split(/[\t\n\f\r ,]+/, MAX_RELATIONS);
}

/** Strips and collapses white space as `document.title` does, and cuts without splitting a character in two. */
function collapse(text: string, maxLength: number): string {
  const collapsed = text.replace(/[\t\n\f\r ]+/g, " ").trim();
  return collapsed.length <= maxLength ? collapsed : collapsed.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, "");
}
