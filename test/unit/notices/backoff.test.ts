import fc from "fast-check";
import { expect, test } from "vitest";
import { nextAttemptAt } from "../../../src/notices/backoff.ts";

/** When a notice is sent again. */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const made = 1_000_000;
const giveUpAt = made + 3 * DAY;

/** The times of all attempts that fail, since the notice was made. */
function attemptsWith(random: () => number, retryAfterMs: number | null = null): number[] {
  const times = [0];
  for (let attempts = 1; ; attempts++) {
    const now = made + (times.at(-1) ?? 0);
    const next = nextAttemptAt({ attempts, giveUpAt, retryAfterMs }, now, random());
    if (next === null) return times;
    times.push(next - made);
  }
}

test("without jitter the attempts are those of the specification, and end within three days", () => {
  const inHours = attemptsWith(() => 0).map((ms) => Number((ms / HOUR).toFixed(3)));
  expect(inHours).toEqual([0, 0.001, 0.085, 0.585, 2.585, 7.585, 17.585, 31.585, 51.585, 71.585]);
});

test("with any jitter there are ten attempts, over more than two and a half and at most three days", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 0.999_999, noNaN: true }), { minLength: 20, maxLength: 20 }),
      (all) => {
        let i = 0;
        const times = attemptsWith(() => all[i++ % all.length] ?? 0);
        expect(times).toHaveLength(10);
        expect(times.at(-1)).toBeGreaterThan(2.5 * DAY);
        expect(times.at(-1)).toBeLessThanOrEqual(3 * DAY);
        expect(times.every((time, n) => n === 0 || time > (times[n - 1] ?? 0))).toBe(true);
      },
    ),
  );
});

test("notices that failed together are sent again at different times", () => {
  const at = (random: number) => nextAttemptAt({ attempts: 2, giveUpAt, retryAfterMs: null }, made, random) ?? 0;
  expect(at(0) - made).toBe(300_000);
  expect(at(0.5) - made).toBe(285_000);
});

test.each([
  ["a longer one counts", 1, HOUR, HOUR],
  ["a shorter one does not", 3, 1_000, 30 * 60_000],
  ["a day of each leaves three more attempts", 1, DAY, DAY],
])("Retry-After: %s", (_, attempts, retryAfterMs, delayMs) => {
  expect(nextAttemptAt({ attempts, giveUpAt, retryAfterMs }, made, 0)).toBe(made + delayMs);
});

test("Retry-After keeps nothing alive after three days", () => {
  expect(attemptsWith(() => 0, DAY)).toEqual([0, DAY, 2 * DAY, 3 * DAY]);
});

test("after a machine slept for a month, an attempt that fails is the last one", () => {
  expect(nextAttemptAt({ attempts: 2, giveUpAt, retryAfterMs: null }, made + 30 * DAY, 0)).toBeNull();
});
