import { isoSeconds } from "../../core/iso-seconds.ts";
import { canonicalize } from "../../url/canonicalize.ts";
import { decodeHtml } from "../characters/charset.ts";
import {
  type Content,
  type ContentFormat,
  type Document,
  emptyDocument,
  type Metadata,
  type Reader,
  type Source,
} from "../document.ts";
import { makeWholeContent } from "../html/article/whole-content.ts";
import { documentPartOf, extractPage, type Page } from "../html/page.ts";
import { parseHtml } from "../html/tree/linkedom.ts";
import { escapeAttribute } from "../html/tree/write-html.ts";
import type { Link } from "../links/links.ts";
import { documentBase } from "../links/links.ts";
import { parseLastmod } from "../sitemap/sitemap-date.ts";
import { emptyMetadata } from "../text/plain-content.ts";
import type { Feed, FeedEntry } from "./feed.ts";
import { parseFeed } from "./parse-feed.ts";
import { type WrittenFeed, writeFeed } from "./write-feed.ts";

/**
 * Reads RSS, Atom, RSS 1.0 (RDF) and JSON Feed as pages: a feed is written as HTML, so that its entries become headings
 * and links by the same rules as a page's. The crawl reads the feeds that a page names for dates of pages too, with
 * sitemap/sitemap.ts.
 */

/** Entries of a feed. Each is a link, and some nodes of a tree. */
const MAX_ENTRIES = 10_000;
const MAX_KEYWORDS = 50;

export const readFeed: Reader<Document> = (bytes, source, request) => {
  const { url, contentType } = source;
  const { text, encoding } = decodeHtml(bytes, contentType);
  const { feed, dropped, isMended } = parseFeed(text, MAX_ENTRIES);
  const written = writeFeed(feed, url);
  const base = documentBase(feed.base, url);
  const page = pageOf(feed, written, source, { agent: request.agent, encoding });
  const facts = { title: feed.title, description: feed.description, language: feed.language };
  const content = request.formats === null ? null : contentOf(feed, written, url, request.formats);
  const empty = emptyDocument(contentType ?? "application/rss+xml");
  return {
    ...empty,
    ...documentPartOf(page),
    ...facts,
    encoding,
    links: withDates(page.links, feed, base),
    content,
    leftOut: {
      ...empty.leftOut,
      problem: problemOf({ dropped, isMended, withoutText: written.withoutText }),
      links: { count: page.dropped.count, examples: page.dropped.examples },
      invalid: { count: page.invalidCount, examples: page.invalid },
    },
  };
};

/** A function of its own, so that its tree is gone before the next one is made. */
function pageOf(
  feed: Feed,
  { html }: WrittenFeed,
  { url, headers = [] }: Source,
  options: { agent: string; encoding: string },
): Page {
  const target = feed.next === null ? null : absolute(feed.next, documentBase(feed.base, url));
  const next = target === null ? "" : `<link rel="next" href="${escapeAttribute(target)}">`;
  const tree = parseHtml(`<!DOCTYPE html><html><head>${next}</head><body>${html}</body></html>`);
  return extractPage(tree, url, canonicalize, { ...options, headers });
}

function contentOf(feed: Feed, { html }: WrittenFeed, url: string, formats: readonly ContentFormat[]): Content {
  const base = documentBase(feed.base, url);
  const dates = feed.entries.flatMap((entry) => lastmodOf(entry) ?? []);
  const newest = dates.reduce((latest, date) => Math.max(latest, date), 0);
  const metadata: Metadata = {
    ...emptyMetadata(),
    title: feed.title,
    description: feed.description,
    language: feed.language,
    author: feed.author,
    keywords: feed.keywords.slice(0, MAX_KEYWORDS),
    publishedAt: isoOf(parseLastmod(feed.publishedAt ?? "")),
    modifiedAt: isoOf(parseLastmod(feed.modifiedAt ?? "") ?? (newest === 0 ? null : newest)),
    image: feed.image === null ? null : absolute(feed.image, base),
    kind: "listing",
  };
  return makeWholeContent(html, url, metadata, formats);
}

/** As sitemap/sitemap-xml.ts reads it: the last change goes before the publication. */
function lastmodOf({ modified, date }: FeedEntry): number | null {
  return parseLastmod(modified ?? "") ?? parseLastmod(date ?? "");
}

/** The links, with the dates of the entries to which they lead. The first entry of a page that has a date counts. */
function withDates(links: readonly Link[], feed: Feed, base: string): Link[] {
  const dates = new Map<string, number>();
  for (const entry of feed.entries) {
    const at = lastmodOf(entry);
    const target = entry.url === null || at === null ? null : canonicalize(entry.url, documentBase(entry.base, base));
    if (target !== null && at !== null && !dates.has(target)) dates.set(target, at);
  }
  return links.map((link) => {
    const lastmod = dates.get(link.url);
    return lastmod === undefined ? link : { ...link, lastmod };
  });
}

function problemOf(left: { dropped: number; isMended: boolean; withoutText: number }): string | null {
  const problems = [
    left.isMended ? "its XML is broken, and was read as far as it can be understood" : "",
    left.dropped > 0 ? `${left.dropped} entries beyond the first ${MAX_ENTRIES} are left out` : "",
    left.withoutText > 0 ? `${left.withoutText} entries are without their text, because there is too much of it` : "",
  ].filter((problem) => problem !== "");
  return problems.length === 0 ? null : problems.join("; ");
}

function isoOf(at: number | null): string | null {
  return at === null ? null : isoSeconds(at);
}

function absolute(written: string, base: string): string | null {
  return URL.parse(written, base)?.href ?? null;
}
