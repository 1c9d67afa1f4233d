import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import type { HostTemplate } from "../../src/changes/template/host-template.ts";
import { retryCrawl } from "../../src/lifecycle/retry.ts";
import { watchCrawl } from "../../src/lifecycle/watch.ts";
import { HostTexts } from "../../src/store/learned/host-texts.ts";
import { readStoredPage } from "../../src/store/mirror/read-mirror.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { DAY_MS, HOUR_MS, SEED, type SiteAnswer, WatchedWorld, watchOf } from "./watched-world.ts";

/** Sites that are in trouble, lie, forbid or take turns: what a watch tells of them, and what it does not. */

useModelLedger();

const EVERY_MS = DAY_MS;
const PAGES = Array.from({ length: 40 }, (_, i) => `${SEED}${i}`);

/** In letters: pages that differ in numbers alone would be the template of their host. */
function subjectOf(url: string): string {
  return new URL(url).pathname.replaceAll(/\d/g, (digit) => " abcdefghij".charAt(Number(digit) + 1).repeat(5));
}

/** A site of 41 pages. `answer`: what a page answers instead; null for its usual text. */
async function watchSite(answer: (url: string, world: WatchedWorld) => SiteAnswer | null, everyMs = EVERY_MS) {
  const isForbidden = { now: false };
  const world: WatchedWorld = new WatchedWorld(
    (url) => answer(url, world) ?? { text: `This is ${subjectOf(url)}`, links: url === SEED ? PAGES : [] },
    { forbids: () => isForbidden.now },
  );
  const id = await world.watch(everyMs);
  return { world, id, isForbidden, troubled: () => world.deps.watchHosts.troubled(id, world.now, 10) };
}

const kindsOf = (told: readonly string[]) => Object.groupBy(told, (line) => line.split(" ")[0] ?? "");

test.each<[string, SiteAnswer, string]>([
  ["turns 404", { status: 404 }, "removed"],
  ["turns 410", { status: 410 }, "removed"],
  ["asks not to be indexed", { text: "hidden", noindex: "meta" }, "removed"],
])(
  "a site whose every URL %s at once is in trouble, and told as removed on the next day alone",
  async (_, instead, kind) => {
    let broken: SiteAnswer | null = null;
    const { world, id, troubled } = await watchSite(() => broken);
    broken = instead;
    await world.pass(1.2 * DAY_MS);
    const early = (await world.told(id)).length;
    expect(early).toBeLessThan(15);
    expect(await troubled()).toMatchObject([{ host: "a.test", lost: expect.any(Number) }]);
    expect((await world.crawl(id)).counters.completed).toBe(41 - early);
    await world.pass(3 * DAY_MS, 2 * HOUR_MS);
    expect(kindsOf(await world.told(id))[kind]).toHaveLength(41);
    expect((await world.crawl(id)).counters).toMatchObject({ completed: 0 });
    await world.pass(3 * DAY_MS, 2 * HOUR_MS);
    expect(await troubled()).toEqual([]);
  },
);

test("a site that answers 404 for a day, and is well again, is told of in no change", async () => {
  let broken = false;
  const { world, id, troubled } = await watchSite(() => (broken ? { status: 404 } : null));
  await world.pass(DAY_MS);
  broken = true;
  await world.pass(20 * HOUR_MS);
  expect(await troubled()).toHaveLength(1);
  broken = false;
  await world.pass(4 * DAY_MS, 2 * HOUR_MS);
  expect(await world.told(id)).toEqual([]);
  expect((await world.crawl(id)).counters).toMatchObject({ completed: 41 });
  expect(await troubled()).toEqual([]);
});

test("a site that answers every URL with one login page for a day is told of in few changes", async () => {
  let broken = false;
  const { world, id, troubled } = await watchSite(() => (broken ? { text: "Sign in", etag: null } : null));
  await world.pass(DAY_MS);
  broken = true;
  await world.pass(20 * HOUR_MS);
  expect(await troubled()).toHaveLength(1);
  // Those of the first batch.
  const early = (await world.told(id)).length;
  expect(early).toBeLessThanOrEqual(3);
  broken = false;
  await world.pass(4 * DAY_MS, 2 * HOUR_MS);
  // They are told of again, when they have said for half a day what they said before.
  expect((await world.told(id)).length).toBeLessThanOrEqual(2 * early);
});

