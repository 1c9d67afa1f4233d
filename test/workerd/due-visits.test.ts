import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { policyOf, type VisitedRow, visitDueAt } from "../../src/crawl/watch/visit-time.ts";
import type { FrontierMessage } from "../../src/frontier/batch/message.ts";
import { Deeds } from "../../src/lifecycle/deed.ts";
import type { VisitDeps } from "../../src/lifecycle/needs.ts";
import { continueSweep, sendVisits } from "../../src/lifecycle/visits.ts";
import { NOTHING_KNOWN } from "../../src/revisit/site-prior.ts";
import { openBudget } from "../../src/revisit/visit-budget.ts";
import type { Sweep, WatchedCrawl } from "../../src/store/watches/due-visits.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { WATCH } from "./rows.ts";
import { WatchedWorld } from "./watched-world.ts";

/** Where a heartbeat goes on after a rest, a pause or a jump of the clock. */

useModelLedger();

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2031, 0, 1);

const sweep = (changes: Partial<Sweep> = {}): Sweep => ({
  ...{ after: "https://a.test/m", epoch: 1, lapAt: START - MINUTE, lastLapAt: START - HOUR, nextLapAt: 0 },
  ...{ sent: 10, settled: 4, movedAt: START, budget: openBudget(START), begun: { ordinary: 0, signalled: 0 } },
  ...changes,
});
const watched = (changes: Partial<WatchedCrawl> = {}): WatchedCrawl => ({
  ...{ id: "w", epoch: 1, watch: { ...WATCH, everyS: DAY / 1000 }, watchingSince: START - 10 * DAY, size: 100 },
  ...{ demand: changes.size ?? 100, settled: 4, knowledge: NOTHING_KNOWN, sweep: sweep(), askedAt: null },
  ...changes,
});

describe("where a heartbeat goes on", () => {
  test.each<[string, WatchedCrawl, number, Partial<Sweep>]>([
    [
      "a minute later, in the same lap",
      watched({ settled: 6 }),
      START + MINUTE,
      { after: "https://a.test/m", sent: 10, settled: 6, lastLapAt: START - HOUR },
    ],
    [
      "after a month's sleep, visits that were under way are lost",
      watched(),
      START + 30 * DAY,
      { lastLapAt: 0, sent: 4, movedAt: START + 30 * DAY },
    ],
    [
      "after a pause, what the old epoch dropped is sent anew",
      watched({ epoch: 2 }),
      START + MINUTE,
      { after: "", epoch: 2, lastLapAt: 0, sent: 4 },
    ],
    [
      "where all visits have settled, whatever is still due is sent",
      watched({ settled: 10 }),
      START + MINUTE,
      { after: "https://a.test/m", sent: 10, settled: 10, lastLapAt: 0 },
    ],
    [
      "for some minutes without an answer, it waits for what is under way",
      watched(),
      START + 10 * MINUTE,
      { after: "https://a.test/m", sent: 10, lastLapAt: START - HOUR },
    ],
    [
      "after a quarter of an hour without an answer, those visits are lost and the lap goes on",
      watched(),
      START + 16 * MINUTE,
      { after: "https://a.test/m", sent: 4, lastLapAt: 0 },
    ],
    [
      "a clock that was set back a year starts anew",
      watched(),
      START - 365 * DAY,
      { after: "", lapAt: 0, lastLapAt: 0, sent: 4 },
    ],
    [
      "what is asked for after this lap began has a lap of its own at once",
      watched({ sweep: sweep({ nextLapAt: START + DAY }), askedAt: START }),
      START + MINUTE,
      { after: "https://a.test/m", nextLapAt: START + MINUTE },
    ],
    [
      "clocks that differ by a second change nothing",
      watched(),
      START - 1_000,
      { after: "https://a.test/m", sent: 10 },
    ],
  ])("%s", (_, crawl, now, expected) => {
    expect(continueSweep(crawl, now)).toMatchObject(expected);
  });
});

describe("when a page is due", () => {
  const page: VisitedRow = {
    ...{ url: "https://a.test/", seq: 1, visits: 1, visitAt: START + HOUR, lastAt: START - DAY, changes: 0, days: 1 },
  };
  const policy = policyOf(watched().watch, NOTHING_KNOWN, 1)("https://a.test/");

  test("as its row says", () => {
    expect(visitDueAt(page, policy, null, START)).toBe(START + HOUR);
  });

  test("now, if its row's time is that of a clock that was ahead", () => {
    const ahead = { ...page, lastAt: START + 300 * DAY, visitAt: START + 301 * DAY };
    expect(visitDueAt(ahead, policy, null, START)).toBe(START);
  });

  test.each<[string, number | null, number]>([
    ["when somebody asked for all pages", START, START],
    ["as its row says, if it was visited since", START - 2 * DAY, START + HOUR],
  ])("%s", (_, askedAt, expected) => {
    expect(visitDueAt(page, policy, askedAt, START)).toBe(expected);
  });
});

test("a heartbeat between two laps writes nothing for a watch", async () => {
  const world = new WatchedWorld(() => ({ text: "the same" }));
  const id = await world.watch(30 * DAY);
  const sweepOf = async () =>
    (await env.LEDGER.prepare("SELECT sweep FROM crawls WHERE id = ?1").bind(id).first<{ sweep: string }>())?.sweep;
  await world.pass(2 * HOUR);
  const after = await sweepOf();
  await world.pass(10 * MINUTE, MINUTE);
  expect(await sweepOf()).toBe(after);
  await world.pass(HOUR, MINUTE);
  expect(await sweepOf()).not.toBe(after);
});

test.each([
  ["no token, no visit", 0.9, 0],
  ["as many visits as tokens", 3, 3],
  ["more tokens than due pages", 100, 10],
])("a heartbeat keeps the budget of ordinary visits: %s", async (_, tokens, expected) => {
  const page = { visits: 1, visitAt: START - 1, lastAt: START - DAY, changes: 0, days: 1, signalledAt: null };
  const pages = Array.from({ length: 10 }, (_, seq) => ({ ...page, seq, url: `https://a.test/${seq}` }));
  const budget = { ...openBudget(START), tokens };
  const sent: string[] = [];
  const noted: Sweep[] = [];
  const deps = {
    clock: { now: () => START, speed: 1 },
    frontier: {
      sendBatch: async (messages: Iterable<MessageSendRequest<FrontierMessage>>) => {
        for (const { body } of messages) sent.push(...body.urls);
      },
    },
    dueVisits: {
      watches: async () => [watched({ sweep: sweep({ after: "", budget }) })],
      next: async () => ({ pages, last: null }),
      noteSweep: async (_id: string, next: Sweep) => noted.push(next),
    },
  };
  expect(await sendVisits(deps as unknown as VisitDeps, new Deeds())).toBe(expected);
  expect(sent).toEqual(pages.slice(0, expected).map(({ url }) => url));
  // A visit at a time that was set asks again.
  const begun = { ordinary: expected, signalled: 0, repeated: expected };
  expect(noted.map((next) => next.begun)).toEqual(expected === 0 ? [] : [begun]);
});

test("a lap reads one row for each page", async () => {
  const world = new WatchedWorld((url) => ({
    text: url,
    links: ["a", "b", "c"].map((path) => `https://a.test/${path}`),
  }));
  const id = await world.watch(DAY);
  world.deps.meter.take();
  const { pages } = await world.deps.dueVisits.next(id, "", 100);
  expect([pages.length, world.deps.meter.take().ledgerRowsRead]).toEqual([4, 4]);
});
