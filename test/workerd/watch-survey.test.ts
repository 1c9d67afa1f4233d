import { createExecutionContext, env } from "cloudflare:test";
import { expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import type { CrawlDetail, VisitsView } from "../../src/api/views.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import type { VisitDeps } from "../../src/lifecycle/needs.ts";
import { surveyWatch } from "../../src/lifecycle/survey.ts";
import { NOTHING_KNOWN } from "../../src/revisit/site-prior.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { WATCH } from "./rows.ts";
import { DAY_MS, HOUR_MS, SEED, WatchedWorld } from "./watched-world.ts";

/** What people are told of a watch's freshness, its next visits and its changes. */

const PAGES = ["/", "/a", "/b", "/c"].map((path) => new URL(path, SEED).href);

useModelLedger();

async function get<T>(path: string): Promise<T> {
  const request = new Request(`https://orbweaver.test${path}`, { headers: { authorization: "Bearer test-token" } });
  const { result } = await (await app.fetch(request, env, createExecutionContext())).json<{ result: T }>();
  return result;
}

const site = (texts: Record<string, string>) => (url: string) => {
  const text = texts[url];
  return text === undefined ? { status: 404 } : { text, links: url === SEED ? Object.keys(texts) : [] };
};

test("a watch says how fresh it is, what it visits next and why, and what it told by kind", async () => {
  const texts = Object.fromEntries(PAGES.map((url) => [url, `It is ${url}`]));
  const world = new WatchedWorld(site(texts));
  const id = await world.watch(DAY_MS);
  const visits = () => get<VisitsView>(`/api/crawls/${id}/visits`);
  expect(await visits()).toEqual({ freshness: null, next: [], changes: {} });

  await world.pass(1.5 * DAY_MS, HOUR_MS);
  const times = "SELECT min(visited_at) AS oldest, max(visited_at) AS newest FROM urls";
  const rows = await env.LEDGER.prepare(times).first();
  world.now += HOUR_MS / 2;
  await heartbeat(world.deps);
  const { freshness, next } = await visits();
  expect(freshness).toMatchObject({ pages: 4, dueLater: 0 });
  const { due = [], dueNow = 0, medianAgeS, oldestVisitAt, lastVisitAt, surveyedAt } = freshness ?? {};
  expect(due.reduce((sum, { visits: n }) => sum + n, dueNow)).toBe(4);
  expect(Date.parse(surveyedAt ?? "")).toBe(world.now);
  expect(medianAgeS).toBeLessThan(1.25 * 86_400);
  expect([oldestVisitAt, lastVisitAt].map((time) => Date.parse(time ?? ""))).toEqual([rows?.oldest, rows?.newest]);
  expect(next.map(({ url }) => url).toSorted()).toEqual(PAGES);
  expect(next.map(({ at }) => at)).toEqual(next.map(({ at }) => at).toSorted());
  expect(next[0]?.why).toBe("each page is visited every day");

  texts[PAGES[1] ?? ""] = "It says something else";
  delete texts[PAGES[2] ?? ""];
  await world.settle();
  await world.pass(3 * DAY_MS, HOUR_MS);
  expect((await visits()).changes).toEqual({ changed: 1, removed: 1 });
});

test("a survey of many rows goes on at the next heartbeat, and one that is fresh is not repeated", async () => {
  const world = new WatchedWorld(site({ [SEED]: "It is here" }));
  const id = await world.watch(DAY_MS);
  const watched = (await world.deps.dueVisits.watches()).find((watch) => watch.id === id);
  if (watched === undefined) throw new Error("it is no watch");
  const { next } = world.deps.dueVisits;
  let reads = 0;
  const parts = [
    { pages: [], last: "https://a.test/m" },
    { pages: [], last: null },
  ];
  world.deps.dueVisits.next = async (crawl, after, most) => {
    expect(after).toBe(reads === 1 ? "https://a.test/m" : "");
    return parts[reads++] ?? next.call(world.deps.dueVisits, crawl, after, most);
  };
  await env.LEDGER.prepare("UPDATE crawls SET survey = NULL").run();
  await surveyWatch(watched, world.deps);
  expect(await world.deps.surveys.read(id)).toMatchObject({ done: null, open: { after: "https://a.test/m" } });
  await surveyWatch(watched, world.deps);
  expect(await world.deps.surveys.read(id)).toMatchObject({ done: { pages: 0 }, open: null });
  await surveyWatch(watched, world.deps);
  expect(reads).toBe(2);
  world.now += 20 * 60_000;
  await surveyWatch(watched, world.deps);
  expect(reads).toBe(3);
  expect(await world.deps.surveys.read(id)).toMatchObject({ done: { pages: 1 }, open: null });
  // Another interval: the numbers of the old one say nothing.
  await surveyWatch({ ...watched, watch: { ...watched.watch, everyS: 60_000 } }, world.deps);
  expect(reads).toBe(4);
});

test.each([
  ["few", 100, 1_900],
  ["as many as 20 surveys in an interval need", 1_000_000, 13_889],
  ["no more than D1 reads quickly", 10_000_000, 20_000],
])("a survey reads %s of %d rows at a heartbeat", async (_, size, expected) => {
  const knowledge = NOTHING_KNOWN;
  const watched = {
    id: "w",
    epoch: 1,
    watch: { ...WATCH, everyS: 86_400 },
    watchingSince: 0,
    settled: 0,
    askedAt: null,
  };
  const read: number[] = [];
  const deps = {
    clock: { now: () => DAY_MS },
    surveys: { read: async () => ({ done: null, open: null }), write: async () => undefined },
    dueVisits: {
      next: async (_id: string, _after: string, most: number) => {
        read.push(most);
        return { pages: [], last: null };
      },
    },
  };
  await surveyWatch({ ...watched, knowledge, size, demand: size, sweep: null }, deps as unknown as VisitDeps);
  expect(read).toEqual([expected]);
});

test("a watch tells what it has cost this month", async () => {
  const world = new WatchedWorld(site({ [SEED]: "It is here" }));
  const id = await world.watch(DAY_MS);
  const cost = async () => {
    const { costUsd, watching } = await get<CrawlDetail>(`/api/crawls/${id}`);
    return { all: costUsd, month: watching?.monthCostUsd ?? -1 };
  };
  const first = await cost();
  expect(first.month).toBe(first.all);
  expect(first.all).toBeGreaterThan(0);
  world.now = Date.UTC(2031, 1, 1);
  await world.pass(HOUR_MS, HOUR_MS);
  const second = await cost();
  expect(second.month).toBeCloseTo(second.all - first.all, 8);
});
