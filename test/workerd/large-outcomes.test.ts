import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import type { CrawlHook } from "../../src/crawl/hook.ts";
import type { Outcome } from "../../src/crawl/outcome.ts";
import { emptyCommit, splitCommit } from "../../src/store/ledger-commit.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { discovered, settled, visited, WATCH } from "./rows.ts";
import { World } from "./world.ts";

/** What pages bring may be large. A transaction takes 2 MB a parameter, so a commit is split, and a page is bounded. */

useModelLedger();

const HOME = "https://a.test/";
/** 100 kB. */
const TEN_LONG_TEXTS = Array.from({ length: 10 }, () => "x".repeat(10_000));
const large = (characters: number) => ({ text: "x".repeat(characters) });
const sized = (url: string, characters: number): Outcome => settled(url, { fields: large(characters) });

async function rowsOf(crawl: string) {
  const query = env.LEDGER.prepare(
    "SELECT url, status, reason, detail, octet_length(fields) AS bytes FROM urls WHERE crawl = ?1 ORDER BY url",
  );
  type Row = { url: string; status: string; reason: string | null; detail: string | null; bytes: number | null };
  return (await query.bind(crawl).all<Row>()).results;
}

/** A crawl of a page that links `count` others, with a hook that gives fields to each. */
async function crawlWith(count: number, pagesRead: NonNullable<CrawlHook["pagesRead"]>) {
  const links = Array.from({ length: count }, (_, i) => `${HOME}p${i}`);
  const world = new World((url) => ({ links: url === HOME ? links : [], text: "t" }), { hook: { pagesRead } });
  const crawl = await world.start([HOME]);
  await world.runToEnd(crawl);
  await expectCountersExact(crawl);
  return { crawl, world, rows: await rowsOf(crawl) };
}

describe("the hook's fields", () => {
  test("of 100 kB a page on 50 pages are all stored", async () => {
    const { rows, world } = await crawlWith(50, (pages) => pages.map(() => ({ fields: { all: TEN_LONG_TEXTS } })));
    expect(rows.map(({ status }) => status)).toEqual(Array.from({ length: 51 }, () => "completed"));
    expect(rows.every(({ bytes }) => (bytes ?? 0) > 100_000)).toBe(true);
    expect(world.fetched).toHaveLength(51);
  });

  test("of 2.5 MB end their page alone", async () => {
    const fields = Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`f${i}`, TEN_LONG_TEXTS]));
    const { rows, world } = await crawlWith(30, (pages) =>
      pages.map(({ url }) => (url.endsWith("/p3") ? { fields } : null)),
    );
    const ended = rows.filter(({ status }) => status !== "completed");
    expect(ended).toMatchObject([{ url: `${HOME}p3`, status: "skipped", reason: "too-large" }]);
    expect(ended[0]?.detail).toMatch(/^its fields and other facts take 2,50\d,\d{3} bytes, and 1,000,000 are allowed$/);
    expect(rows).toHaveLength(31);
    expect(world.fetched).toHaveLength(31);
  });
});

describe("a commit that is too large for a transaction", () => {
  const pages = Array.from({ length: 8 }, (_, i) => `${HOME}p${i}`);

  async function start() {
    const { ledger } = new World(() => ({ links: [] })).deps;
    const id = crypto.randomUUID();
    const options = { urls: [HOME], userAgent: "T/1", limit: 100, watch: null };
    const seeds = pages.map((url) => discovered(url, { depth: 0 }));
    const crawl = { id, options: { ...DEFAULT_OPTIONS, ...options }, hosts: ["a.test"], seeds, sitemaps: [], now: 1 };
    await ledger.create(crawl);
    return { id, ledger };
  }

  const commitOf = (crawl: string) => ({
    ...emptyCommit(crawl),
    outcomes: pages.map((url) => sized(url, 500_000)),
    discoveries: pages.map((url) => discovered(`${url}/next`, { via: url })),
    usage: { cpuMs: 8 },
  });

  test("settles all pages, finds all links, and sends what moves up once", async () => {
    const { id, ledger } = await start();
    const [moved] = await ledger.commit([commitOf(id)], 2);
    expect(moved?.settled.map(({ url }) => url).sort()).toEqual(pages);
    expect(moved?.queued.toSorted()).toEqual(pages.map((url) => `${url}/next`));
    expect(moved?.state).toMatchObject({ status: "running", queued: 8, pending: 0 });
    expect((await ledger.crawl(id))?.usage).toEqual({ cpuMs: 8 });
    await expectCountersExact(id);
  });

  test("may end the crawl", async () => {
    const { id, ledger } = await start();
    const [moved] = await ledger.commit([{ ...commitOf(id), discoveries: [] }], 2);
    expect(moved?.state).toMatchObject({ status: "completed", tx_ended: 1 });
    await expectCountersExact(id);
  });

  test("has every part of a page in one transaction, and each list once", () => {
    const commit = {
      ...commitOf("c"),
      visits: pages.map((url) => visited(`${url}v`, { outcome: sized(`${url}v`, 500_000) })),
      texts: pages.map((url) => ({ url, title: null, text: "t", visit: null })),
      added: pages,
      hostPages: pages.map((url) => ({ url, host: "a.test" })),
      refusals: pages.map((page) => ({ page, in: "urls" as const, reason: "depth" as const, count: 1, examples: [] })),
    };
    const { portions, parts, last } = splitCommit(commit);
    expect(portions.flat()).toEqual(commit.discoveries);
    const all = [...parts, last];
    for (const list of ["outcomes", "visits", "texts", "added", "hostPages", "refusals"] as const)
      expect(all.flatMap((part): unknown[] => part[list])).toEqual(commit[list]);
    for (const part of all) {
      const own = part.outcomes.map(({ url }) => url);
      expect([part.texts.map(({ url }) => url), part.added]).toEqual([own, own]);
      expect(JSON.stringify(part.outcomes).length).toBeLessThan(2_000_000);
    }
  });

  test("settles visits in parts, too", async () => {
    const { id, ledger } = await start();
    await ledger.commit([{ ...emptyCommit(id), outcomes: pages.map((url) => settled(url)) }], 2);
    await ledger.watch(id, WATCH, 3);
    const visits = pages.map((url) =>
      visited(url, { result: "changed", change: "changed", outcome: sized(url, 500_000) }),
    );
    await ledger.commit([{ ...emptyCommit(id), visits }], 4);
    expect((await rowsOf(id)).every(({ bytes }) => (bytes ?? 0) > 500_000)).toBe(true);
    expect((await ledger.crawl(id))?.changes).toBe(8);
    await expectCountersExact(id);
  });
});
