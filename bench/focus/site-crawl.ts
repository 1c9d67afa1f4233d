/**
 * Crawls one site from files, with the crawler's own reader: links have the words and the surroundings that the
 * pipeline gives them. Pages are read when they are fetched. The ledger is imitated: priorities are whole numbers, few
 * URLs are in motion, and the others wait best first.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { readTopic } from "../../src/fetch/reading/read-topic.ts";
import type { Document } from "../../src/media/document.ts";
import { readHtml } from "../../src/media/html/tree/read-html.ts";
import { learnTopic, learnWaiting, type PageLesson } from "../../src/topic/course/learn-topic.ts";
import { type LinkScore, scoreLink } from "../../src/topic/course/score-link.ts";
import { lensOf } from "../../src/topic/course/topic-lens.ts";
import { beginTopic, RELEVANT, type TopicState } from "../../src/topic/course/topic-state.ts";
import { priorityOf } from "./priority.ts";

const BATCH = 25;
const SITE = "https://manual.test/";
const HOST = "manual.test";
const REQUEST = {
  agent: "bench",
  scriptLinks: false,
  requisites: false,
  formats: ["text" as const],
  obeyNoindex: false,
  aroundLinks: true,
};

/** The pages of a manual below `https://manual.test/`. */
export class Site {
  readonly #root: string;
  readonly #read = new Map<string, Document | null>();

  constructor(root: string) {
    this.#root = root;
  }

  pathOf(url: string): string {
    return decode(url.slice(SITE.length));
  }

  /** Null if there is no such page. */
  read(url: string): Document | null {
    const known = this.#read.get(url);
    if (known !== undefined) return known;
    const path = join(this.#root, this.pathOf(url.split("?")[0] as string));
    const file = path.endsWith("/") ? `${path}index.html` : path;
    const isPage = existsSync(file) && statSync(file).isFile() && /\.html?$/.test(file);
    const document = isPage ? readHtml(readFileSync(file), { url, contentType: "text/html" }, REQUEST) : null;
    this.#read.set(url, document);
    return document;
  }

  links(document: Document): string[] {
    return document.links.flatMap(({ url, nofollow }) => (url.startsWith(SITE) && !nofollow ? [url] : []));
  }
}

/** As it stands, if what it encodes is no UTF-8. */
function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

export interface SiteOrder {
  /** Priorities of the new URLs. */
  rank(pages: readonly { url: string; document: Document }[], isNew: (url: string) => boolean): Map<string, number>;
  /** URLs in motion at most, when so many pages were read. */
  motion(pages: number): number;
}

/** The pages in the order in which they were fetched. */
export function crawlSite(site: Site, seed: string, order: SiteOrder, limit: number): string[] {
  const fetched: string[] = [];
  const known = new Set([SITE + seed]);
  const waiting = new Map<string, { priority: number; depth: number; seq: number }>();
  const depths = new Map([[SITE + seed, 0]]);
  const moving = [SITE + seed];
  while (fetched.length < limit) {
    const room = order.motion(fetched.length) - moving.length;
    const best = [...waiting]
      .sort(([, a], [, b]) => b.priority - a.priority || a.depth - b.depth || a.seq - b.seq)
      .slice(0, Math.max(0, Math.min(room, limit - fetched.length - moving.length)));
    for (const [url] of best) {
      waiting.delete(url);
      moving.push(url);
    }
    const batch = moving.splice(0, BATCH);
    if (batch.length === 0) break;
    const pages = batch.flatMap((url) => {
      const document = site.read(url);
      return document === null ? [] : [{ url, document }];
    });
    fetched.push(...pages.map(({ url }) => url));
    const ranked = order.rank(pages, (url) => !known.has(url));
    for (const { url, document } of pages)
      for (const link of site.links(document)) {
        if (known.has(link)) continue;
        known.add(link);
        depths.set(link, (depths.get(url) ?? 0) + 1);
        waiting.set(link, { priority: ranked.get(link) ?? 0, depth: depths.get(link) ?? 0, seq: known.size });
      }
  }
  return fetched.slice(0, limit);
}

export const breadthFirst: SiteOrder = { rank: () => new Map(), motion: () => 50 };

export function oracleOf(site: Site, isAbout: (url: string) => boolean): SiteOrder {
  return {
    motion: () => 1,
    rank: (pages) =>
      new Map(pages.flatMap(({ document }) => site.links(document).map((url) => [url, isAbout(url) ? 880 : 0]))),
  };
}

/** The crawl of src/topic/, with its own reading of pages. */
export class FocusedSite implements SiteOrder {
  state: TopicState;
  readonly relevances = new Map<string, number>();
  readonly #words: string;
  readonly found = new Map<string, LinkScore>();

  constructor(words: string) {
    this.#words = words;
    this.state = beginTopic({ words, examples: [] });
  }

  motion(pages: number): number {
    if (pages < 10) return 2;
    return this.state.relevant === 0 && pages < 100 ? 5 : Math.min(50, pages);
  }

  rank(pages: readonly { url: string; document: Document }[], isNew: (url: string) => boolean): Map<string, number> {
    const lens = lensOf(this.state);
    const lessons: PageLesson[] = [];
    const priorities = new Map<string, number>();
    let added = 0;
    for (const { url, document } of pages) {
      const links = document.links.filter((link) => link.url.startsWith(SITE) && !link.nofollow);
      const { relevance, sample, linkScores } = readTopic(document, links, { lens, words: this.#words, maxExample: 0 });
      this.relevances.set(url, relevance);
      const own = this.found.get(url) ?? null;
      lessons.push({ url, host: HOST, relevance, sample, found: own });
      const hops = relevance >= RELEVANT ? 0 : (own?.hops ?? 0) + 1;
      for (const [i, link] of links.entries()) {
        if (!isNew(link.url) || this.found.has(link.url)) continue;
        const textScore = linkScores[i] ?? 0;
        const score = scoreLink(
          this.state,
          {
            ...{ url: link.url, host: HOST, textScore, pageRelevance: relevance, hops, from: own },
          },
          added,
        );
        this.found.set(link.url, score);
        added += 1;
        priorities.set(link.url, priorityOf(score.score));
      }
    }
    this.state = learnWaiting(learnTopic(this.state, lessons), new Map([[HOST, added]]));
    return priorities;
  }
}
