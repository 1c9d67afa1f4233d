import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Places } from "../../../../src/fetch/browser/places.ts";

/** The line before a browser: first come, first served, and nobody is served who has left. */

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("a waiter that gave up is forgotten: its place goes to the next one", async () => {
  const places = new Places(1);
  expect(await places.take(0)).toBe(true);
  const impatient = places.take(100);
  const patient = places.take(1_000);
  await vi.advanceTimersByTimeAsync(100);
  expect(await impatient).toBe(false);
  places.release();
  expect([await patient, places.taken]).toEqual([true, 1]);
  expect(vi.getTimerCount()).toBe(0);
  places.release();
  expect(places.taken).toBe(0);
});

test("whoever has no patience does not wait", async () => {
  const places = new Places(1);
  await places.take(0);
  const answer = places.take(0);
  places.release();
  expect(await answer).toBe(false);
  expect(places.taken).toBe(0);
});

const visitor = fc.record({
  comesMs: fc.integer({ min: 0, max: 300 }),
  patienceMs: fc.integer({ min: 0, max: 100 }),
  staysMs: fc.integer({ min: 0, max: 100 }),
});

test("no more than there are places, in the order in which they came, and nobody beyond their patience", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.array(visitor, { maxLength: 12 }), async (total, visitors) => {
      const places = new Places(total);
      const startedAt = Date.now();
      const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
      const served: { name: number; cameAt: number }[] = [];
      let inside = 0;
      const visits = visitors.map(async ({ comesMs, patienceMs, staysMs }, name) => {
        await sleep(comesMs);
        const cameAt = Date.now() - startedAt;
        if (!(await places.take(patienceMs))) return "left";
        expect(Date.now() - startedAt - cameAt).toBeLessThanOrEqual(patienceMs);
        served.push({ name, cameAt });
        inside += 1;
        expect(inside).toBeLessThanOrEqual(total);
        await sleep(staysMs);
        inside -= 1;
        places.release();
        return "served";
      });
      await vi.advanceTimersByTimeAsync(2_000);
      const ends = await Promise.all(visits);
      expect(ends.filter((end) => end === "served")).toHaveLength(served.length);
      expect(served.map(({ cameAt }) => cameAt)).toEqual(served.map(({ cameAt }) => cameAt).toSorted((a, b) => a - b));
      expect([places.taken, vi.getTimerCount()]).toEqual([0, 0]);
    }),
    { numRuns: 100 },
  );
});
