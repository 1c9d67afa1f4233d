import { Parser } from "htmlparser2"; // linkedom's own: it streams, forgives what sites write, and expands no entities of a DOCTYPE
import { parseLastmod } from "./lastmod.ts";
import type { Sitemap } from "./sitemap.ts";
import type { SitemapEntries } from "./sitemap-entries.ts";

/** The XML kinds of sitemap: the protocol's own, RSS and Atom. Elements are told by their local names and their parents. */

const FORMATS: Readonly<Record<string, Sitemap["format"]>> = {
  urlset: "urlset",
  sitemapindex: "index",
  rss: "rss",
  rdf: "rss",
  feed: "atom",
};
/** Elements that make an entry. */
const ENTRIES = new Set(["url", "sitemap", "item", "entry"]);
/** Their children whose text is kept; where several date an entry the first here counts. */
const TEXTS = new Set(["loc", "link", "guid", "lastmod", "pubdate", "updated", "published", "date"]);
const DATES = ["lastmod", "pubdate", "updated", "published", "date"];
const MAX_DEPTH = 1_000;
const MAX_TEXT = 8_192;

interface Element {
  name: string;
  prefix: string;
}

export class SitemapXml {
  readonly #entries: SitemapEntries;
  readonly #maxToken: number;
  readonly #parser: Parser;
  readonly #stack: Element[] = [];
  /** Characters since the parser last reported anything. */
  #silent = 0;
  /** Texts of the entry that is open, by name. */
  #entry = new Map<string, string>();
  #entryName = "";
  /** URLs in attributes of the entry: Atom's link, and other languages' versions. */
  #hrefs: string[] = [];
  #text: string | null = null;
  #feedBase: string;
  #hasRoot = false;

  constructor(entries: SitemapEntries, maxToken: number) {
    this.#entries = entries;
    this.#maxToken = maxToken;
    this.#feedBase = entries.base;
    this.#parser = new Parser(
      {
        onopentag: (name, attributes) => this.#open(name, attributes),
        onclosetag: (_, implied) => this.#close(implied),
        ontext: (text) => {
          this.#silent = 0;
          if (this.#text !== null && this.#text.length < MAX_TEXT) this.#text += text;
        },
        oncomment: () => {
          this.#silent = 0;
        },
        onprocessinginstruction: () => {
          this.#silent = 0;
        },
      },
      { xmlMode: true, decodeEntities: true },
    );
  }

  write(text: string): void {
    this.#silent += text.length;
    this.#parser.write(text);
    if (this.#silent > this.#maxToken && !this.#entries.isOver) {
      this.#entries.problem = `it holds a tag, a comment or a section of more than ${this.#maxToken.toLocaleString("en")} characters`;
    }
  }

  end(): void {
    // Of a text that was cut nobody knows the rest.
    this.#text = null;
    this.#parser.end();
    if (this.#entries.isComplete || this.#entries.problem !== null) return;
    this.#entries.problem = this.#hasRoot ? "it ends in the middle" : "it has no element";
  }

  #open(qualified: string, attributes: Record<string, string>): void {
    this.#silent = 0;
    if (this.#entries.isOver) return;
    const parent = this.#stack.at(-1);
    const element = split(qualified);
    if (parent === undefined && !this.#openRoot(element.name, attributes)) return;
    if (this.#stack.push(element) > MAX_DEPTH) {
      this.#entries.problem = `its elements are nested deeper than ${MAX_DEPTH.toLocaleString("en")}`;
      return;
    }
    if (ENTRIES.has(element.name)) {
      this.#endEntry();
      this.#entryName = element.name;
      this.#entries.base = resolve(attributes["xml:base"], this.#feedBase);
      return;
    }
    if (parent === undefined || parent.name !== this.#entryName) return;
    if (element.name === "link") this.#openLink(element, parent, attributes);
    // `image:loc` and the like are no pages.
    const isOwn = element.prefix === parent.prefix || element.name === "date";
    this.#text = isOwn && TEXTS.has(element.name) ? "" : null;
    if (element.name === "guid" && attributes.isPermaLink?.toLowerCase() === "false") this.#text = null;
  }

  #openRoot(name: string, attributes: Record<string, string>): boolean {
    const format = FORMATS[name];
    if (format === undefined) {
      this.#entries.problem = name === "html" ? "it is an HTML page" : `its root element is "${name.slice(0, 50)}"`;
      return false;
    }
    this.#hasRoot = true;
    this.#entries.format = format;
    this.#feedBase = resolve(attributes["xml:base"], this.#entries.base);
    return true;
  }

  /** `link` of Atom, or https://developers.google.com/search/docs/specialty/international/localized-versions#sitemap */
  #openLink({ prefix }: Element, parent: Element, { rel, href }: Record<string, string>): void {
    const relations = (rel ?? "alternate").toLowerCase().split(/\s+/);
    const isVersion = parent.name === "url" && prefix !== parent.prefix;
    const isAtom = parent.name === "entry";
    if (href !== undefined && relations.includes("alternate") && (isVersion || isAtom)) this.#hrefs.push(href.trim());
  }

  #close(implied: boolean): void {
    this.#silent = 0;
    const element = this.#stack.pop();
    if (element === undefined || this.#entries.isOver) return;
    if (this.#text !== null) {
      if (!this.#entry.has(element.name)) this.#entry.set(element.name, this.#text.trim());
      this.#text = null;
    }
    if (element.name === this.#entryName) this.#endEntry();
    if (this.#stack.length === 0 && !implied) this.#entries.isComplete = true;
  }

  #endEntry(): void {
    const name = this.#entryName;
    const entry = this.#entry;
    const written = entry.get("loc") ?? (entry.get("link") || entry.get("guid"));
    const dates = DATES.map((date) => parseLastmod(entry.get(date) ?? ""));
    const lastmod = dates.find((date) => date !== null) ?? null;
    const list = name === "sitemap" ? "sitemaps" : "pages";
    if (written !== undefined && written !== "") this.#entries.add(list, written, lastmod);
    for (const href of this.#hrefs) this.#entries.add(list, href, lastmod);
    if (name !== "" && !written && this.#hrefs.length === 0)
      this.#entries.add(list, null, null, `<${name}> without a URL`);
    this.#entry = new Map();
    this.#hrefs = [];
    this.#entryName = "";
  }
}

function split(qualified: string): Element {
  const colon = qualified.indexOf(":");
  return { prefix: qualified.slice(0, Math.max(0, colon)), name: qualified.slice(colon + 1).toLowerCase() };
}

function resolve(href: string | undefined, base: string): string {
  return href === undefined ? base : (URL.parse(href, base)?.href ?? base);
}
