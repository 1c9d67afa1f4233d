import { expect, test } from "vitest";
import type { ResourceAnswered } from "../../src/fetch/browser/render-gateway.ts";
import { VisitedHost } from "../../src/frontier/visits/visited-host.ts";
import type { Gate, SettleRequest } from "../../src/host/gate-protocol.ts";
import { pacerOf } from "../../src/host/pace.ts";

const ANSWERED: ResourceAnswered = {
  durationMs: 100,
  bodyBytes: 10,
  httpStatus: 200,
  retryAfterMs: null,
  hostFailed: false,
  dropped: false,
  detail: "",
};

function visit(now = 1_000) {
  const clock = {
    time: now,
    now: () => clock.time,
    speed: 1,
    sleep: async (ms: number) => {
      clock.time += Math.max(0, ms);
    },
  };
  const settled: SettleRequest[] = [];
  const settle = async (report: SettleRequest) => {
    settled.push(report);
    return [];
  };
  const gate = { settle } as unknown as Gate;
  const policy = {
    ...{ minDelayMs: 500, maxDelayMs: 10_000, delayFactor: 5, concurrency: 1 },
    ...{ timeoutMs: 1_000, userAgent: "a" },
  };
  const pace = { ...policy, crawlDelayMs: 2_000 };
  const grant = { token: "t", startAt: 3_000, lastStartAt: 9_000, pace, concurrency: 1, drops: 4 };
  return { clock, settled, host: new VisitedHost({ gate: () => gate, policy, grant, pacer: pacerOf(grant) }, clock) };
}

test("the first request waits for the host's pace, and the next ones follow without a rest", async () => {
  const { clock, host } = visit();
  expect(await host.waitForStart()).toBe(true);
  expect(clock.time).toBe(3_000);
  host.finish(ANSWERED);
  expect(await host.waitForStart()).toBe(true);
  expect(clock.time).toBe(3_000);
});

test("no request starts after the lane's last start, or after the host has failed", async () => {
  const { clock, host } = visit();
  await host.waitForStart();
  host.finish({ ...ANSWERED, httpStatus: 503, hostFailed: true, retryAfterMs: 7_000, detail: "503" });
  expect(await host.waitForStart()).toBe(false);
  const late = visit();
  late.clock.time = 9_001;
  expect(await late.host.waitForStart()).toBe(false);
  expect(clock.time).toBe(3_000);
});

test("the host is told how long the visit was, what it sent, and how it failed", async () => {
  const { settled, host } = visit();
  await host.waitForStart();
  host.finish(ANSWERED);
  host.finish({ ...ANSWERED, httpStatus: 429, hostFailed: true, retryAfterMs: 7_000, detail: "429 slow down" });
  await host.settle();
  expect(settled).toEqual([
    expect.objectContaining({
      token: "t",
      answered: true,
      lastBodyBytes: 20,
      drops: 0,
      crawlDelayMs: 2_000,
      nextAt: 5_000,
      sending: [],
      failure: { retryAfterMs: 7_000, why: "429 slow down" },
    }),
  ]);
});

test("a host that was not asked keeps its pace, and what it dropped before", async () => {
  const { settled, host } = visit();
  await host.settle();
  expect(settled).toEqual([
    expect.objectContaining({ lastDurationMs: null, answered: false, drops: 4, failure: null }),
  ]);
});
