import { expect, test } from "vitest";
import { watchRequest } from "../../../src/api/crawls/crawl-request.ts";
import type { CrawlView } from "../../../src/api/views.ts";
import { crawlFields, fieldGroups } from "../../../src/console/new-crawl/crawl-fields.ts";
import {
  emptyForm,
  type FormValues,
  formFromCrawl,
  formFromWatch,
  requestFromForm,
  watchFromForm,
} from "../../../src/console/new-crawl/crawl-form-data.ts";
import { type CrawlOptions, DEFAULT_OPTIONS } from "../../../src/crawl/crawl-options.ts";

const AGENT = "Orbweaver/test";
const OWN = { userAgent: AGENT, maxCostUsd: 0 };

function crawl(options: Partial<CrawlOptions>): CrawlView {
  const all = { ...DEFAULT_OPTIONS, urls: ["https://a.test/"], limit: 1000, userAgent: AGENT, ...options };
  return { options: all } as unknown as CrawlView;
}

test("every API option has a form field with a label, a help text and a group", () => {
  expect(fieldGroups().map(({ title }) => title)).not.toContain("More");
  for (const { name, label, text } of crawlFields()) {
    expect(label, name).not.toBe(name);
    expect(text, name).toMatch(/^[A-Z].*\.$/);
    expect(text, name).not.toMatch(/`|maxQueued|includePatterns|null/);
  }
});

test.each([
  ["a.test", "https://a.test"],
  ["localhost:8080/x", "http://localhost:8080/x"],
  ["127.0.0.1:8080", "http://127.0.0.1:8080"],
  ["HTTP://a.test", "HTTP://a.test"],
  ["", ""],
])("%j is taken for %j, as on the command line", (typed, url) => {
  expect(requestFromForm({ ...emptyForm(), url: [typed] })).toMatchObject({ url });
});

test("an untouched form requests only the seed and the page limit", () => {
  expect(requestFromForm({ ...emptyForm(), url: ["a.test"] })).toEqual({ url: "https://a.test", limit: 1000 });
});

test("the form of an earlier crawl requests the same options again", () => {
  const options: Partial<CrawlOptions> = {
    urls: ["https://a.test/", "https://b.test/x"],
    limit: 7,
    extractBy: "model",
    depth: 3,
    source: "links",
    scriptLinks: true,
    forms: [
      { selector: "input[name=q]", values: ["red shoes", "1,5"] },
      { selector: "#o", values: ["a"] },
    ],
    render: "auto",
    renderOptions: {
      waitFor: ".list",
      click: [".more", "[role=link]"],
      scroll: 10,
      dismissBanners: true,
      viewport: { width: 390, height: 844 },
    },
    dryRun: true,
    includeSubdomains: true,
    includePatterns: ["/a/**", "/b"],
    preferPatterns: ["/news/**"],
    languages: ["de", "zh-Hant"],
    preferLanguages: ["de"],
    countries: ["DE", "TW"],
    politeness: { minDelayMs: 5, maxDelayMs: 6, delayFactor: 0.5, maxConcurrencyPerHost: 2, maxBytesPerSecond: 9 },
    userAgent: "Other/1",
    from: "me@a.test",
    keepCookies: true,
    documents: ["pdf", "csv"],
    formats: ["markdown", "links"],
    search: true,
    store: "warc",
    crawlPurposes: ["search"],
    contentUse: "reference",
    modifiedSince: Date.parse("2026-01-31T00:00:00Z") / 1000,
    pageRobots: false,
    traps: { ...DEFAULT_OPTIONS.traps, maxChain: 9 },
    maxCostUsd: 1.5,
    maxBytes: 2_000_000,
    retentionDays: 30,
    watch: {
      everyS: 43_200,
      fixed: true,
      tell: ["links", "data"],
      ignore: { urls: ["/news/**"], selectors: [".sidebar", "#ads"], patterns: ["Posted * ago"], leastShare: 0.02 },
      keepDays: 90,
    },
  };
  expect(requestFromForm(formFromCrawl(crawl(options), OWN))).toEqual({
    url: "https://a.test/",
    urls: ["https://b.test/x"],
    ...Object.fromEntries(Object.entries(options).filter(([name]) => !/^(urls|include|traps)/.test(name))),
    options: { includeSubdomains: true, includePatterns: ["/a/**", "/b"] },
    traps: { maxChain: 9 },
  });
  expect(requestFromForm(formFromCrawl(crawl({}), OWN))).toEqual({
    url: "https://a.test/",
    limit: 1000,
    // The crawl of an earlier version read none.
    documents: [],
    extractBy: "model",
    store: "files",
  });
});

test("a line that is no search form stays text for the API to refuse", () => {
  const forms = (...lines: string[]) => requestFromForm({ ...emptyForm(), url: ["a.test"], forms: [lines.join("\n")] });
  expect(forms("#q=a, b", "", "input")).toMatchObject({ forms: [{ selector: "#q", values: ["a", "b"] }, "input"] });
});

test("text that is no number or date stays text for the API to refuse", () => {
  const values: FormValues = { url: ["a.test"], limit: ["many"], depth: ["1,000"], modifiedSince: ["yesterday"] };
  expect(requestFromForm({ ...emptyForm(), ...values })).toMatchObject({
    limit: "many",
    depth: 1000,
    modifiedSince: "yesterday",
  });
});

test("without an interval the form makes no watch, and its other fields are not dropped", () => {
  expect(requestFromForm({ ...emptyForm(), url: ["a.test"], "watch.everyS": [" "] })).not.toHaveProperty("watch");
  expect(requestFromForm({ url: ["a.test"], "watch.keepDays": ["9"] })).toMatchObject({ watch: { keepDays: 9 } });
  expect(requestFromForm(formFromCrawl(crawl({ watch: null }), OWN))).not.toHaveProperty("watch");
});

test.each([
  ["30m", 1_800, "30m"],
  ["12 h", 43_200, "12h"],
  ["7D", 604_800, "7d"],
  ["2w", 1_209_600, "14d"],
  ["90s", 90, "90s"],
  ["weekly", "weekly", "weekly"],
  ["7", "7", "7"],
])("the interval %s is %s in the request, and %s in the form", (typed, everyS, shown) => {
  const { watch } = requestFromForm({ url: ["a.test"], "watch.everyS": [typed] });
  expect(watch).toEqual({ everyS });
  if (typeof everyS !== "number") return;
  const stored = { everyS, fixed: false, tell: [], ignore: { urls: [], selectors: [], patterns: [], leastShare: 0 } };
  expect(formFromCrawl(crawl({ watch: stored }), OWN)["watch.everyS"]).toEqual([shown]);
});

test("the form of a watch requests the same watch again", () => {
  const watch = {
    ...{ everyS: 3_600, fixed: true, tell: ["images" as const], keepDays: 30 },
    ignore: { urls: [], selectors: [".ad"], patterns: [], leastShare: 0.1 },
  };
  const requested = watchFromForm(formFromWatch(crawl({ watch })));
  expect(requested).toEqual({ ...watch, ignore: { selectors: [".ad"], leastShare: 0.1 } });
  expect(watchFromForm(formFromWatch(crawl({ watch: null })))).toEqual({});
});

test("a refused ignore rule names the field of the form that holds it", () => {
  const ignore = { urls: ["/news/**"], selectors: [".ad", ":hover"], patterns: ["*"] };
  const { error } = watchRequest.safeParse({ everyS: 3_600, ignore });
  const names = (error?.issues ?? []).map(({ path }) => ["watch", ...path].join("."));
  expect(names).toEqual(["watch.ignore.selectors", "watch.ignore.patterns"]);
  expect(crawlFields().map(({ name }) => name)).toEqual(expect.arrayContaining(names));
});
