import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { DEFAULT_TRAPS, type TrapLimits } from "../../src/crawl/crawl-options.ts";
import { Ledger } from "../../src/store/ledger/ledger.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { type Web, World } from "./world.ts";

const HOME = "https://a.test/";
const ledger = new Ledger(env.LEDGER);

async function crawlOf(web: Web, traps: Partial<TrapLimits> = {}) {
  const world = new World(web);
  const crawl = await world.start([HOME], { traps: { ...DEFAULT_TRAPS, ...traps } });
  await world.runToEnd(crawl);
  await expectCountersExact(crawl);
  const refused = new Map(
    (await ledger.refusals(crawl)).map(({ reason, count, examples }) => [reason, { count, examples }]),
  );
  return { world, crawl, refused };
}

test("a crawl that an earlier version stored gets the default limits", async () => {
  const world = new World(() => ({ links: [`${HOME}next`] }));
  const crawl = await world.start([HOME]);
  await env.LEDGER.prepare("UPDATE crawls SET options = json_remove(options, '$.traps', '$.pageRobots') WHERE id = ?1")
    .bind(crawl)
    .run();
  await world.runToEnd(crawl);
  expect((await ledger.crawl(crawl))?.options).toMatchObject({ traps: DEFAULT_TRAPS, pageRobots: true });
  expect(world.fetched).toEqual([HOME, `${HOME}next`]);
});

test("an endless calendar ends at maxChain", async () => {
  const { world, refused } = await crawlOf(
    (url) => ({
      links: url === HOME ? [`${HOME}cal/1`] : [`${HOME}cal/${Number(url.slice(url.lastIndexOf("/") + 1)) + 1}`],
    }),
    { maxChain: 10 },
  );
  expect(world.fetched).toHaveLength(12);
  expect(refused.get("chain")).toEqual({ count: 1, examples: [`${HOME}cal/12`] });
});

test("pages of one pattern that a list or other pages link to are no chain", async () => {
  const pages = Array.from({ length: 200 }, (_, i) => `${HOME}item/${i}`);
  const { world, refused } = await crawlOf(
    (url) => ({ links: url === HOME ? pages.slice(0, 10) : pages.filter((_, i) => i % 10 === Number(url.at(-1))) }),
    { maxChain: 10 },
  );
  expect(new Set(world.fetched).size).toBe(101 + 100);
  expect(refused.size).toBe(0);
});

test("facets end at maxVariants for their pattern, even within one batch", async () => {
  const facets = (n: number) => Array.from({ length: 9 }, (_, i) => `${HOME}shop?a=${n * 10 + i}&b=${i}`);
  const { world, refused } = await crawlOf(
    (url) => ({ links: facets(url === HOME ? 0 : Number(/a=(\d+)/.exec(url)?.[1])) }),
    { maxVariants: 30 },
  );
  expect(world.fetched).toHaveLength(1 + 9 + 30);
  expect(refused.get("variants")?.count).toBeGreaterThan(0);
});

test("links of pages with the same content are followed up to maxDuplicates", async () => {
  let n = 0;
  const { world, crawl, refused } = await crawlOf(
    (url) => (url === HOME ? { links: [`${HOME}m/x`] } : { links: [`${url}-${"abcdefgh"[n++ % 8]}`], same: "mirror" }),
    { maxDuplicates: 2 },
  );
  expect(world.fetched).toHaveLength(1 + 3);
  expect(refused.get("duplicate-page")?.count).toBe(1);
  const last = await world.deps.records.get(crawl, world.fetched[3] ?? "");
  expect(last).toMatchObject({
    status: "completed",
    detail: "pages with the same content lead to it (2), so its links are not followed",
  });
});

describe("copies that do not lead to each other are no trap", () => {
  test("six folders with the same page lead to six pages", async () => {
    const folders = Array.from({ length: 6 }, (_, i) => `${HOME}${i}/`);
    const { world, refused } = await crawlOf((url) => {
      if (url === HOME) return { links: folders };
      return folders.includes(url) ? { links: [`${url}page.html`], same: "refresh" } : { links: [] };
    });
    expect(world.fetched).toHaveLength(1 + 6 + 6);
    expect(refused.size).toBe(0);
  });

  test("four hosts with the same home page are crawled", async () => {
    const homes = ["a", "b", "c", "d"].map((name) => `https://${name}.test/`);
    const world = new World((url) =>
      homes.includes(url) ? { links: [`${url}about`], same: "home" } : { links: [], same: url },
    );
    const crawl = await world.start(homes);
    await world.runToEnd(crawl);
    expect(world.fetched.toSorted()).toEqual(homes.flatMap((home) => [home, `${home}about`]).toSorted());
    expect(await ledger.refusals(crawl)).toEqual([]);
  });

  test("an error page below many sections does not end them", async () => {
    const { world } = await crawlOf((url) => {
      if (url === HOME) return { links: ["a", "b", "c", "d"].map((name) => `${HOME}${name}`) };
      if (/[a-d]$/.test(url)) return { links: [`${url}/sorry`], same: url };
      return url.endsWith("/sorry") ? { links: [`${url}/next`], same: "sorry" } : { links: [] };
    });
    expect(world.fetched.filter((url) => url.endsWith("/next"))).toHaveLength(4);
  });

  test("copies in turn with other pages, a redirect between them, are a trap", async () => {
    const { world, refused } = await crawlOf((url) => {
      const n = Number(/step-(\w)/.exec(url)?.[1]?.charCodeAt(0) ?? 96) - 96;
      const next = `${HOME}step-${String.fromCharCode(97 + n)}`;
      if (n % 3 === 1) return { redirect: next };
      return n % 3 === 2 ? { links: [next], same: "copy" } : { links: [next] };
    });
    // The home page, then three rounds of a redirect, a copy and another page; the third copy ends it.
    expect(world.fetched).toHaveLength(1 + 3 + 3 + 2);
    expect(refused.get("duplicate-page")).toEqual({ count: 1, examples: [`${HOME}step-i`] });
  });
});

test("a noindex page is skipped and its links are followed; nofollow links are counted", async () => {
  const { world, crawl, refused } = await crawlOf((url) =>
    url === HOME ? { links: [`${HOME}next`], noindex: "meta: none", nofollow: [`${HOME}left`] } : { links: [] },
  );
  expect(world.fetched).toEqual([HOME, `${HOME}next`]);
  expect(await world.deps.records.get(crawl, HOME)).toMatchObject({
    status: "skipped",
    reason: "noindex",
    detail: "meta: none",
  });
  expect(await world.deps.mirror.get(crawl, HOME)).toBeNull();
  expect(refused.get("nofollow")).toEqual({ count: 1, examples: [`${HOME}left`] });
});
