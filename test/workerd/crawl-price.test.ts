import { expect, test } from "vitest";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import { finish } from "./platform/deeds.ts";
import { Platform } from "./platform/platform.ts";
import { clear, withStorage } from "./platform/storage.ts";
import type { Answer } from "./platform/web.ts";
import { WATCH } from "./rows.ts";

/**
 * What crawls use of the platform, to the row: a new row, object or message for each page shows here. The model of the
 * platform runs in virtual time, so the numbers do not depend on the machine. Rows are counted by SQLite, as D1 counts
 * them: a row of an index is one (https://developers.cloudflare.com/d1/platform/pricing/). Where a number is meant to
 * change, change it here, and say in docs/cost.md what it costs a million pages.
 */

/** Uses of one crawl. `rows`: by table, those of its indexes included. */
interface Use {
  objects: number;
  /** Operations of the frontier: each message is sent, read and deleted. */
  queue: number;
  gateCalls: number;
  gateRows: number;
  rows: Record<string, number>;
}

interface Kind {
  hosts: number;
  /** Of each host. */
  pages: number;
  /** By how much a host answers later than the one before, in milliseconds. Absent: all answer alike. */
  slowerMs?: number;
  options: Partial<CrawlOptions>;
  use: Use;
}

const NO_REST = { minDelayMs: 0, maxDelayMs: 0, delayFactor: 0, maxConcurrencyPerHost: 8, maxBytesPerSecond: 0 };
/** Visits of a round are spread over the interval. */
const DAILY = { ...WATCH, everyS: 86_400, fixed: true };
const ROUND_MS = 26 * 3_600_000;
const ONE_HOST = { hosts: 1, pages: 60 };
const PACKED = { source: "links", store: "warc", politeness: NO_REST } satisfies Partial<CrawlOptions>;

/**
 * A page writes its row twice, when it is found and when it is settled. The first page of a content stands in a list
 * that is written anyway, and copies alone in the index by content. A guessed list has an entry in one index while it
 * is open, and goes out with the transaction that finds it.
 */
const KINDS: Record<string, Kind> = {
  packed: {
    ...ONE_HOST,
    options: PACKED,
    use: {
      objects: 5,
      queue: 30,
      gateCalls: 13,
      gateRows: 13,
      rows: { crawls: 9, finished: 5, packs: 5, urls: 120, variants: 2 },
    },
  },
  files: {
    ...ONE_HOST,
    options: { ...PACKED, store: "files" },
    use: {
      objects: 65,
      queue: 30,
      gateCalls: 11,
      gateRows: 13,
      rows: { crawls: 9, finished: 5, urls: 120, variants: 2 },
    },
  },
  "with sitemaps": {
    ...ONE_HOST,
    options: { ...PACKED, source: "all" },
    use: {
      objects: 5,
      queue: 30,
      gateCalls: 13,
      gateRows: 13,
      rows: { crawls: 9, finished: 5, packs: 5, sitemaps: 6, urls: 120, variants: 2 },
    },
  },
  search: {
    ...ONE_HOST,
    options: { ...PACKED, search: true },
    use: {
      objects: 5,
      queue: 30,
      gateCalls: 13,
      gateRows: 13,
      rows: { crawls: 9, finished: 5, packs: 5, search_pages: 120, search_words: 60, urls: 120, variants: 2 },
    },
  },
  markdown: {
    ...ONE_HOST,
    options: { ...PACKED, formats: ["markdown"] },
    use: {
      objects: 5,
      queue: 30,
      gateCalls: 13,
      gateRows: 13,
      rows: { crawls: 9, finished: 5, packs: 5, urls: 120, variants: 2 },
    },
  },
  "a depth limit": {
    ...ONE_HOST,
    options: { ...PACKED, depth: 4 },
    use: {
      objects: 5,
      queue: 30,
      gateCalls: 13,
      gateRows: 13,
      rows: { crawls: 9, endless_hosts: 1, finished: 5, packs: 5, urls: 120, variants: 2 },
    },
  },
  "a subject": {
    ...ONE_HOST,
    options: { ...PACKED, topic: "page" },
    use: {
      // No page is relevant, so its batches stay small until 100 pages have ended.
      objects: 16,
      queue: 48,
      gateCalls: 34,
      gateRows: 35,
      rows: { backlog: 53, crawls: 34, finished: 16, packs: 16, promotions: 14, topics: 16, urls: 120, variants: 6 },
    },
  },
  "a page limit for each host": {
    ...ONE_HOST,
    options: { ...PACKED, limitPerHost: 50 },
    use: {
      objects: 5,
      queue: 33,
      gateCalls: 14,
      gateRows: 15,
      rows: { crawls: 10, finished: 6, packs: 5, urls: 120, variants: 7 },
    },
  },
  "few places in the queue": {
    ...ONE_HOST,
    options: { ...PACKED, maxQueued: 10 },
    use: {
      objects: 8,
      queue: 24,
      gateCalls: 17,
      gateRows: 19,
      rows: { backlog: 22, crawls: 17, endless_hosts: 2, finished: 8, packs: 8, promotions: 5, urls: 120, variants: 2 },
    },
  },
  "one round of a watch": {
    ...ONE_HOST,
    options: { ...PACKED, watch: DAILY },
    use: {
      objects: 68,
      queue: 186,
      gateCalls: 126,
      gateRows: 127,
      rows: { crawls: 399, heartbeats: 520, packs: 62, room_reserve: 1, urls: 63 },
    },
  },
  // The lanes of a batch end one after the other, and those that have a next one share a transaction.
  "thirty polite hosts of different speeds": {
    hosts: 30,
    pages: 12,
    slowerMs: 43,
    options: { source: "links", store: "warc" },
    use: {
      objects: 59,
      queue: 138,
      gateCalls: 237,
      gateRows: 270,
      rows: { crawls: 63, finished: 59, packs: 59, urls: 720, variants: 30 },
    },
  },
  "ten polite hosts": {
    hosts: 10,
    pages: 12,
    options: { source: "links", store: "warc" },
    use: {
      objects: 8,
      queue: 45,
      gateCalls: 78,
      gateRows: 90,
      rows: { crawls: 12, finished: 8, packs: 8, urls: 240, variants: 10 },
    },
  },
};

