import { describe, expect, test } from "vitest";
import {
  batchRequest,
  crawlRequestV2,
  scrapeRequest,
  searchRequest,
} from "../../../../src/api/firecrawl/requests/firecrawl-requests.ts";
import {
  optionsOfBatch,
  optionsOfCrawl,
  optionsOfScrape,
} from "../../../../src/api/firecrawl/requests/read-request.ts";
import { crawlFromV1, mapFromV1, scrapeFromV1 } from "../../../../src/api/firecrawl/requests/version-one.ts";

/** What becomes of bodies that were written for Firecrawl. */

const SEED = "https://a.test/docs/";
const INSTALLATION = {
  userAgent: "Orbweaver/0.2",
  store: "warc",
  documents: ["pdf", "csv"],
  privateAccess: "none",
  allowAddresses: false,
  maxCostUsd: 0,
} as const;

const crawlOf = (body: Record<string, unknown>) =>
  optionsOfCrawl(crawlRequestV2.parse({ url: SEED, ...body }), INSTALLATION);
const scrapeOf = (body: Record<string, unknown>) =>
  optionsOfScrape(scrapeRequest.parse({ url: SEED, ...body }), INSTALLATION);

describe("a crawl", () => {
  test("has Firecrawl's defaults", () => {
    expect(crawlOf({})).toMatchObject({
      urls: [SEED],
      limit: 10_000,
      depth: 100_000,
      source: "all",
      belowSeeds: true,
      includeSubdomains: false,
      includeExternalLinks: false,
      keepDuplicates: false,
      formats: ["markdown"],
      render: "auto",
      screenshot: false,
      search: true,
      documents: ["pdf", "csv"],
      webhook: null,
      politeness: { minDelayMs: 1_000 },
    });
  });

  test.each<[Record<string, unknown>, Record<string, unknown>]>([
    [
      { limit: 3, maxDiscoveryDepth: 2 },
      { limit: 3, depth: 2 },
    ],
    [
      { limit: null, maxDiscoveryDepth: null, includePaths: null },
      { limit: 10_000, depth: 100_000, includePatterns: [] },
    ],
    [{ sitemap: "skip" }, { source: "links" }],
    [{ sitemap: "only" }, { source: "sitemaps" }],
    [{ crawlEntireDomain: true }, { belowSeeds: false }],
    [
      { allowSubdomains: true, allowExternalLinks: true },
      { includeSubdomains: true, includeExternalLinks: true },
    ],
    [
      { includePaths: ["^/docs/"], excludePaths: ["old"] },
      { includePatterns: ["regex:^/docs/"], excludePatterns: ["regex:old"] },
    ],
    [{ includePaths: ["docs"], regexOnFullURL: true }, { includePatterns: ["regex-url:docs"] }],
    [{ deduplicateSimilarURLs: false }, { keepDuplicates: true }],
    [{ delay: 2.5 }, { politeness: expect.objectContaining({ minDelayMs: 2_500 }) }],
    [{ scrapeOptions: { timeout: 5_000, headers: { a: "b" } } }, { timeoutMs: 5_000, headers: { a: "b" } }],
    [{ scrapeOptions: { parsers: [] } }, { documents: ["csv"] }],
    [{ scrapeOptions: { formats: ["links", { type: "rawHtml" }] } }, { formats: ["links", "rawHtml"] }],
    [
      { scrapeOptions: { formats: [{ type: "screenshot", fullPage: true, viewport: { width: 800, height: 600 } }] } },
      {
        screenshot: true,
        render: "always",
        renderOptions: expect.objectContaining({ viewport: { width: 800, height: 600 } }),
      },
    ],
    // What clients send without being asked.
    [{ origin: "js-sdk@4.42.0", integration: "x", maxConcurrency: 5, zeroDataRetention: false, webhook: null }, {}],
  ])("%j", (body, expected) => {
    expect(crawlOf(body)).toMatchObject(expected);
  });

  test("has a webhook in their form, for their events", () => {
    const webhook = { url: "https://hook.test/", events: ["page"], headers: { "X-A": "b" }, metadata: { c: "d" } };
    expect(crawlOf({ webhook }).webhook).toMatchObject({
      url: "https://hook.test/",
      events: ["crawl.page"],
      style: { job: "crawl", headers: { "x-a": "b" }, metadata: { c: "d" } },
    });
    expect(crawlOf({ webhook: "https://hook.test/" }).webhook).toMatchObject({
      events: ["crawl.started", "crawl.page", "crawl.completed", "crawl.failed"],
      style: { job: "crawl", headers: {}, metadata: {} },
    });
  });
});

