import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import { explain } from "../../src/reading/explain/explain.ts";
import { type Answer, World, type WorldOptions } from "./world.ts";

/** Crawls of some languages, and of hosts in some countries. */

const A = "https://a.test";
const SEED = `${A}/`;

async function crawl(web: Record<string, Answer>, options: Partial<CrawlOptions>, world: WorldOptions = {}) {
  const seeds = options.urls ?? [SEED];
  const made = new World((url) => web[url] ?? { links: [] }, world);
  const id = await made.start(seeds, options);
  await made.runToEnd(id);
  const { results } = await env.LEDGER.prepare(
    "SELECT url, status, reason, detail, language, priority FROM urls WHERE crawl = ?1 ORDER BY url",
  )
    .bind(id)
    .all<{ url: string; reason: string | null; detail: string | null; language: string | null; priority: number }>();
  return {
    id,
    world: made,
    rows: new Map(results.map((row) => [row.url, row])),
    reasons: Object.fromEntries(results.map(({ url, reason }) => [url, reason])),
  };
}

describe("languages", () => {
  const WEB: Record<string, Answer> = {
    [SEED]: { links: [`${A}/a`, `${A}/en/b`, `${A}/de/c`, `${A}/d`], language: "en" },
    [`${A}/a`]: { links: [`${A}/a/more`], language: "de-AT" },
    [`${A}/a/more`]: { links: [], language: "fr" },
    [`${A}/en/b`]: { links: [], language: "en" },
    [`${A}/de/c`]: { links: [], language: "de" },
    [`${A}/d`]: { links: [] },
  };

  test("pages in others are skipped, and their links are followed", async () => {
    const { rows, reasons, id, world } = await crawl(WEB, { languages: ["de"] });
    expect(reasons).toEqual({
      [SEED]: "language",
      [`${A}/a`]: null,
      [`${A}/a/more`]: "language",
      [`${A}/en/b`]: "language",
      [`${A}/de/c`]: null,
      [`${A}/d`]: null,
    });
    expect(rows.get(SEED)).toMatchObject({ status: "skipped", detail: "en", language: "en" });
    expect(rows.get(`${A}/a`)?.language).toBe("de-AT");
    const state = await world.deps.ledger.crawl(id);
    expect(state?.counters).toMatchObject({ completed: 3, skipped: 3 });
    const about = await explain(SEED, { crawl: state as NonNullable<typeof state> }, world.deps, "all");
    expect(about.sentence).toBe("It is skipped: it is in another language than the crawl asks for: en.");
    const german = await world.deps.records.list(id, { cursor: "", limit: 10, language: "de" });
    expect(german.map(({ url }) => url)).toEqual([`${A}/a`, `${A}/de/c`]);
  });

  test.each([{ languages: ["de"] }, { preferLanguages: ["de"] }])(
    "%j: what leads to them goes first",
    async (options) => {
      const seed: Answer = {
        links: [`${A}/a`, `${A}/en/b`, `${A}/de/c`, `${A}/d`],
        language: "en",
        alternates: [{ url: `${A}/d`, language: "de" }],
      };
      const { rows, reasons } = await crawl({ ...WEB, [SEED]: seed }, options);
      const priorities = Object.fromEntries([...rows].map(([url, { priority }]) => [url, priority]));
      expect(priorities).toEqual({
        [SEED]: 900,
        [`${A}/a`]: 0,
        [`${A}/a/more`]: 900,
        [`${A}/en/b`]: 0,
        [`${A}/de/c`]: 900,
        [`${A}/d`]: 900,
      });
      if (options.preferLanguages !== undefined) expect(new Set(Object.values(reasons))).toEqual(new Set([null]));
    },
  );
});

