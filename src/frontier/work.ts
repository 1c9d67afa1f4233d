import type { Crawl, QueuedSitemap, QueuedUrl } from "../crawl/crawl.ts";
import { hostOf } from "../url/host-key.ts";
import type { Hint } from "./batch/message.ts";
import type { CrawlContext } from "./context.ts";

/** A queued row, with its crawl, that a batch is to work on. */
export type Work = PageWork | SitemapWork;

export interface PageWork {
  kind: "page";
  /** The hint that led here. It is sent again if the platform fails. */
  hint: Hint;
  row: QueuedUrl;
  context: CrawlContext;
  /** A lane that held it was lost: the page may be in the mirror already, and need not be fetched again. */
  lost: boolean;
}

export interface SitemapWork {
  kind: "sitemap";
  hint: Hint;
  row: QueuedSitemap;
  context: CrawlContext;
  /** For a guessed sitemap, the sitemaps that robots.txt of its origin names, as written there. */
  named: readonly string[];
}

/** The work for a URL of the same host that has no row, on the way of `work`. */
export function workAt(work: PageWork, url: string): PageWork {
  return { ...work, row: { ...work.row, url } };
}

/**
 * The number of settled visits of a page that is visited again, or of readings of a sitemap that is read again; null
 * for a row that is queued.
 */
export function visitOf(work: Work): number | null {
  return (work.kind === "page" ? work.row.visit?.count : work.row.reading?.count) ?? null;
}

/** Whether it is a page that is fetched for the first time. */
export function isNewPage(work: Work): work is PageWork {
  return work.kind === "page" && work.row.kind === "page" && visitOf(work) === null;
}

/** Names the crawl and the host of a row. */
export function crawlAndHost({ crawl, url }: Pick<QueuedUrl, "crawl" | "url">): string {
  return `${crawl} ${hostOf(url)}`;
}

/**
 * Whether a crawl has had no answer from anywhere yet. It has nothing to lose by giving up a host that is down: whoever
 * began it can begin it again.
 */
export function isNewCrawl({ watchingSince, counters }: Crawl): boolean {
  return watchingSince === null && counters.completed + counters.skipped + counters.disallowed === 0;
}

export function toHints(works: readonly Work[]): Hint[] {
  return works.map(({ hint }) => hint);
}