test.each<[string, SiteAnswer]>([
  ["503", { status: 503 }],
  ["403", { status: 403 }],
])("a site that answers %s for a week is in trouble, and nothing of it is removed", async (_, instead) => {
  let broken = false;
  const { world, id, troubled } = await watchSite(() => (broken ? instead : null));
  broken = true;
  await world.pass(7 * DAY_MS, 2 * HOUR_MS);
  expect(await world.told(id)).toEqual([]);
  expect((await world.crawl(id)).counters).toMatchObject({ completed: 41 });
  expect(await troubled()).toHaveLength(1);
  broken = false;
  await world.pass(3 * DAY_MS, 2 * HOUR_MS);
  expect(await world.told(id)).toEqual([]);
  expect(await troubled()).toEqual([]);
});

test("single pages that vanish are told on a second look within a day, and a site that lost few is in no trouble", async () => {
  const gone = new Set<string>();
  const { world, id, troubled } = await watchSite((url) => (gone.has(url) ? { status: 404 } : null), DAY_MS);
  for (const url of PAGES.slice(0, 3)) gone.add(url);
  await world.pass(2.2 * DAY_MS);
  expect((await world.told(id)).toSorted()).toEqual(["removed /0", "removed /1", "removed /2"]);
  expect(await troubled()).toEqual([]);
});

test.each<[string, number, number]>([
  ["from one request to the next is told at none of its visits", 0, 0],
  ["each hour is told at each of its visits", HOUR_MS, 12],
  ["each week is told at each of its visits", 7 * DAY_MS, 12],
])("a page with a line that changes %s", async (_, lineMs, times) => {
  const own = PAGES.slice(0, 8).map((url) => `This is ${subjectOf(url)}`);
  let request = 0;
  const { world, id } = await watchSite((url, { now }) => {
    if (url !== SEED) return null;
    // The world asks twice for each request.
    request += 0.5;
    const line = `Seen ${subjectOf(`${SEED}${lineMs === 0 ? 1_000 + Math.ceil(request) : Math.floor(now / lineMs)}`)}`;
    return { text: [own[0], line, ...own.slice(1)].join(" / "), links: PAGES };
  }, 7 * DAY_MS);
  await world.pass(12 * 7 * DAY_MS, 8 * HOUR_MS);
  expect(await world.told(id)).toEqual(Array.from({ length: times }, () => "changed /"));
});

test("what robots.txt forbids from now on is not asked for again, and what was kept stays", async () => {
  const { world, id, isForbidden } = await watchSite(() => null);
  await world.pass(2 * DAY_MS);
  isForbidden.now = true;
  // The gate reads robots.txt again after a day at the latest.
  await world.pass(2 * DAY_MS);
  const before = world.fetched.length;
  await world.pass(3 * DAY_MS, 2 * HOUR_MS);
  expect(world.fetched.length).toBe(before);
  expect((await world.crawl(id)).visits.forbidden).toBeGreaterThan(41);
  expect(await world.told(id)).toEqual([]);
  expect((await world.crawl(id)).counters).toMatchObject({ completed: 41, disallowed: 0 });
  isForbidden.now = false;
  await world.pass(3 * DAY_MS, 2 * HOUR_MS);
  expect(world.fetched.length).toBeGreaterThan(before);
});

test("a server that answers 304 for ever is found out within four intervals, and asked in full from then on", async () => {
  let text = "one";
  const { world, id } = await watchSite(() => ({ text, etag: '"for ever"' }));
  expect((await world.crawl(id)).counters.completed).toBe(1);
  text = "two";
  await world.pass(5 * EVERY_MS, 2 * HOUR_MS);
  expect(await world.told(id)).toEqual(["changed /"]);
  const { visits } = await world.crawl(id);
  expect(world.conditional.length).toBeGreaterThan(0);
  expect(world.conditional.length).toBe(visits["not-modified"]);
  text = "three";
  await world.pass(2 * EVERY_MS, 2 * HOUR_MS);
  expect(await world.told(id)).toEqual(["changed /", "changed /"]);
  expect((await world.crawl(id)).visits["not-modified"]).toBe(visits["not-modified"]);
});