describe("a batch", () => {
  const batchOf = (body: Record<string, unknown>) => optionsOfBatch(batchRequest.parse(body), INSTALLATION);

  test("is the pages alone", () => {
    const { options, invalid } = batchOf({ urls: [SEED, "nonsense", "http://10.0.0.1/", "https://b.test/"] });
    expect(options).toMatchObject({ urls: [SEED, "https://b.test/"], limit: 2, depth: 0, source: "links" });
    expect(invalid).toEqual(["nonsense", "http://10.0.0.1/"]);
  });

  test("without a URL that can be fetched is refused", () => {
    expect(() => batchOf({ urls: ["nonsense"] })).toThrow("None of the URLs");
    expect(() => batchOf({ urls: [SEED, "nonsense"], ignoreInvalidURLs: false })).toThrow("nonsense");
  });
});

test("a scrape is one page, and its timeout is that of the answer", () => {
  expect(scrapeOf({ timeout: 1_000 })).toMatchObject({
    urls: [SEED],
    limit: 1,
    depth: 0,
    timeoutMs: 30_000,
    retentionDays: 30,
  });
});

test("a location becomes the languages that are asked for", () => {
  const acceptOf = (location: unknown) => scrapeOf({ location }).headers["accept-language"];
  expect(acceptOf({ country: "DE" })).toBe("de-DE, de;q=0.9");
  expect(acceptOf({ country: "BR", languages: ["en", "pt-BR"] })).toBe("en, pt-BR;q=0.9");
  expect([acceptOf({}), acceptOf(null)]).toEqual([undefined, undefined]);
});

test("what is chosen for one page is refused for the hits of a search, with what to do", () => {
  for (const scrapeOptions of [{ onlyMainContent: false }, { includeTags: ["h1"] }, { excludeTags: ["nav"] }])
    expect(searchRequest.safeParse({ query: "x", scrapeOptions }).error?.issues[0]?.message).toContain("rawHtml");
});

test("the elements of a job are options of its crawl", () => {
  const scrapeOptions = { includeTags: ["article"], excludeTags: [".ad"] };
  const chosen = { wholePages: false, contentSelectors: ["article"], removeSelectors: [".ad"] };
  expect(optionsOfCrawl(crawlRequestV2.parse({ url: SEED, scrapeOptions }), INSTALLATION)).toMatchObject(chosen);
  const batch = batchRequest.parse({ urls: [SEED], ...scrapeOptions });
  expect(optionsOfBatch(batch, INSTALLATION).options).toMatchObject(chosen);
  const bad = crawlRequestV2.safeParse({ url: SEED, scrapeOptions: { includeTags: ["h1["] } });
  expect(bad.error?.issues[0]?.message).toContain('"h1["');
});

test.each([{ onlyMainContent: false }, { includeTags: ["h1"] }, { excludeTags: ["nav"] }])(
  "with %j, what is chosen comes with the job, and not with its notices",
  (scrapeOptions) => {
    const whole = { url: SEED, scrapeOptions };
    expect(optionsOfCrawl(crawlRequestV2.parse(whole), INSTALLATION).wholePages).toBe(
      "onlyMainContent" in scrapeOptions,
    );
    const parse = (events: string[]) =>
      crawlRequestV2.safeParse({ ...whole, webhook: { url: "https://a.test/", events } }).error?.issues[0]?.message;
    expect([parse(["page"]), parse(["completed"])]).toEqual([expect.stringContaining("a notice of a page"), undefined]);
  },
);

