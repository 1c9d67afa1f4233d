import { documentBase } from "../links/links.ts";
import { parseLastmod } from "./sitemap-date.ts";
import { MAX_WRITTEN_LENGTH, type SitemapEntry, type SitemapList } from "./sitemap-list.ts";
import { type XmlHandler, XmlTokens } from "./xml-tokens.ts";

/**
 * Reads the elements of a sitemap or a feed. There is no stack: an entry ends at its end tag or where the next entry
 * begins, and a value at any end tag or at the next known element. So tags need not be balanced.
 */

type XmlFormat = "urlset" | "index" | "rss" | "atom";

interface Dialect {
  format: XmlFormat;
  /** Elements that are entries. */
  entries: ReadonlySet<string>;
  /** Elements in an entry whose text is read. */
  values: ReadonlySet<string>;
  /** Elements in an entry whose URLs and dates are not the entry's. */
  foreign: ReadonlySet<string>;
}

/** https://www.sitemaps.org/protocol.html, with Google's extensions for images, videos and news. */
const SITEMAP = {
  entries: new Set(["url", "sitemap"]),
  values: new Set(["loc", "lastmod"]),
  foreign: new Set(["image", "video", "news"]),
};
/**
 * https://www.rssboard.org/rss-specification; RSS 1.0, https://web.resource.org/rss/1.0/spec, has the date of Dublin
 * Core.
 */
const RSS = {
  entries: new Set(["item"]),
  values: new Set(["link", "guid", "pubdate", "dc:date"]),
  foreign: new Set(["image", "source"]),
};
/** RFC 4287. */
const ATOM = {
  entries: new Set(["entry"]),
  values: new Set(["updated", "published"]),
  foreign: new Set(["source", "content"]),
};
const ROOTS = new Map<string, Dialect>([
  ["urlset", { format: "urlset", ...SITEMAP }],
  ["sitemapindex", { format: "index", ...SITEMAP }],
  ["rss", { format: "rss", ...RSS }],
  ["rdf", { format: "rss", ...RSS }],
  ["feed", { format: "atom", ...ATOM }],
]);

/** Dates of an entry, the most reliable first. */
const DATES = ["lastmod", "updated", "published", "pubdate", "dc:date"];
const ATTRIBUTES = new Set(["rel", "href", "ispermalink", "xml:base"]);
/** The relation `alternate`, by itself or as a URI: RFC 4287 4.2.7.2. */
const ALTERNATE = /(?:^|[\s/])alternate(?:\s|$)/i;
const ABSOLUTE = /^\s*https?:\/\//i;
const HTML_PAGE = "it is an HTML page";
/** Characters in a message. */
const MAX_NAME_LENGTH = 100;
const CUT_OFF = "it ends in the middle";

interface Entry {
  kind: SitemapEntry["kind"];
  prefix: string;
  base: string;
  named: Set<SitemapEntry>;
  dates: Map<string, number>;
  /** The `guid` of an RSS item, which may name its page too. */
  guid: string | null;
}

export class SitemapXml implements XmlHandler {
  format: XmlFormat = "urlset";
  problem: string | null = null;

  readonly #list: SitemapList;
  readonly #tokens: XmlTokens;
  #base: string;
  #firstElement: string | null = null;
  #dialect: Dialect | null = null;
  #root = "";
  #isRootClosed = false;
  #entry: Entry | null = null;
  #foreign: string | null = null;
  #value: { name: string; text: string; isPermalink: boolean } | null = null;

  constructor(list: SitemapList, url: string) {
    this.#list = list;
    this.#base = url;
    this.#tokens = new XmlTokens(this, ATTRIBUTES, MAX_WRITTEN_LENGTH);
  }

  write(piece: string): void {
    this.#tokens.write(piece);
  }