test("two servers that take turns from one request to the next are not told, and what stays is", async () => {
  let turn = 0;
  let texts = ["one", "two"];
  const { world, id } = await watchSite(() => ({
    text: texts[Math.floor(turn++ / 2) % texts.length] ?? "",
    etag: null,
  }));
  await world.pass(20 * DAY_MS, 2 * HOUR_MS);
  expect(await world.told(id)).toEqual([]);
  texts = ["one"];
  await world.pass(4 * DAY_MS, 2 * HOUR_MS);
  expect(await world.told(id)).toEqual([]);
  // A version that stays is a change, and the mirror has it.
  const digest = await world.deps.records.get(id, SEED);
  texts = ["two"];
  await world.pass(10 * DAY_MS, 2 * HOUR_MS);
  expect(await world.told(id)).toEqual(["changed /"]);
  expect((await world.deps.records.get(id, SEED))?.sha256).not.toBe(digest?.sha256);
});

test("a site that answers every page as new each time is not told, and each page has its turn", async () => {
  let request = 0;
  const watch = { ...watchOf(EVERY_MS), fixed: false };
  const world = new WatchedWorld((url) => {
    // The world asks twice for each request.
    request += 0.5;
    const text = `${url} says ${Math.floor(request)
      .toString()
      .replaceAll(/\d/g, (digit) => "abcdefghij"[Number(digit)] ?? "")}`;
    return { text, etag: null, links: url === SEED ? PAGES : [] };
  });
  const id = await world.watch(EVERY_MS, { watch });
  await world.pass(6 * DAY_MS, 2 * HOUR_MS);
  const { visits, changes } = await world.crawl(id);
  expect(changes).toBe(visits.changed ?? 0);
  // There are not enough second looks for all of them.
  expect(changes).toBeLessThan(0.05 * (await world.visits(id)));
  expect(await world.visits(id)).toBeLessThanOrEqual(1.25 * 6 * 41);
  const { results } = await env.LEDGER.prepare("SELECT min(visits) AS least FROM urls WHERE crawl = ?1").bind(id).all();
  expect(results[0]?.least).toBeGreaterThanOrEqual(3);
});

test("a page counts once for the template, with what it says today, though it was one of the sample", async () => {
  const edited = { now: false };
  const { world, id } = await watchSite((url) =>
    edited.now ? { text: `Of ${subjectOf(url)} there is more to say today`, links: url === SEED ? PAGES : [] } : null,
  );
  edited.now = true;
  await world.pass(4 * DAY_MS);
  expect(await world.told(id)).toHaveLength(41);
  const template = await new HostTexts(env.LEDGER, "templates", "template").read([id], "a.test");
  const { pages, blocks } = JSON.parse(template.get(id) ?? "") as HostTemplate;
  // What was learned since the table was written last is in memory.
  expect(pages).toBeGreaterThan(41 - 8);
  expect(pages).toBeLessThanOrEqual(41);
  expect(Object.values(blocks).every(([count]) => count <= 41)).toBe(true);
});

test("editing an ignore rule tells nothing by itself, and decides what is told from then on", async () => {
  const site = { text: "the news of monday" };
  const { world, id } = await watchSite((url) => (url === PAGES[0] ? { text: site.text } : null));
  const withPatterns = (patterns: string[]) => {
    const watch = watchOf(EVERY_MS);
    return watchCrawl(id, { ...watch, ignore: { ...watch.ignore, patterns } }, world.deps);
  };
  await withPatterns(["the news *"]);
  await world.pass(2 * DAY_MS);
  expect(await world.told(id)).toEqual([]);
  site.text = "the news of tuesday";
  await world.pass(2 * DAY_MS);
  expect(await world.told(id)).toEqual([]);
  await withPatterns(["something else"]);
  expect(await world.told(id)).toEqual([]);
  // What it hid is told with the next whole answer.
  await world.pass(5 * EVERY_MS);
  expect(await world.told(id)).toEqual(["changed /0"]);
  site.text = "the news of wednesday";
  await world.pass(2 * DAY_MS);
  expect(await world.told(id)).toEqual(["changed /0", "changed /0"]);
});

