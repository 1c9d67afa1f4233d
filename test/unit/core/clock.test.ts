import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { clockOf, clockTimeAt, parseClockSetting, systemClock } from "../../../src/core/clock.ts";

const SINCE = Date.parse("2026-01-01T00:00:00Z");
const START = Date.parse("2030-01-01T00:00:00Z");
const THOUSANDFOLD = "2030-01-01T00:00:00Z 1000 2026-01-01T00:00:00Z";

afterEach(() => {
  vi.useRealTimers();
});

test.each([
  ["two times and a speed", THOUSANDFOLD, { startMs: START, speed: 1_000, sinceMs: SINCE }],
  ["a slow clock", "2030-01-01T00:00:00Z 0.5 2026-01-01", { startMs: START, speed: 0.5, sinceMs: SINCE }],
])("a clock setting is read: %s", (_, text, setting) => {
  expect(parseClockSetting(text)).toEqual(setting);
});

test.each([
  ["an empty text", ""],
  ["no real time", "2030-01-01T00:00:00Z 1000"],
  ["a speed of zero", "2030-01-01T00:00:00Z 0 2026-01-01T00:00:00Z"],
  ["a clock that runs backwards", "2030-01-01T00:00:00Z -1 2026-01-01T00:00:00Z"],
  ["an endless speed", "2030-01-01T00:00:00Z Infinity 2026-01-01T00:00:00Z"],
  ["no date", "soon 1000 2026-01-01T00:00:00Z"],
  ["a fourth word", `${THOUSANDFOLD} more`],
])("a clock setting is refused: %s", (_, text) => {
  expect(() => parseClockSetting(text)).toThrow(RangeError);
});

test.each([
  ["at the beginning", 1_000, 0, 0],
  ["one real millisecond later", 1_000, 1, 1_000],
  ["one real second later", 1_000, 1_000, 1_000_000],
  ["a second before the beginning", 1_000, -1_000, -1_000_000],
  ["with fractions cut off", 1.5, 3, 4],
])("the time that a clock shows: %s", (_, speed, realMs, shownMs) => {
  expect(clockTimeAt({ startMs: START, speed, sinceMs: SINCE }, SINCE + realMs)).toBe(START + shownMs);
});

describe("the clock of an installation", () => {
  test("is the system's when nothing is set", () => {
    expect(clockOf({})).toBe(systemClock);
    vi.useFakeTimers({ now: SINCE });
    expect([systemClock.now(), systemClock.speed]).toEqual([SINCE, 1]);
  });

  test.each([
    ["system time", undefined, 1_000, 1_000],
    ["a thousandfold clock", THOUSANDFOLD, 5_000, 5],
    ["a thousandfold clock, rounded up", THOUSANDFOLD, 1, 1],
    ["no time", THOUSANDFOLD, 0, 0],
    ["less than no time", THOUSANDFOLD, -1, 0],
  ])("sleeps: %s", async (_, setting, ms, realMs) => {
    vi.useFakeTimers({ now: SINCE });
    const clock = clockOf(setting === undefined ? {} : { CLOCK: setting });
    const begin = clock.now();
    const slept = clock.sleep(ms);
    await vi.runAllTimersAsync();
    await slept;
    expect(Date.now()).toBe(SINCE + realMs);
    expect(clock.now()).toBe(begin + realMs * clock.speed);
  });
});

test("only the clock and the command line read the system's time", () => {
  const src = join(import.meta.dirname, "..", "..", "..", "src");
  const files = globSync("**/*.{ts,tsx}", { cwd: src }).filter((file) => !/^(?:cli\/|core\/clock\.ts$)/.test(file));
  expect(files.length).toBeGreaterThan(100);
  const reading = files.filter((file) => /\bDate\.now\b|\bnew Date\(\)/.test(readFileSync(join(src, file), "utf8")));
  expect(reading).toEqual([]);
});