  /** Call it once, at the end or at a limit. An incomplete value is dropped; an incomplete entry is kept. */
  end(): void {
    this.#endEntry();
    if (this.problem !== null || this.#isRootClosed) return;
    const isOther = this.#dialect === null && this.#firstElement !== null;
    this.problem = isOther ? `it is no sitemap and no feed: its first element is <${this.#firstElement}>` : CUT_OFF;
  }

  doctype(declaration: string): void {
    if (this.#dialect === null && /^html\b/i.test(declaration)) this.#stop(HTML_PAGE);
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    const { prefix, local } = splitName(name);
    if (this.#dialect === null) this.#openBeforeRoot(name, local, attributes);
    else if (!this.#isRootClosed) this.#openInside(this.#dialect, { name, prefix, local }, attributes);
    else if (ROOTS.has(local)) this.#stop(`another <${name}> follows after its end`);
  }

  text(part: string): void {
    const value = this.#value;
    if (value === null) return;
    const more = value.text === "" ? part.trimStart() : part;
    value.text += more.slice(0, MAX_WRITTEN_LENGTH + 1 - value.text.length);
  }

  close(name: string): void {
    this.#endValue();
    if (name === this.#foreign) this.#foreign = null;
    if (this.#dialect?.entries.has(splitName(name).local)) this.#endEntry();
    if (this.#dialect !== null && name === this.#root) {
      this.#endEntry();
      this.#isRootClosed = true;
    }
  }

  /** The first element that can be the root of a sitemap or a feed is the root. Warnings of a server may precede it. */
  #openBeforeRoot(name: string, local: string, attributes: ReadonlyMap<string, string>): void {
    this.#firstElement ??= name.slice(0, MAX_NAME_LENGTH);
    const dialect = ROOTS.get(local);
    if (local === "html") this.#stop(HTML_PAGE);
    if (dialect === undefined) return;
    this.#dialect = dialect;
    this.format = dialect.format;
    this.#root = name;
    this.#base = documentBase(attributes.get("xml:base") ?? null, this.#base);
  }

  #openInside(
    dialect: Dialect,
    element: { name: string; prefix: string; local: string },
    attributes: ReadonlyMap<string, string>,
  ): void {
    const { name, prefix, local } = element;
    if (dialect.entries.has(local)) {
      this.#beginEntry(local === "sitemap" ? "sitemap" : "page", prefix, attributes);
      return;
    }
    const isOwn = prefix === (this.#entry?.prefix ?? splitName(this.#root).prefix);
    if (isOwn && local === "loc" && dialect.entries === SITEMAP.entries) this.#entryOfLoc(dialect, prefix);
    if (this.#entry === null || this.#foreign !== null) return;
    if (dialect.foreign.has(local)) {
      this.#endValue();
      this.#foreign = name;
    } else if (local === "link" && dialect.format !== "rss") {
      this.#endValue();
      this.#link(this.#entry, isOwn, attributes);
    } else if (dialect.values.has(isOwn ? local : name)) {
      this.#endValue();
      const isPermalink = attributes.get("ispermalink")?.toLowerCase() !== "false";
      this.#value = { name: isOwn ? local : name, text: "", isPermalink };
    }
  }

  /** A `loc` outside an entry, or a second one inside, begins an entry whose tag is missing. */
  #entryOfLoc(dialect: Dialect, prefix: string): void {
    if (this.#foreign !== null) return;
    this.#endValue();
    const before = this.#entry;
    if (before === null) this.#beginEntry(dialect.format === "index" ? "sitemap" : "page", prefix, new Map());
    else if (before.named.size > 0) this.#beginEntry(before.kind, prefix, new Map());
  }

  #beginEntry(kind: SitemapEntry["kind"], prefix: string, attributes: ReadonlyMap<string, string>): void {
    this.#endValue();
    this.#endEntry();
    const base = documentBase(attributes.get("xml:base") ?? null, this.#base);
    this.#entry = { kind, prefix, base, named: new Set(), dates: new Map(), guid: null };
  }

  /** In Atom, a `link` names the entry's page; in a sitemap, the same page in another language. */
  #link(entry: Entry, isOwn: boolean, attributes: ReadonlyMap<string, string>): void {
    const href = attributes.get("href");
    if (href === undefined) return;
    const isAtom = this.format === "atom";
    const rel = attributes.get("rel") ?? (isAtom ? "alternate" : "");
    if (!ALTERNATE.test(rel) || (isAtom && !isOwn)) return;
    const base = documentBase(attributes.get("xml:base") ?? null, entry.base);
    if (isAtom) {
      const found = this.#add("page", href, base);
      if (found !== null) entry.named.add(found);
    } else this.#list.addAlternate(href, base);
  }

  #endValue(): void {
    const value = this.#value;
    const entry = this.#entry;
    this.#value = null;
    if (value === null || entry === null) return;
    const { name, text } = value;
    if (name === "loc" || (name === "link" && text !== "")) {
      const found = this.#add(entry.kind, text, entry.base);
      if (found !== null) entry.named.add(found);
    } else if (name === "guid") {
      if (value.isPermalink && ABSOLUTE.test(text)) entry.guid ??= text;
    } else {
      const date = parseLastmod(text);
      if (date !== null && !entry.dates.has(name)) entry.dates.set(name, date);
    }
  }

  #endEntry(): void {
    const entry = this.#entry;
    this.#entry = null;
    this.#foreign = null;
    this.#value = null;
    if (entry === null) return;
    if (entry.named.size === 0 && entry.guid !== null) {
      const found = this.#add("page", entry.guid, entry.base);
      if (found !== null) entry.named.add(found);
    }
    const best = DATES.find((name) => entry.dates.has(name));
    for (const found of entry.named) found.lastmod ??= entry.dates.get(best ?? "") ?? null;
  }

  #add(kind: SitemapEntry["kind"], written: string, base: string): SitemapEntry | null {
    return this.#list.add(kind, written, base);
  }

  #stop(problem: string): void {
    this.problem = problem;
    this.#tokens.stop();
  }
}

function splitName(name: string): { prefix: string; local: string } {
  const colon = name.lastIndexOf(":");
  return { prefix: name.slice(0, Math.max(colon, 0)), local: name.slice(colon + 1) };
}
