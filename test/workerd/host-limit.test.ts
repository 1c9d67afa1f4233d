import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import { consume } from "../../src/frontier/batch/consumer.ts";
import { isOverHostLimit } from "../../src/store/ledger/host-pages.ts";
import { emptyCommit } from "../../src/store/ledger/ledger-commit.ts";
import { mirrorKey } from "../../src/store/mirror/mirror-key.ts";
import { expectCountersExact, expectIndexExact } from "./ledger-invariant.ts";
import { settled } from "./rows.ts";
import { HOUR_MS } from "./watched-world.ts";
import { type Web, World, type WorldOptions } from "./world.ts";

/**
 * A host gives exactly as many pages as its limit, also where lanes do not know of each other. Each test stops a batch
 * before its transaction for so long that its lane's lease ends, and another batch then commits pages of the host.
 */

const OPTIONS: Partial<CrawlOptions> = { store: "files", search: true, includeExternalLinks: true };
/** Longer than any lease. */
const LONG_MS = 24 * HOUR_MS;
const pageOf = (n: number) => `https://a.test/p${n}`;
const pages = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => pageOf(from + i));
/** Each page of the host leads to one of another host. */
const WEB: Web = (url) => ({
  links: url.startsWith("https://a.test/") ? [url.replace("a.test", "other.test")] : [],
  text: `words of ${url}`,
});

interface Race {
  seeds: string[];
  limitPerHost: number;
  /** The batch that is stopped. */
  slow: string[];
  /** The batches that overtake it: one before each of its first transactions. */
  fast: string[][];
  options?: WorldOptions;
}

async function race({ seeds, limitPerHost, slow, fast, options = {} }: Race) {
  const left = [...fast];
  const waiting: (() => Promise<void>)[] = [];
  const world = new World(WEB, {
    ...options,
    beforeCommit: async () => {
      await waiting.shift()?.();
    },
  });
  const crawl = await world.start(seeds, { ...OPTIONS, limitPerHost });
  const consumePages = (urls: string[]) =>
    consume(
      urls.map((url) => ({ crawl, epoch: 1, url, sitemap: false, visit: null, failures: 0 })),
      world.deps,
      "all",
    );
  const overtake = async (): Promise<void> => {
    const urls = left.shift();
    if (urls === undefined) return;
    world.now += LONG_MS;
    await consumePages(urls);
    waiting.push(overtake);
  };
  waiting.push(overtake);
  const report = await consumePages(slow);
  const query = env.LEDGER.prepare("SELECT url, status, reason FROM urls WHERE crawl = ?1 ORDER BY url");
  const { results: rows } = await query.bind(crawl).all<{ url: string; status: string; reason: string | null }>();
  const completed = rows.filter(({ status }) => status === "completed").map(({ url }) => url);
  return { world, crawl, report, rows, completed, fastLeft: left.length };
}

/** The files and texts of the host's pages, and what they lead to, are those of the completed pages alone. */
async function expectOnly(crawl: string, completed: string[], rows: { url: string }[]): Promise<void> {
  await expectCountersExact(crawl);
  await expectIndexExact(crawl);
  // The large fields of this crawl lie in packs beside its files.
  const { objects } = await env.MIRROR.list({ prefix: `${crawl}/a.test/` });
  expect(objects.map(({ key }) => key).toSorted()).toEqual(completed.map((url) => mirrorKey(crawl, url)).toSorted());
  const links = rows.map(({ url }) => url).filter((url) => url.startsWith("https://other.test/"));
  expect(links).toEqual(completed.map((url) => url.replace("a.test", "other.test")));
}

test("a lane that outlives its lease turns away what the next one has taken the room of", async () => {
  const seeds = pages(0, 10);
  const { crawl, rows, completed, report, world } = await race({
    seeds,
    limitPerHost: 6,
    slow: seeds.slice(0, 5),
    fast: [seeds.slice(5)],
  });
  expect(world.fetched).toHaveLength(10);
  expect(completed).toEqual([pageOf(0), ...pages(5, 10)]);
  const others = rows.filter(({ url, status }) => url.startsWith("https://a.test/") && status !== "completed");
  expect(others).toEqual(pages(1, 5).map((url) => ({ url, status: "skipped", reason: "host-limit" })));
  expect(report.failures).toEqual([]);
  expect(report.settled[crawl]).toEqual({ completed: 1, skipped: 4 });
  await expectOnly(crawl, completed, rows);
});