/** Pages of a host form a tree: each leads to four others. */
function answerOf(url: string, pages: number, slowerMs: number): Answer {
  const { pathname, origin, hostname } = new URL(url);
  const headersMs = 40 + slowerMs * Number.parseInt(hostname.slice(1), 10);
  const i = pathname === "/" ? 0 : Number(/^\/p(\d+)$/.exec(pathname)?.[1]);
  if (!(i < pages)) return { kind: "status", status: 404 };
  const links = [1, 2, 3, 4].flatMap((n) => (4 * i + n < pages ? [`${origin}/p${4 * i + n}`] : []));
  return { kind: "page", links, text: `page ${i} at ${url}`, body: url, headersMs, bodyMs: 5 };
}

async function useOf({ hosts, pages, slowerMs = 0, options }: Kind, storage: DurableObjectStorage): Promise<Use> {
  clear(storage);
  const platform = new Platform(storage, { seed: 1, web: (url) => answerOf(url, pages, slowerMs) });
  const { database, bucket, frontier, gates } = platform;
  const seeds = Array.from({ length: hosts }, (_, i) => `https://h${i}.test/`);
  await platform.run(async () => {
    await finish(platform, await platform.start(seeds, options), null);
    if (!options.watch) return;
    database.writtenTo.clear();
    for (const counts of [bucket.counts, frontier.counts, gates.counts])
      for (const key of Object.keys(counts)) Object.assign(counts, { [key]: 0 });
    await platform.time.sleep(ROUND_MS);
  });
  return {
    objects: bucket.counts.puts,
    queue: frontier.counts.sent + 2 * frontier.counts.delivered,
    gateCalls: gates.counts.calls,
    gateRows: gates.counts.rowsWritten,
    rows: Object.fromEntries([...database.writtenTo].toSorted(([a], [b]) => a.localeCompare(b))),
  };
}

test.each(Object.entries(KINDS))("a crawl uses as much as is written here: %s", async (_, kind) => {
  await withStorage(async (storage) => expect(await useOf(kind, storage)).toEqual(kind.use));
});
