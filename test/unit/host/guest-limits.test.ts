import fc from "fast-check";
import { expect, test } from "vitest";
import type { LanePolicy } from "../../../src/host/gate-protocol.ts";
import { exceedsGuestLimits, inForce } from "../../../src/host/guest-limits.ts";
import { LanePacer, restMs } from "../../../src/host/pace.ts";

const POLICY: LanePolicy = {
  ...{ minDelayMs: 1_000, maxDelayMs: 30_000, delayFactor: 5, concurrency: 1 },
  ...{ timeoutMs: 30_000, userAgent: "Test/1" },
};

test.each([
  ["the default", {}, {}],
  ["no delay: the shortest one, however slow the host", { minDelayMs: 0 }, { minDelayMs: 200, maxDelayMs: 200 }],
  ["a short delay", { minDelayMs: 50 }, { minDelayMs: 200 }],
  ["the least delay", { minDelayMs: 200, concurrency: 2 }, { minDelayMs: 200, concurrency: 2 }],
  ["a session: two requests a second", { minDelayMs: 200, hasSession: true }, { minDelayMs: 500 }],
  ["many connections", { concurrency: 32 }, { concurrency: 2 }],
])("%s", (_, asked, expected) => {
  const policy = { ...POLICY, ...asked };
  expect(inForce(policy, false)).toEqual({ ...policy, ...expected });
  expect(inForce(policy, true)).toEqual(policy);
});

const policies = fc.record({
  minDelayMs: fc.nat(600_000),
  maxDelayMs: fc.nat(600_000),
  delayFactor: fc.double({ min: 0, max: 100, noNaN: true }),
  concurrency: fc.integer({ min: 1, max: 32 }),
});

test("a guest's rest is never below 0.2 s, and never below what was asked for; two connections at most", () => {
  fc.assert(
    fc.property(policies, fc.nat(60_000), (drawn, durationMs) => {
      const asked = { ...POLICY, ...drawn };
      const policy = inForce(asked, false);
      const rest = restMs(durationMs, { ...policy, crawlDelayMs: null });
      expect(rest).toBeGreaterThanOrEqual(200);
      expect(rest).toBeGreaterThanOrEqual(restMs(durationMs, { ...asked, crawlDelayMs: null }));
      expect(policy.concurrency).toBe(Math.min(asked.concurrency, 2));
      if (!exceedsGuestLimits(asked)) expect(policy).toEqual(asked);
    }),
  );
});

test("requests of a lane start at least the least delay apart, whether they are visits of their own or parts of one", () => {
  const steps = fc.array(fc.record({ afterMs: fc.nat(500), isPart: fc.boolean(), ends: fc.boolean() }));
  fc.assert(
    fc.property(steps, (drawn) => {
      const pacer = new LanePacer({ ...inForce({ ...POLICY, minDelayMs: 0 }, false), crawlDelayMs: null }, 0, 200);
      let now = 0;
      let before = Number.NEGATIVE_INFINITY;
      for (const { afterMs, isPart, ends } of drawn) {
        now += afterMs;
        const at = isPart ? pacer.startWithin(now) : pacer.start(now);
        expect(at).toBeGreaterThanOrEqual(now);
        expect(at - before).toBeGreaterThanOrEqual(200);
        before = at;
        now = at;
        if (ends) pacer.finish(now, 10);
      }
    }),
  );
});