describe("refused by a sentence", () => {
  const refusalOf = (body: Record<string, unknown>) =>
    scrapeRequest.safeParse({ url: SEED, ...body }).error?.issues[0]?.message ?? "it was taken";

  test.each<[Record<string, unknown>, string]>([
    [{ formats: ["json"] }, "give a schema, a prompt, or both"],
    [{ formats: [{ type: "json", prompt: "" }] }, "prompt"],
    [{ formats: [{ type: "json", schema: { type: "nonsense" } }] }, "nonsense"],
    [{ formats: [{ type: "json", rules: { a: { selector: "h1[" } } }] }, "selector"],
    [{ formats: ["summary"] }, '"summary" is not available'],
    [{ formats: ["changeTracking"] }, "orbweaver watch"],
    [{ formats: ["nonsense"] }, '"nonsense" is no format'],
    [{ formats: [{ type: "screenshot", viewport: { width: 1 } }] }, "viewport.width"],
    [{ includeTags: ["h1["] }, "is not a CSS selector"],
    [{ excludeTags: ["a:has(b)"] }, "a:has(b)"],
    [{ waitFor: -1 }, "Too small"],
    [{ actions: [{ type: "wait", milliseconds: 1 }] }, "renderOptions"],
    [{ location: { country: "Germany" } }, "two letters"],
    [{ skipTlsVerification: true }, "always verified"],
    [{ mobile: true }, "no phone"],
    [{ proxy: "stealth" }, "none evades"],
    [{ parsers: ["image"] }, "Invalid"],
    [{ zeroDataRetention: true }, "storeInCache"],
    [{ profile: { name: "x" } }, "no browser profile"],
    [{ redactPII: true }, "nothing is redacted"],
    [{ waitFour: 1 }, "there is no waitFour (did you mean waitFor?)"],
  ])("%j", (body, words) => {
    expect(refusalOf(body)).toContain(words);
  });

  test.each([
    { onlyMainContent: true, includeTags: [], excludeTags: [], waitFor: 0, mobile: false, actions: [], location: {} },
    { skipTlsVerification: false, removeBase64Images: true, blockAds: false, fastMode: true, proxy: "auto" },
    {
      domainTools: true,
      toolDetail: "compact",
      origin: "mcp",
      integration: null,
      parsers: [{ type: "pdf", mode: "auto" }],
    },
  ])("but not what asks for nothing: %j", (body) => {
    expect(refusalOf(body)).toBe("it was taken");
  });

  test("sources of a search without the web", () => {
    const parse = (sources: unknown) => searchRequest.safeParse({ query: "q", sources }).success;
    expect([parse(["web"]), parse([{ type: "web" }, { type: "alexandria" }]), parse([]), parse(["news"])]).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});

describe("version 1", () => {
  test.each<[unknown, unknown]>([
    [{ url: SEED }, { url: SEED, maxAge: 0 }],
    [
      { formats: ["extract", "json", "markdown"], extract: { prompt: "a" }, jsonOptions: { schema: {} } },
      { formats: [{ prompt: "a", type: "extract" }, { schema: {}, type: "json" }, "markdown"], maxAge: 0 },
    ],
    [
      { parsePDF: false, maxAge: 5 },
      { parsers: [], maxAge: 5 },
    ],
    ["text", "text"],
  ])("of a scrape: %j", (body, expected) => {
    expect(scrapeFromV1(body)).toEqual(expected);
  });

  test.each<[unknown, unknown]>([
    [
      { maxDepth: 2, allowBackwardLinks: true, ignoreSitemap: true },
      { maxDiscoveryDepth: 2, crawlEntireDomain: true, sitemap: "skip" },
    ],
    [
      { ignoreSitemap: false, scrapeOptions: { parsePDF: true } },
      { sitemap: "include", scrapeOptions: { parsers: ["pdf"] } },
    ],
    [{ maxDepth: 2, maxDiscoveryDepth: 3 }, { maxDiscoveryDepth: 3 }],
    [[], []],
  ])("of a crawl: %j", (body, expected) => {
    expect(crawlFromV1(body)).toEqual(expected);
  });

  test.each<[unknown, unknown]>([
    [{ sitemapOnly: true, ignoreSitemap: true }, { sitemap: "only" }],
    [
      { ignoreSitemap: true, limit: 5 },
      { sitemap: "skip", limit: 5 },
    ],
    [null, null],
  ])("of a map: %j", (body, expected) => {
    expect(mapFromV1(body)).toEqual(expected);
  });
});
