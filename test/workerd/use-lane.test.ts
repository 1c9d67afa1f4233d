import { expect, test } from "vitest";
import { useLane } from "../../src/frontier/lane/use-lane.ts";
import { pacerOf } from "../../src/host/pace.ts";

const PACE = { minDelayMs: 2_000, maxDelayMs: 2_000, delayFactor: 0, crawlDelayMs: null };

/** A lane of a host that rests for two seconds, in which a request takes 100 ms. */
function laneAt(now: number) {
  const clock = {
    time: now,
    now: () => clock.time,
    speed: 1,
    sleep: async (ms: number) => {
      clock.time += Math.max(0, ms);
    },
  };
  const started: [string, number][] = [];
  const settled: { nextAt: number }[] = [];
  const gate = { settle: async (report: { nextAt: number }) => settled.push(report) };
  const grant = { token: "t", startAt: 0, lastStartAt: 5_000, pace: PACE };
  const fetch = async (url: string) => {
    started.push([url, clock.time]);
    if (url === "dies") throw new Error("out of memory");
    clock.time += 100;
    return { kind: "head", durationMs: 100, httpStatus: 200 };
  };
  const lane = { gate: () => gate, policy: {}, grant, pacer: pacerOf(grant) };
  const use = (urls: string[], until?: number) => useLane(lane as never, urls, fetch as never, clock, until);
  return { started, settled, use };
}

test("a lane starts no request after its last start, also when the rest before it ends later", async () => {
  const { started, settled, use } = laneAt(0);
  const results = await use(["a", "b", "c", "d", "e"]);
  expect(started).toEqual([
    ["a", 0],
    ["b", 2_100],
    ["c", 4_200],
  ]);
  expect([...results.keys()]).toEqual(["a", "b", "c"]);
  expect(settled).toMatchObject([{ nextAt: 6_300, token: "t" }]);
});

test("a lane that was held up until its last start had passed sends nothing, and is given back", async () => {
  const { started, settled, use } = laneAt(5_001);
  expect((await use(["a"])).size).toBe(0);
  expect([started, settled.length]).toEqual([[], 1]);
});

test("no request starts when the time of its caller is over", async () => {
  const { started, use } = laneAt(1_000);
  expect([...(await use(["a", "b"], 1_050)).keys()]).toEqual(["a"]);
  expect(started).toEqual([["a", 1_000]]);
});

test("an invocation that ends early costs its URL alone", async () => {
  const { use } = laneAt(0);
  const results = await use(["dies", "b"]);
  expect([...results.values()]).toMatchObject([
    { kind: "rejected", retryable: true, detail: "the page ended its fetcher: out of memory" },
    { kind: "head" },
  ]);
});
