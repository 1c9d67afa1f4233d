import { expect, test } from "vitest";
import type { Clock } from "../../src/core/clock.ts";
import type { Pass } from "../../src/crawl/report/pass.ts";
import { decideLost, LOST_AFTER_MS } from "../../src/crawl/report/message-search.ts";
import type { AskModel } from "../../src/extract/ask-for-values.ts";
import { askPatiently } from "../../src/passes/extract/ask-once.ts";
import { reviveIfLost } from "../../src/passes/mend-passes.ts";
import type { ReviveDeps } from "../../src/passes/needs.ts";

/** What is measured in real time, on a clock that runs a thousand times as fast. */

const SPEED = 1_000;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
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
