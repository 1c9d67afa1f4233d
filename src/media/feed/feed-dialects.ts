import type { parseFeed } from "feedsmith";
import { textOfPart } from "../html/article/whole-content.ts";
import { tidy } from "../html/tree/tidy.ts";
import type { Feed, FeedText } from "./feed.ts";

/** Turns what feedsmith returns for each dialect into one shape. */

/** feedsmith returns dates as written. */
type Parsed = ReturnType<typeof parseFeed<string>>;
type Rss = Extract<Parsed, { format: "rss" }>["feed"];
type Rdf = Extract<Parsed, { format: "rdf" }>["feed"];
type Atom = Extract<Parsed, { format: "atom" }>["feed"];
type Json = Extract<Parsed, { format: "json" }>["feed"];
type AtomText = { value?: string; type?: string; xml?: { base?: string } } | undefined;
type AtomLinks = readonly { href?: string | undefined; rel?: string | undefined }[] | undefined;

const MARKUP = /<[a-z!/]|&(?:#\d|#x|[a-z])/i;
const URL_START = /^https?:\/\//i;
/** As of a page's title and description. */
const MAX_TITLE = 500;
const MAX_DESCRIPTION = 1_000;

export function fromRss(feed: Rss): Feed {
  const { title, link, description, image, managingEditor, atom, dc, itunes, xml } = feed;
  return {
    title: inOneLine(title),
    description: inOneLine(description ?? itunes?.summary, MAX_DESCRIPTION),
    language: feed.language ?? dc?.languages?.[0] ?? xml?.lang ?? null,
    author: managingEditor?.name ?? itunes?.author ?? dc?.creators?.[0] ?? null,
    home: link ?? linkOf(atom?.links, "alternate"),
    next: linkOf(atom?.links, "next"),
    image: image?.url ?? itunes?.image ?? null,
    keywords: feed.categories?.flatMap(({ name }) => name ?? []) ?? [],
    publishedAt: feed.pubDate ?? null,
    modifiedAt: feed.lastBuildDate ?? dc?.dates?.[0] ?? null,
    base: xml?.base ?? null,
    entries: (feed.items ?? []).map((item) => ({
      title: inOneLine(item.title ?? item.dc?.titles?.[0]),
      url: item.link ?? linkOf(item.atom?.links, "alternate") ?? permalink(item.guid),
      author: item.authors?.[0]?.name ?? item.dc?.creators?.[0] ?? item.itunes?.author ?? null,
      date: item.pubDate ?? item.dc?.dates?.[0] ?? item.dcterms?.modified?.[0] ?? item.atom?.updated ?? null,
      base: item.xml?.base ?? null,
      text: html(item.content?.encoded ?? item.description ?? item.itunes?.summary),
      enclosures: item.enclosures?.flatMap(({ url }) => url ?? []) ?? [],
    })),
  };
}

export function fromRdf(feed: Rdf): Feed {
  const { dc, xml } = feed;
  return {
    title: inOneLine(feed.title),
    description: inOneLine(feed.description, MAX_DESCRIPTION),
    language: dc?.languages?.[0] ?? xml?.lang ?? null,
    author: dc?.creators?.[0] ?? null,
    home: feed.link ?? null,
    next: null,
    image: feed.image?.url ?? null,
    keywords: dc?.subjects ?? [],
    publishedAt: null,
    modifiedAt: dc?.dates?.[0] ?? null,
    base: xml?.base ?? null,
    entries: (feed.items ?? []).map((item) => ({
      title: inOneLine(item.title ?? item.dc?.titles?.[0]),
      url: item.link ?? item.rdf?.about ?? null,
      author: item.dc?.creators?.[0] ?? null,
      date: item.dc?.dates?.[0] ?? null,
      base: item.xml?.base ?? null,
      text: html(item.content?.encoded ?? item.description),
      enclosures: [],
    })),
  };
}

export function fromAtom(feed: Atom): Feed {
  return {
    title: plain(feed.title),
    description: plain(feed.subtitle, MAX_DESCRIPTION),
    language: feed.xml?.lang ?? null,
    author: feed.authors?.[0]?.name ?? null,
    home: linkOf(feed.links, "alternate"),
    next: linkOf(feed.links, "next"),
    image: feed.logo ?? feed.icon ?? null,
    keywords: feed.categories?.flatMap(({ label, term }) => label ?? term ?? []) ?? [],
    publishedAt: null,
    modifiedAt: feed.updated ?? null,
    base: feed.xml?.base ?? null,
    entries: (feed.entries ?? []).map((entry) => ({
      title: plain(entry.title),
      url: linkOf(entry.links, "alternate") ?? entry.content?.src ?? null,
      author: entry.authors?.[0]?.name ?? null,
      date: entry.published ?? entry.updated ?? null,
      modified: entry.updated,
      base: entry.xml?.base ?? null,
      text: atomText(entry.content) ?? atomText(entry.summary),
      enclosures: entry.links?.flatMap(({ rel, href }) => (rel === "enclosure" ? (href ?? []) : [])) ?? [],
    })),
  };
}

export function fromJson(feed: Json): Feed {
  return {
    title: plain({ value: feed.title ?? "" }),
    description: plain({ value: feed.description ?? "" }, MAX_DESCRIPTION),
    language: feed.language ?? null,
    author: feed.authors?.[0]?.name ?? null,
    home: feed.home_page_url ?? null,
    next: feed.next_url ?? null,
    image: feed.icon ?? null,
    keywords: [],
    publishedAt: null,
    modifiedAt: null,
    base: null,
    entries: (feed.items ?? []).map((item) => ({
      title: plain({ value: item.title ?? "" }),
      url: item.url ?? item.external_url ?? (URL_START.test(item.id ?? "") ? (item.id ?? null) : null),
      author: item.authors?.[0]?.name ?? null,
      date: item.date_published ?? item.date_modified ?? null,
      modified: item.date_modified,
      base: null,
      text: html(item.content_html) ?? textOnly(item.content_text ?? item.summary),
      enclosures: item.attachments?.flatMap(({ url }) => url ?? []) ?? [],
    })),
  };
}

/** RSS does not say whether a title is HTML, and readers take it for that. */
function inOneLine(text: string | undefined, maxLength = MAX_TITLE): string | null {
  if (text === undefined) return null;
  const start = text.slice(0, 10 * maxLength);
  return tidy(MARKUP.test(start) ? textOfPart(start) : start, maxLength) || null;
}

function plain(text: AtomText, maxLength = MAX_TITLE): string | null {
  if (text?.value === undefined) return null;
  if (text.type === "html" || text.type === "xhtml") return inOneLine(text.value, maxLength);
  return tidy(text.value, maxLength) || null;
}

function html(value: string | undefined): FeedText | null {
  return value === undefined ? null : { value, isHtml: true, base: null };
}

function textOnly(value: string | undefined): FeedText | null {
  return value === undefined ? null : { value, isHtml: false, base: null };
}

/** Text of other types, such as images in base64, is no text of the entry: RFC 4287, section 4.1.3.3. */
function atomText(text: AtomText): FeedText | null {
  if (text?.value === undefined) return null;
  const { value, type = "text" } = text;
  const isHtml = /^(?:html|xhtml|text\/html)$/i.test(type);
  return isHtml || /^text(?:\/|$)/i.test(type) ? { value, isHtml, base: text.xml?.base ?? null } : null;
}

/** A link without a relation is the alternate: RFC 4287, section 4.2.7.2. */
function linkOf(links: AtomLinks, wanted: string): string | null {
  return links?.find(({ rel = "alternate" }) => rel === wanted)?.href ?? null;
}

function permalink(guid: { value?: string | undefined; isPermaLink?: boolean | undefined } | undefined): string | null {
  return guid?.value !== undefined && guid.isPermaLink !== false && URL_START.test(guid.value) ? guid.value : null;
}
