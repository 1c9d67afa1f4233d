import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { slowedGroups } from "../../src/reading/explain/slowed-groups.ts";
import { endlessKey } from "../../src/scope/endless-groups.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { type Web, World } from "./world.ts";

/** A pattern whose pages say nothing new gives way, and has its speed again when one of its pages is new. */

useModelLedger();

const HOME = "https://a.test/";
const facet = (n: number) => `${HOME}facet?c=${n}`;
const product = (n: number) => `${HOME}product/${n}`;
const numberOf = (url: string) => Number(/\d+/.exec(url.slice(HOME.length))?.[0] ?? Number.NaN);
/** More pages than are requested again, to find out which of their numbers change, of 2,000. */
const MAX_LOOKS = 12;
const isFacet = (url: string) => url.includes("facet");

/** Facets without end, five new ones on each. `says`: what one says beside its own number. */
function facets(says: (n: number) => string): Web {
  return (url) => {
    if (url === HOME) return { links: [facet(0)], says: "home" };
    const n = numberOf(url);
    return { links: [HOME, ...[1, 2, 3, 4, 5].map((k) => facet(5 * n + k))], says: `Facet ${n}\n${says(n)}` };
  };
}

test("a trap takes a few hundred pages, and what is not fetched is counted and listed", {
  timeout: 120_000,
}, async () => {
  const world = new World(facets(() => "choose a filter"));
  const crawl = await world.start([HOME], { limit: 1_000 });
  await world.runToEnd(crawl);
  await expectCountersExact(crawl);
  expect(world.fetched.filter(isFacet).length).toBeLessThan(400);
  const [slowed, ...others] = await slowedGroups(crawl, world.deps);
  expect(others).toEqual([]);
  expect(slowed).toMatchObject({ pattern: `${HOME}facet?**` });
  const refused = (await world.deps.ledger.refusals(crawl)).find(({ reason }) => reason === "nothing-new");
  const skipped = await env.LEDGER.prepare("SELECT count(*) AS n FROM urls WHERE crawl = ?1 AND reason = 'nothing-new'")
    .bind(crawl)
    .first<{ n: number }>();
  expect(refused?.count ?? 0).toBeGreaterThan(0);
  expect(slowed?.held).toBe((refused?.count ?? 0) + (skipped?.n ?? 0));
  // Nothing is both listed and fetched, and nothing is listed twice.
  const rows = await world.deps.withheldUrls.rowsOf(crawl, "a.test", endlessKey(`${HOME}facet?**`));
  const listed = rows.flatMap(({ urls }) => urls.map(({ url }) => url));
  expect(new Set(listed).size).toBe(listed.length);
  expect(listed.filter((url) => world.fetched.includes(url))).toEqual([]);
});

/** Products that differ in digits alone, each found on others. */
function screws(products: number, says: () => string): Web {
  return (url) => {
    const n = url === HOME ? 0 : numberOf(url);
    const links = [3 * n + 1, 3 * n + 2, 3 * n + 3].filter((to) => to < products).map(product);
    const weight = `Weight ${1_000 + ((n * 7_919) % 90_000)} mg`;
    return { links: url === HOME ? [product(0)] : links, says: `Screw\n${weight}\n${says()}` };
  };
}

test("products that differ in a number alone are all read", { timeout: 120_000 }, async () => {
  const products = 600;
  const world = new World(screws(products, () => "in stock"));
  const crawl = await world.start([HOME], { limit: 1_000 });
  await world.runToEnd(crawl);
  expect(new Set(world.fetched).size).toBe(products + 1);
  expect(await slowedGroups(crawl, world.deps)).toEqual([]);
});

test("a new sample brings back all that was held back", { timeout: 120_000 }, async () => {
  const pages = 1_500;
  // The first 280 pages say the same, and the others something of their own.
  const web: Web = (url) => {
    const n = url === HOME ? 0 : numberOf(url);
    const next = Array.from({ length: 10 }, (_, k) => 10 * n + k + 1);
    const links = next.filter((to) => to < pages).map(facet);
    const own = n < 280 ? "nothing yet" : `Weight ${1_000 + n * 13} mg`;
    return { links: url === HOME ? [facet(0)] : links, says: own };
  };
  const world = new World(web);
  const crawl = await world.start([HOME], { limit: 5_000 });
  await world.runToEnd(crawl);
  await expectCountersExact(crawl);
  expect(new Set(world.fetched.filter(isFacet)).size).toBe(pages);
  expect(world.fetched.length - new Set(world.fetched).size).toBeLessThan(MAX_LOOKS);
  expect(await world.deps.ledger.refusals(crawl)).toEqual([]);
});

