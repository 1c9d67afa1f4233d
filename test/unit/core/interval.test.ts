import { describe, expect, it } from "vitest";
import {
  everyInWords,
  formatInterval,
  intervalInWords,
  parseInterval,
  roughInterval,
} from "../../../src/core/interval.ts";

describe("parseInterval", () => {
  it.each([
    ["90s", 90],
    ["30m", 1_800],
    ["12 H", 43_200],
    [" 7d ", 604_800],
    ["2w", 1_209_600],
    ["", ""],
    ["7", "7"],
    ["-1d", "-1d"],
    ["1.5d", "1.5d"],
    ["a week", "a week"],
  ])("%j gives %j", (text, seconds) => expect(parseInterval(text)).toBe(seconds));
});

describe("intervals for people", () => {
  it.each([
    [604_800, "7d", "7 days", "7 days"],
    [86_400, "1d", "1 day", "1 day"],
    [90_000, "25h", "25 hours", "25 hours"],
    [61, "61s", "61 seconds", "1 minute"],
    [5, "5s", "5 seconds", "1 minute"],
    [200_000, "200000s", "200000 seconds", "2 days"],
  ])("%i seconds", (seconds, short, words, rough) => {
    expect([formatInterval(seconds), intervalInWords(seconds), roughInterval(seconds)]).toEqual([short, words, rough]);
  });
});

it.each([
  [3_600, "every hour"],
  [604_800, "every 7 days"],
  [660, "every 11 minutes"],
])("%i seconds as a rhythm", (seconds, words) => expect(everyInWords(seconds)).toBe(words));
