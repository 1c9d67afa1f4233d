import { describe, expect, test } from "vitest";
import { DAY_MS } from "../../src/core/clock.ts";
import { type CrawlOptions, DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import type { Visit } from "../../src/crawl/watch/watch.ts";
import { FEATURES } from "../../src/frontier/features/list.ts";
import { wantsOfMarkdown } from "../../src/frontier/features/server-markdown.ts";
import { wantsOf } from "../../src/frontier/features/wants.ts";
import { neededInvocations } from "../../src/frontier/lane/needed-invocations.ts";
import type { PageWork, SitemapWork, Work } from "../../src/frontier/work.ts";
import { WATCH } from "./rows.ts";

const TAG = { etag: '"1"', lastModified: null };

const NOW = 100 * DAY_MS;
const KEPT = { status: "completed", count: 3, ...TAG };

/** A visit of a page, in a watch that looks daily. */
function visitWork(given: Partial<Visit>, kind: "page" | "asset", options: Partial<CrawlOptions>): PageWork {
  const visit = { beganAt: NOW, lastAt: NOW - DAY_MS, fullAt: NOW - DAY_MS, liedAt: null, ...given };
  const row = {
    url: "https://a.test/",
    kind,
    depth: 0,
    chain: 0,
    via: null,
    lastmod: null,
    attempts: 0,
    document: null,
  };
  const crawl = { id: "c", options: { ...DEFAULT_OPTIONS, watch: { ...WATCH, everyS: DAY_MS / 1_000 }, ...options } };
  const context = {
    crawl,
    agent: "orbweaver",
    topic: null,
    isSeedOrigin: () => true,
    mayBePrivate: () => false,
    rulesOf: () => [],
  };
  return { kind: "page", row: { ...row, visit }, context, hint: {} } as unknown as PageWork;
}

test.each<[string, Partial<Visit>, Partial<CrawlOptions>, unknown]>([
  ["of a stored page has its validators", { status: "completed", count: 3, ...TAG }, {}, TAG],
  [
    "of a stored page without validators has none",
    { status: "completed", count: 3, etag: null, lastModified: null },
    {},
    null,
  ],
  ["of a page that is gone has none, though its answer had some", { status: "errored", count: 3, ...TAG }, {}, null],
  ["of a page that was left out has none", { status: "skipped", count: 3, ...TAG }, {}, null],
  ["has none each tenth time", { status: "completed", count: 9, ...TAG }, {}, null],
  ["has some on the eleventh time", { status: "completed", count: 10, ...TAG }, {}, TAG],
  ["has some three days after a whole answer", { ...KEPT, fullAt: NOW - 3 * DAY_MS }, {}, TAG],
  ["has none on the fourth day", { ...KEPT, fullAt: NOW - 3 * DAY_MS - 1 }, {}, null],
  [
    "has none where the next one would be too late",
    { ...KEPT, fullAt: NOW - 2.5 * DAY_MS, lastAt: NOW - 2.5 * DAY_MS },
    {},
    null,
  ],
  ["has none where no whole answer is known", { ...KEPT, fullAt: null }, {}, null],
  ["has none where its host has lied", { ...KEPT, liedAt: NOW - 29 * DAY_MS }, {}, null],
  ["has some where its host lied long ago", { ...KEPT, liedAt: NOW - 31 * DAY_MS }, {}, TAG],
])("a visit %s", (_, visit, options, expected) => {
  for (const kind of ["page", "asset"] as const)
    expect(wantsOf(visitWork(visit, kind, options), FEATURES).validators).toEqual(expected);
});

test("a visit of a page that a browser may draw has no validators, and that of an asset has", () => {
  const visit: Partial<Visit> = { status: "completed", count: 3, ...TAG };
  const validatorsOf = (kind: "page" | "asset") =>
    wantsOf(visitWork(visit, kind, { render: "auto" }), FEATURES).validators;
  expect([validatorsOf("page"), validatorsOf("asset")]).toEqual([null, TAG]);
});

test("the Markdown of a page is one hop from it, as what a page embeds is", () => {
  const work = visitWork({}, "page", { store: "warc" });
  work.row.depth = 2;
  const { capture, parts } = wantsOfMarkdown(work);
  expect([capture?.via, capture?.hops, parts]).toEqual(["https://a.test/", "LLE", ["markdown"]]);
});

test.each([
  ["nobody compares", [], null],
  ["one feature compares", [null, { ignoredElements: ["nav"] }], { ignoredElements: ["nav"] }],
  [
    "two features compare",
    [{ ignoredElements: ["nav"] }, { ignoredElements: ["aside"] }],
    { ignoredElements: ["nav", "aside"] },
  ],
])("a page that %s is read so that it serves them", (_, versions, expected) => {
  const work = visitWork({}, "page", {});
  const steps = versions.map((version) => ({ wants: () => ({ version }) }));
  expect(wantsOf(work, steps).version).toEqual(expected);
});

describe("the Worker invocations that a URL may need", () => {
  const hint = { failures: 1 };
  const sitemap = (reading: unknown): Work => {
    const { row, context } = visitWork({}, "page", { preferMarkdown: true, media: true });
    return { kind: "sitemap", row: { ...row, reading }, context, hint } as unknown as SitemapWork;
  };
  const page = (visit: unknown, options: Partial<CrawlOptions>, own = {}): Work => {
    const work = visitWork({}, "page", options);
    return { ...work, row: { ...work.row, visit }, hint, ...own } as PageWork;
  };

  test.each<[string, Work, { now: number; toLearn: number; atEnd: number }]>([
    ["a page", page(null, {}), { now: 1, toLearn: 0, atEnd: 0 }],
    ["a page that may be stored already", page(null, {}, { lost: true }), { now: 2, toLearn: 0, atEnd: 0 }],
    ["a page that may name its Markdown", page(null, { preferMarkdown: true }), { now: 2, toLearn: 0, atEnd: 0 }],
    [
      "a page about which a hook is asked alone",
      page(null, {}, { hint: { askAlone: true } }),
      { now: 1, toLearn: 0, atEnd: 3 },
    ],
    ["a visit that came back", page({ count: 1 }, {}), { now: 3, toLearn: 25, atEnd: 0 }],
    ["a sitemap", sitemap(null), { now: 1, toLearn: 0, atEnd: 0 }],
    ["a sitemap that is read again", sitemap({ count: 1 }), { now: 1, toLearn: 0, atEnd: 0 }],
  ])("%s", (_, work, expected) => {
    expect(neededInvocations(work, FEATURES)).toEqual(expected);
  });
});