test("a page outside the pattern vouches for what it leads to", {
  timeout: 120_000,
}, async () => {
  const wanted = [7_001, 7_002, 7_003].map(facet);
  const trap = facets(() => "choose a filter");
  // A path that is longer than the trap is fast.
  const story = (i: number) => `${HOME}story-${"abcdefghijklmnopqrst"[i]}`;
  const web: Web = (url) => {
    const i = Array.from({ length: 20 }, (_, k) => story(k)).indexOf(url);
    if (url === HOME) return { links: [facet(0), story(0)], says: "home" };
    if (i === -1) return trap(url, 0);
    return { links: i < 19 ? [story(i + 1)] : wanted, says: `story number ${i} is told here` };
  };
  const world = new World(web);
  const crawl = await world.start([HOME], { limit: 2_000 });
  await world.runToEnd(crawl);
  for (const url of wanted) expect(world.fetched).toContain(url);
  // No batch failed.
  expect((await world.deps.ledger.crawl(crawl))?.counters.errored).toBe(0);
});

test("a sitemap vouches for what it lists, also where its own URL belongs to the pattern", {
  timeout: 120_000,
}, async () => {
  const wordOf = (n: number) =>
    [...n.toString(26)].map((digit) => "abcdefghijklmnopqrstuvwxyz"[Number.parseInt(digit, 26)]);
  const filter = (n: number) => `${HOME}filter-${wordOf(n).join("")}`;
  const numbers = new Map(Array.from({ length: 20_000 }, (_, n) => [filter(n), n]));
  const listed = Array.from({ length: 150 }, (_, i) => filter(19_000 + i));
  const web: Web = (url) => {
    const n = numbers.get(url) ?? 0;
    return { links: n >= 3_000 ? [] : [1, 2, 3, 4, 5].map((k) => filter(5 * n + k)), says: "choose a filter" };
  };
  let isSlowed = false;
  const world = new World(web, {
    sitemaps: (url) => {
      if (!url.endsWith("/sitemap.xml")) return { status: 404 };
      return isSlowed ? { pages: listed.map((page) => ({ url: page, lastmod: null })) } : { status: 500 };
    },
  });
  const crawl = await world.start([HOME], { limit: 2_000, source: "all" });
  for (let turns = 0; !isSlowed && turns < 500; turns++) {
    await world.turn();
    isSlowed = (await slowedGroups(crawl, world.deps)).length > 0;
  }
  expect(listed.filter((url) => world.fetched.includes(url))).toEqual([]);
  await world.runToEnd(crawl);
  expect(listed.filter((url) => !world.fetched.includes(url))).toEqual([]);
  expect((await slowedGroups(crawl, world.deps)).map(({ pattern }) => pattern)).toEqual([`${HOME}*`]);
  await expectCountersExact(crawl);
});

describe("numbers that change at each request, on pages found on one another", () => {
  let visits = 0;
  const changing = () => {
    visits += 1;
    return `Made in 0.${100 + ((visits * 37) % 900)} s\nYou are visitor ${visits}`;
  };

  test("are nothing new", { timeout: 120_000 }, async () => {
    const world = new World(facets(() => `choose a filter\n${changing()}`));
    const crawl = await world.start([HOME], { limit: 1_000 });
    await world.runToEnd(crawl);
    await expectCountersExact(crawl);
    expect(new Set(world.fetched.filter(isFacet)).size).toBeLessThan(450);
    expect(await slowedGroups(crawl, world.deps)).toMatchObject([{ pattern: `${HOME}facet?**` }]);
    expect(world.fetched.length - new Set(world.fetched).size).toBeLessThan(MAX_LOOKS);
  });

  test("leave those that are a product's own", { timeout: 120_000 }, async () => {
    const world = new World(screws(600, changing));
    const crawl = await world.start([HOME], { limit: 1_000 });
    await world.runToEnd(crawl);
    expect(new Set(world.fetched).size).toBe(601);
    expect(world.fetched.length - new Set(world.fetched).size).toBeLessThan(MAX_LOOKS);
    expect(await slowedGroups(crawl, world.deps)).toEqual([]);
  });
});

test("with keepEndless, nothing is held back", { timeout: 120_000 }, async () => {
  const world = new World(facets(() => "choose a filter"));
  const crawl = await world.start([HOME], { limit: 500, keepEndless: true });
  await world.runToEnd(crawl);
  expect((await world.deps.ledger.crawl(crawl))?.counters.completed).toBe(500);
  expect(await slowedGroups(crawl, world.deps)).toEqual([]);
});

test("a crawl without a large pattern reads and writes nothing for it", async () => {
  const world = new World((url) => ({
    links: url === HOME ? Array.from({ length: 40 }, (_, i) => facet(i)) : [],
    says: url,
  }));
  let reads = 0;
  const read = world.deps.endlessHosts.read.bind(world.deps.endlessHosts);
  world.deps.endlessHosts.read = (...asked) => {
    reads += 1;
    return read(...asked);
  };
  const crawl = await world.start([HOME]);
  await world.runToEnd(crawl);
  expect(reads).toBe(0);
  const rows = await env.LEDGER.prepare("SELECT count(*) AS n FROM endless_hosts").first<{ n: number }>();
  expect(rows?.n).toBe(0);
});
