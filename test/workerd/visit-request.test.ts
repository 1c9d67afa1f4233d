import { expect, test } from "vitest";
import { type CrawlOptions, DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import type { Visit } from "../../src/crawl/watch.ts";
import { wantsOf, wantsOfMarkdown } from "../../src/frontier/request-of-work.ts";
import type { PageWork } from "../../src/frontier/work.ts";

const NOTHING_KNOWN = { hook: false, version: null, renders: null };
const TAG = { etag: '"1"', lastModified: null };

/** A visit of a page, in a watch. */
function visitWork(visit: Partial<Visit>, kind: "page" | "asset", options: Partial<CrawlOptions>): PageWork {
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
  const crawl = { id: "c", options: { ...DEFAULT_OPTIONS, ...options } };
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
])("a visit %s", (_, visit, options, expected) => {
  for (const kind of ["page", "asset"] as const)
    expect(wantsOf(visitWork(visit, kind, options), NOTHING_KNOWN).validators).toEqual(expected);
});

test("a visit of a page that a browser may draw has no validators, and that of an asset has", () => {
  const visit: Partial<Visit> = { status: "completed", count: 3, ...TAG };
  const validatorsOf = (kind: "page" | "asset") =>
    wantsOf(visitWork(visit, kind, { render: "auto" }), NOTHING_KNOWN).validators;
  expect([validatorsOf("page"), validatorsOf("asset")]).toEqual([null, TAG]);
});

test("the Markdown of a page is one hop from it, as what a page embeds is", () => {
  const work = visitWork({}, "page", { store: "warc" });
  work.row.depth = 2;
  const { capture, parts } = wantsOfMarkdown(work);
  expect([capture?.via, capture?.hops, parts]).toEqual(["https://a.test/", "LLE", ["markdown"]]);
});
