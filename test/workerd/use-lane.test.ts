import { expect, test } from "vitest";
import { useLane } from "../../src/frontier/use-lane.ts";

const PACE = { minDelayMs: 2_000, maxDelayMs: 2_000, delayFactor: 0, crawlDelayMs: null };

test("a lane starts no request after its last start, also when the rest before it ends later", async () => {
  let now = 0;
  const clock = {
    now: () => now,
    sleep: async (ms: number) => {
      now += Math.max(0, ms);
    },
  };
  const started: [string, number][] = [];
  const settled: { nextAt: number }[] = [];
  const gate = { settle: async (report: { nextAt: number }) => settled.push(report) };
  const grant = { token: "t", startAt: 0, lastStartAt: 5_000, pace: PACE };
  const fetch = async (url: string) => {
    started.push([url, now]);
    now += 100;
    return { kind: "head", durationMs: 100, httpStatus: 200 };
  };
  const lane = { gate, policy: {}, grant };
  const results = await useLane(lane as never, ["a", "b", "c", "d", "e"], fetch as never, clock);
  expect(started).toEqual([
    ["a", 0],
    ["b", 2_100],
    ["c", 4_200],
  ]);
  expect([...results.keys()]).toEqual(["a", "b", "c"]);
  expect(settled).toMatchObject([{ nextAt: 6_300, token: "t" }]);
});
