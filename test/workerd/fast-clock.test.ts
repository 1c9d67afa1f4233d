import { expect, test } from "vitest";
import type { Clock } from "../../src/core/clock.ts";
import type { Pass } from "../../src/crawl/report/pass.ts";
import { decideLost, LOST_AFTER_MS } from "../../src/crawl/report/message-search.ts";
import type { AskModel } from "../../src/extract/ask-for-values.ts";
import { Deeds } from "../../src/lifecycle/deed.ts";
import type { VisitDeps } from "../../src/lifecycle/needs.ts";
import { sendReadings } from "../../src/lifecycle/readings.ts";
import { sendVisits } from "../../src/lifecycle/visits.ts";
import { askPatiently } from "../../src/passes/extract/ask-once.ts";
import { reviveIfLost } from "../../src/passes/mend-passes.ts";
import type { ReviveDeps } from "../../src/passes/needs.ts";
import { NOTHING_KNOWN } from "../../src/revisit/site-prior.ts";
import { openBudget } from "../../src/revisit/visit-budget.ts";
import type { Sweep, WatchedCrawl } from "../../src/store/watches/due-visits.ts";

/** What is measured in real time, on a clock that runs a thousand times as fast. */

const SPEED = 1_000;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const START = Date.UTC(2031, 0, 1);

/** A clock that has run for `realMs` of real time since START. */
const after = (realMs: number): Clock => ({
  now: () => START + realMs * SPEED,
  sleep: async () => undefined,
  speed: SPEED,
});

test.each([
  [19 * MINUTE, false],
  [21 * MINUTE, true],
])("a pass that shows no progress for %d ms is revived: %s", async (realMs, isRevived) => {
  const pass = { id: "p", crawl: "c", boot: "this", progressAt: START } as Pass;
  const deps = {
    clock: after(realMs),
    boot: "this",
    passes: { noteRevival: async () => undefined },
    passRuns: { get: async () => null, create: async () => undefined },
  };
  expect(await reviveIfLost(pass, deps as unknown as ReviveDeps)).toBe(isRevived);
});

/** What a heartbeat sends of a watch with one page, which fell due at START and whose visit was sent then. */
async function visitsAfter(realMs: number, changes: Partial<Sweep>): Promise<string[]> {
  const now = START + realMs * SPEED;
  const laps = { after: "", lapAt: START, lastLapAt: START - 1, nextLapAt: 0, ...changes };
  const watched: WatchedCrawl = {
    ...{ id: "w", epoch: 1, watchingSince: START, size: 1, demand: 1, knowledge: NOTHING_KNOWN, askedAt: null },
    watch: {
      ...{ everyS: (10 * DAY) / SECOND, fixed: true, tell: [] },
      ignore: { urls: [], selectors: [], patterns: [], leastShare: 0 },
    },
    settled: 0,
    sweep: {
      ...{ ...laps, epoch: 1, sent: 1, settled: 0, movedAt: START },
      ...{ budget: { ...openBudget(now), tokens: 5 }, begun: { ordinary: 0, signalled: 0 } },
    },
  };
  const url = "https://a.test/";
  const page = { url, seq: 1, visits: 1, visitAt: START, lastAt: START - DAY, changes: 0, days: 1, signalledAt: null };
  const sent: string[] = [];
  const deps = {
    clock: after(realMs),
    frontier: {
      sendBatch: async (messages: Iterable<{ body: { urls: string[] } }>) => {
        for (const { body } of messages) sent.push(...body.urls);
      },
    },
    dueVisits: {
      watches: async () => [watched],
      next: async () => ({ pages: [page], last: null }),
      noteSweep: async () => undefined,
    },
  };
  await sendVisits(deps as unknown as VisitDeps, new Deeds());
  return sent;
}

test.each([
  [14 * MINUTE, []],
  [16 * MINUTE, ["https://a.test/"]],
])("a visit that has not settled for %d ms is lost, and sent again: %j", async (realMs, urls) => {
  expect(await visitsAfter(realMs, { after: "https://a.test", lastLapAt: START })).toEqual(urls);
});

test.each([
  [29, 31, ["https://a.test/"]],
  [30.5, 31.5, []],
])("a page overdue since a lap after %d minutes is sent again in one after %d: %j", async (before, now, urls) => {
  const lapAt = START + before * MINUTE * SPEED;
  expect(await visitsAfter(now * MINUTE, { lapAt, movedAt: lapAt })).toEqual(urls);
});

test("a reading that was sent within a quarter of an hour is not sent again", async () => {
  let sentAfter = 0;
  const deps = {
    clock: after(0),
    frontier: { sendBatch: async () => undefined },
    readings: {
      watches: async () => [{ id: "w", epoch: 1, everyMs: DAY, sources: 1, pages: 1 }],
      due: async (_: string, asked: { sentAfter: number }) => {
        sentAfter = asked.sentAfter;
        return [];
      },
      note: async () => undefined,
    },
  };
  await sendReadings(deps as unknown as Parameters<typeof sendReadings>[0], new Deeds());
  expect(START - sentAfter).toBe(15 * MINUTE * SPEED);
});

test("a row whose message was sent again is not sent a third time before the message can have arrived", () => {
  const row = { key: 1, attempts: 0, seenAt: START, lapAt: START, waitsUntil: 0, sent: 1 };
  const now = START + LOST_AFTER_MS * SPEED;
  const { rows } = decideLost([row], { endsAt: 0, askedAt: null }, LOST_AFTER_MS * SPEED, now);
  expect(rows[0]?.waitsUntil).toBeGreaterThanOrEqual(now + LOST_AFTER_MS * SPEED);
});

test.each([
  [29 * SECOND, 2],
  [31 * SECOND, 1],
])("a model that cannot answer after %d ms is asked %d times in all", async (realMs, times) => {
  let [asked, realNow] = [0, 0];
  const clock: Clock = { now: () => START + realNow * SPEED, sleep: async () => undefined, speed: SPEED };
  const ask: AskModel = async () => {
    asked += 1;
    realNow += realMs;
    return { kind: "later", retryAfterMs: null, detail: "503" };
  };
  await askPatiently(ask, { tries: 2, mostWaitMs: MINUTE }, clock)({ messages: [], schema: {} });
  expect(asked).toBe(times);
});
