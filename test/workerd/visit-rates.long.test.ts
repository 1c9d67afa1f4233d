import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { useModelLedger } from "./platform/model-ledger.ts";
import { DAY_MS, HOUR_MS, SEED, type SiteAnswer, WatchedWorld, watchOf } from "./watched-world.ts";

/**
 * How often pages are visited: what a watch promises of quiet pages, of busy ones, of patterns, and of what is gone.
 */

useModelLedger();

const paths = (folder: string, count: number) => Array.from({ length: count }, (_, i) => `${SEED}${folder}${i}`);
const letters = (n: number) => String(Math.floor(n)).replaceAll(/\d/g, (digit) => "qwertzuiop"[Number(digit)] ?? "");

/** The times between the visits of each page, in intervals. */
function gapsOf(world: WatchedWorld, visits: Map<string, number[]>, everyMs: number): Map<string, number[]> {
  return new Map(
    [...visits].map(([url, at]) => {
      const gaps = [...at, world.now].flatMap((time, i) => (i === 0 ? [] : [(time - (at[i - 1] ?? 0)) / everyMs]));
      return [url, gaps];
    }),
  );
}

function watched(answer: (url: string, now: number) => SiteAnswer) {
  const visits = new Map<string, number[]>();
  const world: WatchedWorld = new WatchedWorld((url) => answer(url, world.now));
  const { fetchPage } = world.deps;
  world.deps.fetchPage = async (request, secrets) => {
    visits.set(request.url, [...(visits.get(request.url) ?? []), world.now]);
    return fetchPage(request, secrets);
  };
  return { world, visits };
}

test("nine tenths of the visits to quiet pages come within 1.5 intervals, and busy pages have more of them", async () => {
  const pages = [...paths("busy", 4), ...paths("quiet", 26)];
  const { world, visits } = watched((url, now) => ({
    text: url.includes("busy") ? `news ${letters(now / HOUR_MS)} of ${url}` : `a guide to ${url}`,
    links: url === SEED ? pages : [],
    etag: null,
  }));
  await world.watch(DAY_MS, { watch: { ...watchOf(DAY_MS), fixed: false } });
  await world.pass(20 * DAY_MS, HOUR_MS / 4);
  const quiet = [...gapsOf(world, visits, DAY_MS)].filter(([url]) => url.includes("quiet"));
  const gaps = quiet.flatMap(([, all]) => all).toSorted((a, b) => a - b);
  expect(gaps[Math.floor(0.9 * gaps.length)]).toBeLessThanOrEqual(1.5);
  expect(gaps.at(-1)).toBeLessThan(2);
  const total = [...visits.values()].reduce((sum, at) => sum + at.length - 1, 0);
  expect(total / (20 * 31)).toBeLessThan(1.1);
  const busiest = visits.get(`${SEED}busy0`)?.length ?? 0;
  expect(busiest).toBeGreaterThan(1.5 * (visits.get(`${SEED}quiet0`)?.length ?? 0));
});

test("pages of patterns are visited at intervals of their own, and the others as before", async () => {
  const pages = [...paths("prices/", 5), ...paths("archive/", 20), ...paths("guide/", 15)];
  const { world, visits } = watched((url) => ({ text: `about ${url}`, links: url === SEED ? pages : [], etag: null }));
  const watch = { ...watchOf(DAY_MS), fixed: false, everyFor: ["2h:/prices/**", "10d:/archive/**"] };
  const id = await world.watch(DAY_MS, { watch });
  await world.pass(20 * DAY_MS, HOUR_MS / 4);
  const meanOf = (folder: string) => {
    const counts = [...visits].filter(([url]) => url.startsWith(SEED + folder)).map(([, at]) => at.length - 1);
    return counts.reduce((sum, n) => sum + n, 0) / counts.length;
  };
  expect(meanOf("prices/") / 240).toBeGreaterThan(0.8);
  expect(meanOf("prices/") / 240).toBeLessThan(1.2);
  expect(meanOf("guide/") / 20).toBeGreaterThan(0.8);
  expect(meanOf("guide/") / 20).toBeLessThan(1.2);
  expect(meanOf("archive/")).toBeGreaterThanOrEqual(1);
  expect(meanOf("archive/")).toBeLessThanOrEqual(3);
  expect(await world.told(id)).toEqual([]);
});

