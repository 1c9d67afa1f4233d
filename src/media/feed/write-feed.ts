import { cleanPart } from "../html/article/whole-content.ts";
import { TreeLimit } from "../html/tree/linkedom.ts";
import { escapeAttribute, escapeHtml } from "../html/tree/write-html.ts";
import { documentBase } from "../links/links.ts";
import { parseLastmod } from "../sitemap/sitemap-date.ts";
import type { Feed, FeedEntry, FeedText } from "./feed.ts";

/** Writes a feed as HTML: a heading for each entry, with its date, author, text and enclosures. */

/** Of all entries together. A page of that many is cut in the index too. */
const MAX_CHARACTERS = 4_000_000;
/**
 * Tags and attributes of all entries: 50,000 elements at most, because Markdown needs several times the memory of the
 * tree. A feed of 10 MB that reaches this limit is read in a heap of 85 MB.
 */
const MAX_NODES = 100_000;

export interface WrittenFeed {
  html: string;
  /** Entries that are written without their text, because there is too much of it. */
  withoutText: number;
}

/** `url`: of the feed. */
export function writeFeed(feed: Feed, url: string): WrittenFeed {
  const base = documentBase(feed.base, url);
  const parts = new Parts();
  const title = escapeHtml(feed.title ?? "");
  const home = feed.home === null ? null : absolute(feed.home, base);
  const head = [
    title === "" ? "" : `<h1>${home === null ? title : linkTo(home, title)}</h1>`,
    feed.description === null ? "" : `<p>${escapeHtml(feed.description)}</p>`,
  ];
  const entries = feed.entries.map((entry) => writeEntry(entry, documentBase(entry.base, base), parts));
  return { html: [...head, ...entries].join("\n"), withoutText: parts.left };
}

function writeEntry(entry: FeedEntry, base: string, parts: Parts): string {
  const url = entry.url === null ? null : absolute(entry.url, base);
  const title = escapeHtml(entry.title ?? url ?? "");
  const at = entry.date === null ? null : parseLastmod(entry.date);
  const facts = [
    at === null ? "" : `<time datetime="${new Date(at).toISOString()}">${readable(at)}</time>`,
    escapeHtml(entry.author ?? ""),
  ].filter((fact) => fact !== "");
  const files = entry.enclosures.map((file) => {
    const target = absolute(file, base);
    return `<p>${linkTo(target, escapeHtml(target))}</p>`;
  });
  return [
    "<article>",
    title === "" ? "" : `<h2>${url === null ? title : linkTo(url, title)}</h2>`,
    facts.length === 0 ? "" : `<p>${facts.join(", ")}</p>`,
    entry.text === null ? "" : parts.write(entry.text, documentBase(entry.text.base, base)),
    ...files,
    "</article>",
  ].join("");
}

/** The texts of the entries, within limits of them all. */
class Parts {
  left = 0;
  #characters = MAX_CHARACTERS;
  #nodes = MAX_NODES;

  write({ value, isHtml }: FeedText, base: string): string {
    if (value.length > this.#characters || this.#nodes <= 0) return this.#leave();
    this.#characters -= value.length;
    if (!isHtml) return `<p>${escapeHtml(value).replaceAll("\n", "<br>")}</p>`;
    if (!value.includes("<")) return `<p>${value.replaceAll(">", "&gt;")}</p>`;
    try {
      const html = cleanPart(value, base);
      // Of an element the start tag, the end tag and its text, and each attribute.
      this.#nodes -= html.match(/<|="/g)?.length ?? 0;
      return this.#nodes < 0 ? this.#leave() : html;
    } catch (error) {
      if (error instanceof TreeLimit) return this.#leave();
      throw error;
    }
  }

  #leave(): string {
    this.left += 1;
    return "";
  }
}

function linkTo(url: string, html: string): string {
  return `<a href="${escapeAttribute(url)}">${html}</a>`;
}

/** A URL that cannot be resolved stays as written, and counts as an invalid link. */
function absolute(written: string, base: string): string {
  return URL.parse(written, base)?.href ?? written;
}

/** A date without a time is written so in most feeds that have midnight. */
function readable(at: number): string {
  const iso = new Date(at).toISOString();
  return at % 86_400_000 === 0 ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}