test("after a month's sleep, what fell due is spread over one interval", async () => {
  const { world, id } = await watchSite(() => null);
  await world.pass(2 * DAY_MS);
  world.now += 30 * DAY_MS;
  const before = await world.visits(id);
  await world.pass(DAY_MS / 4);
  const quarter = (await world.visits(id)) - before;
  expect(quarter).toBeGreaterThan(2);
  expect(quarter).toBeLessThan(20);
  await world.pass((3 * DAY_MS) / 4 + HOUR_MS);
  expect((await world.visits(id)) - before).toBeGreaterThanOrEqual(41);
});

test("a clock that jumps a year ahead and back keeps visiting every page", async () => {
  const { world, id } = await watchSite(() => null);
  await world.pass(DAY_MS);
  world.now += 365 * DAY_MS;
  await world.pass(2 * DAY_MS);
  world.now -= 365 * DAY_MS;
  const before = await world.visits(id);
  await world.pass(1.5 * DAY_MS);
  expect((await world.visits(id)) - before).toBeGreaterThanOrEqual(41);
  const { results } = await env.LEDGER.prepare("SELECT url FROM urls WHERE crawl = ?1 AND visited_at > ?2")
    .bind(id, world.now)
    .all();
  expect(results).toEqual([]);
});

test("a page that redirects to where scope refuses it is told of in no change, visit after visit", async () => {
  const { world, id } = await watchSite((url) => (url === PAGES[3] ? { redirect: "https://b.test/" } : null));
  await world.pass(4 * DAY_MS, 2 * HOUR_MS);
  expect(await world.told(id)).toEqual([]);
  expect((await world.deps.records.get(id, PAGES[3] ?? ""))?.detail).toMatch(
    /^to https:\/\/b\.test\/, which scope refuses/,
  );
});

test("a removed page that a retry finds again is restored, and a new one is added", async () => {
  let gone: string[] = [];
  const lost = PAGES[5] ?? "";
  const { world, id } = await watchSite((url) => (gone.includes(url) ? { status: 404 } : null));
  gone = [lost];
  await world.pass(3 * DAY_MS, 2 * HOUR_MS);
  gone = [];
  await retryCrawl(await world.crawl(id), { status: "errored", reason: "gone", limit: null }, world.deps);
  await world.settle();
  expect(await world.told(id)).toEqual(["removed /5", "restored /5"]);
  expect(await world.crawl(id)).toMatchObject({ status: "watching", counters: { completed: 41 } });
});

test("a new page refers to no page that said the same once, and says something else by now", async () => {
  const site = new Map<string, string>([
    [SEED, "home"],
    [`${SEED}x`, "a text"],
  ]);
  const world = new WatchedWorld((url) => {
    const text = site.get(url);
    return text === undefined ? { status: 404 } : { text, links: [...site.keys()] };
  });
  const id = await world.watch(EVERY_MS);
  site.set(`${SEED}x`, "another text");
  await world.pass(2 * DAY_MS);
  site.set(SEED, "home again").set(`${SEED}y`, "a text").set(`${SEED}z`, "a text");
  await world.pass(3 * DAY_MS, 2 * HOUR_MS);
  expect((await world.told(id)).toSorted()).toEqual(["added /y", "added /z", "changed /", "changed /x"]);
  const crawl = await world.crawl(id);
  for (const path of ["y", "z"]) {
    const stored = await readStoredPage(crawl, `${SEED}${path}`, world.deps);
    expect(new TextDecoder().decode(stored?.body)).toBe("a text\n");
  }
  const { results } = await env.LEDGER.prepare("SELECT DISTINCT revisits FROM urls WHERE crawl = ?1").bind(id).all();
  expect(results.map(({ revisits }) => revisits)).not.toContain(`${SEED}x`);
});