test("a page that is gone is asked for ever less, and comes back when a page links to it no sooner than it is asked", async () => {
  let isGone = false;
  const { world, visits } = watched((url) =>
    url === `${SEED}x` && isGone ? { status: 404 } : { text: `about ${url}`, links: url === SEED ? [`${SEED}x`] : [] },
  );
  const id = await world.watch(DAY_MS);
  await world.pass(DAY_MS);
  isGone = true;
  const before = visits.get(`${SEED}x`)?.length ?? 0;
  await world.pass(19 * DAY_MS);
  expect(await world.told(id)).toEqual(["removed /x"]);
  // Three looks that remove it, and then after 2, 4 and 8 days.
  expect((visits.get(`${SEED}x`)?.length ?? 0) - before).toBeLessThanOrEqual(7);
  isGone = false;
  await world.pass(20 * DAY_MS, 2 * HOUR_MS);
  expect(await world.told(id)).toEqual(["removed /x", "restored /x"]);
});

test("a page that keeps failing is told as trouble after three visits, and again when it answers", async () => {
  let isFailing = false;
  const pages = paths("", 12);
  const { world } = watched((url) =>
    url === pages[3] && isFailing ? { status: 403 } : { text: `about ${url}`, links: url === SEED ? pages : [] },
  );
  const webhook = {
    id: crypto.randomUUID(),
    url: "https://receiver.test/hook",
    events: ["watch.trouble"],
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  };
  const id = await world.watch(DAY_MS);
  await world.deps.webhooks.add(id, webhook as Parameters<typeof world.deps.webhooks.add>[1], world.now);
  const told = async () =>
    (
      await env.LEDGER.prepare(
        "SELECT body FROM deliveries WHERE crawl = ?1 AND event = 'watch.trouble' ORDER BY made_at",
      )
        .bind(id)
        .all<{ body: string }>()
    ).results.map(({ body }) => (JSON.parse(body) as { data: object }).data);
  await world.pass(DAY_MS);
  isFailing = true;
  await world.pass(4 * DAY_MS);
  const since = expect.any(String);
  const nothing = { crawl: id, host: "a.test", url: pages[3], visits: null, lost: null, since };
  expect(await told()).toEqual([{ ...nothing, state: "began", why: expect.stringContaining("403") }]);
  expect(await world.deps.pageTroubles.list(id, 10)).toMatchObject([{ url: pages[3] }]);
  expect((await world.crawl(id)).counters).toMatchObject({ completed: 13 });
  isFailing = false;
  await world.pass(3 * DAY_MS);
  const [began, ended] = (await told()) as { since: string }[];
  expect(ended).toEqual({ ...nothing, state: "ended", since: began?.since, why: null });
  expect(await world.deps.pageTroubles.list(id, 10)).toEqual([]);
  expect(await world.told(id)).toEqual([]);
});

test("twelve lost pages of a large site are no trouble of their host", async () => {
  const gone = new Set(paths("b", 12));
  let isGone = false;
  const pages = [...paths("a", 60), ...gone, ...paths("c", 60)];
  const { world } = watched((url) =>
    isGone && gone.has(url) ? { status: 404 } : { text: `about ${url}`, links: url === SEED ? pages : [] },
  );
  const id = await world.watch(DAY_MS);
  await world.pass(1.5 * DAY_MS);
  isGone = true;
  for (let hour = 0; hour < 40; hour++) {
    await world.pass(HOUR_MS);
    expect(await world.deps.watchHosts.troubled(id, world.now, 10)).toEqual([]);
  }
  await world.pass(DAY_MS);
  expect(await world.told(id)).toHaveLength(12);
});
