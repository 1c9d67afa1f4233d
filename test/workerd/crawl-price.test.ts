import { expect, test } from "vitest";
import { type Kind, ONE_HOST, PACKED, useOf } from "./crawl-use.ts";
import { withStorage } from "./platform/storage.ts";

/**
 * What crawls use of the platform, to the row: a new row, object or message for each page shows here. The model of the
 * platform runs in virtual time, so the numbers do not depend on the machine. Rows are counted by SQLite, as D1 counts
 * them: a row of an index is one (https://developers.cloudflare.com/d1/platform/pricing/). Where a number is meant to
 * change, change it here, and say in docs/cost.md what it costs a million pages.
 */

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

test.each(Object.entries(KINDS))("a crawl uses as much as is written here: %s", async (_, kind) => {
  await withStorage(async (storage) => expect(await useOf(kind, storage)).toEqual(kind.use));
});