test("a batch may lose several races, and settles what is left", async () => {
  const seeds = pages(0, 10);
  const fast = pages(6, 10).map((url) => [url]);
  const { crawl, rows, completed, report, fastLeft } = await race({
    seeds,
    limitPerHost: 5,
    slow: seeds.slice(0, 6),
    fast,
  });
  expect(fastLeft).toBe(0);
  expect(completed).toEqual([pageOf(0), ...pages(6, 10)]);
  expect(report.failures).toEqual([]);
  await expectOnly(crawl, completed, rows);
});

test("a page that the other lane completed keeps its file, and takes no room twice", async () => {
  const seeds = pages(0, 8);
  const { crawl, rows, completed } = await race({
    seeds,
    limitPerHost: 6,
    slow: seeds.slice(0, 6),
    fast: [[...seeds.slice(0, 3), pageOf(6), pageOf(7)]],
  });
  expect(completed).toEqual([...pages(0, 4), pageOf(6), pageOf(7)]);
  await expectOnly(crawl, completed, rows);
});

test("a batch that comes twice turns nothing away", async () => {
  const seeds = pages(0, 6);
  const { crawl, rows, completed } = await race({ seeds, limitPerHost: 6, slow: seeds, fast: [seeds] });
  expect(completed).toEqual(seeds);
  await expectOnly(crawl, completed, rows);
});

/** The room is for six pages of the first transaction and one of the second, or for two of the first. */
test.each([10, 5])("a commit in several transactions keeps the limit of %i pages", async (limitPerHost) => {
  const seeds = pages(0, 12);
  const texts = Array.from({ length: 10 }, () => "x".repeat(10_000));
  // 300 kB a page.
  const fields = { first: texts, second: texts, third: texts };
  const hook = { pagesRead: (read: readonly unknown[]) => read.map(() => ({ fields })) };
  const { crawl, rows, completed, report } = await race({
    seeds,
    limitPerHost,
    slow: seeds.slice(0, 9),
    fast: [seeds.slice(9)],
    options: { hook },
  });
  expect(completed).toHaveLength(limitPerHost);
  expect(completed).toEqual(expect.arrayContaining(pages(9, 12)));
  expect(report.failures).toEqual([]);
  // What pages lead to is in the ledger before the first of them settles, also where one is turned away later.
  await expectOnly(
    crawl,
    completed,
    rows.filter(({ url }) => completed.includes(url.replace("other.test", "a.test"))),
  );
});

test("the usage of a commit that was made again is billed once", async () => {
  const seeds = pages(0, 10);
  const { crawl, world } = await race({ seeds, limitPerHost: 6, slow: seeds.slice(0, 5), fast: [seeds.slice(5)] });
  // A file is a write, and so is none that a transaction which failed would bill a second time.
  expect((await world.deps.ledger.crawl(crawl))?.usage.mirrorWrites).toBeCloseTo(10);
});

test("the ledger refuses a transaction with too many pages as a whole", async () => {
  const world = new World(WEB);
  const seeds = pages(0, 3);
  const { ledger } = world.deps;
  const crawl = await world.start(seeds, { limitPerHost: 2 });
  const commitOf = (urls: string[]) => ({
    ...emptyCommit(crawl),
    outcomes: urls.map((url) => settled(url)),
    hostPages: urls.map((url) => ({ url, host: "a.test" })),
    limitPerHost: 2,
  });
  const refused = await ledger.commit([commitOf(seeds)], 5).catch((error: unknown) => error);
  expect(isOverHostLimit(refused)).toBe(true);
  expect(await ledger.hostPages(crawl, ["a.test"])).toEqual(new Map());
  expect((await ledger.crawl(crawl))?.counters).toMatchObject({ queued: 3, completed: 0 });
  await ledger.commit([commitOf(seeds.slice(0, 1))], 6);
  expect(isOverHostLimit(await ledger.commit([commitOf(seeds)], 7).catch((error: unknown) => error))).toBe(true);
  await ledger.commit([commitOf(seeds.slice(0, 2))], 8);
  expect(await ledger.hostPages(crawl, ["a.test"])).toEqual(new Map([["a.test", 2]]));
  expect(await ledger.fullHosts(crawl, 2, 9)).toEqual(["a.test"]);
  expect(await ledger.fullHosts(crawl, 3, 9)).toEqual([]);
  await expectCountersExact(crawl);
});
