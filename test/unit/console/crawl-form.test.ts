import { expect, test } from "vitest";
import type { CrawlView } from "../../../src/api/views.ts";
import { fieldGroups } from "../../../src/console/crawl-fields.ts";
import { emptyForm, type Filled, formLike, requestOf } from "../../../src/console/crawl-form-data.ts";
import { type CrawlOptions, DEFAULT_OPTIONS } from "../../../src/crawl/crawl-options.ts";

const fields = fieldGroups().flatMap(({ fields }) => fields);
const AGENT = "Orbweaver/test";

function crawl(options: Partial<CrawlOptions>): CrawlView {
  const all = { ...DEFAULT_OPTIONS, urls: ["https://a.test/"], limit: 1000, userAgent: AGENT, ...options };
  return { options: all } as unknown as CrawlView;
}

test("every option of the API has a field with a name and a sentence of its own, in a group of its own kind", () => {
  expect(fieldGroups().map(({ title }) => title)).not.toContain("More");
  for (const { name, label, text } of fields) {
    expect(label, name).not.toBe(name);
    expect(text, name).toMatch(/^[A-Z].*\.$/);
    expect(text, name).not.toMatch(/`|maxQueued|includePatterns|null/);
  }
});

test("a form that nobody has touched asks for nothing but its seed", () => {
  expect(requestOf({ ...emptyForm(), url: ["a.test"] })).toEqual({ url: "https://a.test", limit: 1000 });
});

test("the form of an earlier crawl asks for that crawl again, whatever its options were", () => {
  const options: Partial<CrawlOptions> = {
    urls: ["https://a.test/", "https://b.test/x"],
    limit: 7,
    depth: 3,
    source: "links",
    scriptLinks: true,
    dryRun: true,
    includeSubdomains: true,
    includePatterns: ["/a/**", "/b"],
    preferPatterns: ["/news/**"],
    politeness: { minDelayMs: 5, maxDelayMs: 6, delayFactor: 0.5, maxConcurrencyPerHost: 2 },
    userAgent: "Other/1",
    formats: ["markdown", "links"],
    search: true,
    store: "warc",
    crawlPurposes: ["search"],
    contentUse: "reference",
    modifiedSince: Date.parse("2026-01-31T00:00:00Z") / 1000,
    pageRobots: false,
    traps: { ...DEFAULT_OPTIONS.traps, maxChain: 9 },
    maxCostUsd: 1.5,
    retentionDays: 30,
  };
  expect(requestOf(formLike(crawl(options), AGENT))).toEqual({
    url: "https://a.test/",
    urls: ["https://b.test/x"],
    ...Object.fromEntries(Object.entries(options).filter(([name]) => !/^(urls|include|traps)/.test(name))),
    options: { includeSubdomains: true, includePatterns: ["/a/**", "/b"] },
    traps: { maxChain: 9 },
  });
  expect(requestOf(formLike(crawl({}), AGENT))).toEqual({ url: "https://a.test/", limit: 1000, store: "files" });
});

test("what is no number, and no day, is left for the API to refuse", () => {
  const filled: Filled = { url: ["a.test"], limit: ["many"], depth: ["1,000"], modifiedSince: ["yesterday"] };
  expect(requestOf({ ...emptyForm(), ...filled })).toMatchObject({
    limit: "many",
    depth: 1000,
    modifiedSince: "yesterday",
  });
});