describe("countries", () => {
  const ADDRESSES = {
    "a.test": ["140.112.8.116"],
    "b.test": ["1.2.4.8"],
    "cdn.test": ["104.16.1.1"],
    "cdn.tw": ["104.16.1.1"],
    "cdn.cn": ["104.16.1.1"],
  };
  const OTHERS = ["https://b.test/", "https://cdn.test/", "https://cdn.tw/", "https://cdn.cn/", "https://gone.test/"];

  test("hosts in others get no request: seeds, links, targets of redirects", async () => {
    const web: Record<string, Answer> = {
      [SEED]: { links: [...OTHERS, `${A}/moved`], assets: ["https://b.test/logo.png"] },
      [`${A}/moved`]: { redirect: "https://b.test/moved" },
      "https://b.test/logo.png": { links: [], type: "image/png" },
    };
    const { reasons, rows, world, id } = await crawl(
      web,
      { urls: [SEED, "https://b.test/seed"], countries: ["TW"], includeExternalLinks: true, assets: true },
      { addresses: ADDRESSES },
    );
    expect(reasons).toEqual({
      [SEED]: null,
      [`${A}/moved`]: "redirected",
      "https://b.test/": "country",
      "https://b.test/logo.png": null,
      "https://b.test/moved": "country",
      "https://b.test/seed": "country",
      // Nobody can tell, so they are asked.
      "https://cdn.test/": null,
      "https://gone.test/": null,
      "https://cdn.cn/": "country",
      "https://cdn.tw/": null,
    });
    expect(rows.get("https://b.test/")).toMatchObject({
      status: "skipped",
      detail: "its address 1.2.4.8 is in China (CN)",
    });
    expect(rows.get("https://cdn.cn/")?.detail).toBe(
      "its address 104.16.1.1 belongs to Cloudflare, and its domain .cn stands for China (CN)",
    );
    expect(world.requests.map(({ url }) => url).filter((url) => /b\.test|cdn\.cn/.test(url))).toEqual([
      "https://b.test/robots.txt",
      "https://b.test/logo.png",
    ]);
    const state = await world.deps.ledger.crawl(id);
    expect(state?.counters).toMatchObject({ queued: 0, skipped: 5 });
  });

  test("sitemaps of hosts in others are not asked for, and one that is named is reported", async () => {
    const named = { [A]: ["https://b.test/map.xml", `${A}/map.xml`] };
    const options = { urls: [SEED, "https://b.test/"], countries: ["TW"], source: "all" as const };
    const { world, id } = await crawl({}, options, { addresses: ADDRESSES, named, sitemaps: () => ({ pages: [] }) });
    expect(world.asked.every((url) => url.startsWith(A))).toBe(true);
    expect(world.asked).toContain(`${A}/map.xml`);
    expect(await world.deps.sitemaps.report(id, 10)).toMatchObject({
      open: 0,
      failed: 1,
      problems: [{ url: "https://b.test/map.xml", reason: "country", detail: "its address 1.2.4.8 is in China (CN)" }],
    });
  });

  test("a crawl of all countries asks no resolver", async () => {
    const { reasons, world } = await crawl({}, { urls: [SEED, "https://b.test/"] }, { addresses: ADDRESSES });
    expect(reasons).toEqual({ [SEED]: null, "https://b.test/": null });
    expect(world.resolved).toEqual([]);
  });

  test("a host is resolved once", async () => {
    const links = Array.from({ length: 20 }, (_, i) => `${A}/${i}`);
    const { world } = await crawl({ [SEED]: { links } }, { countries: ["TW"] }, { addresses: ADDRESSES });
    expect([world.resolved, world.fetched.length]).toEqual([["a.test"], 21]);
  });

  test("explain says where a host is, and asks it for nothing", async () => {
    const { world, id } = await crawl({}, { countries: ["TW"], includeExternalLinks: true }, { addresses: ADDRESSES });
    const state = await world.deps.ledger.crawl(id);
    const subject = { crawl: state as NonNullable<typeof state> };
    const refused = await explain("https://b.test/x", subject, world.deps, "all");
    expect(refused).toMatchObject({
      verdict: "skipped",
      sentence: "The crawl does not ask its host: its address 1.2.4.8 is in China (CN).",
    });
    expect(refused.steps.at(-1)).toEqual({
      step: "country",
      ok: false,
      rule: "the crawl asks for TW",
      detail: "its address 1.2.4.8 is in China (CN)",
    });
    const allowed = await explain(`${A}/x`, subject, world.deps, "all");
    expect(allowed.steps.map(({ step, ok }) => [step, ok])).toContainEqual(["country", true]);
    expect(world.requests.some(({ host }) => host === "b.test")).toBe(false);
  });
});
