/** RFC 9309, sections 2.3.1 and 2.4: what an answer permits, how long it is valid, when to ask again. */
import { describe, expect, test } from "vitest";
import {
  decideRobotsPolicy,
  MAX_ROBOTS_REDIRECTS,
  ROBOTS_GIVE_UP_MS,
  ROBOTS_MAX_AGE_MS,
  robotsRetryDelayMs,
} from "../../../src/robots/policy.ts";

describe("policy by status", () => {
  test.each([
    ["2.3.1.1", 200, "read"],
    ["2.3.1.1", 203, "read"],
    ["2.3.1.1", 204, "read"],
    ["2.3.1.1", 299, "read"],
    ["2.3.1.2", 301, "allow-all"],
    ["2.3.1.2", 302, "allow-all"],
    ["2.3.1.2", 308, "allow-all"],
    ["2.3.1.3", 400, "allow-all"],
    ["2.3.1.3", 401, "allow-all"],
    ["2.3.1.3", 403, "allow-all"],
    ["2.3.1.3", 404, "allow-all"],
    ["2.3.1.3", 410, "allow-all"],
    ["2.3.1.3", 451, "allow-all"],
    ["2.3.1.3", 499, "allow-all"],
    ["2.3.1.3, but overloaded", 429, "forbid-for-now"],
    ["2.3.1.4", 500, "forbid-for-now"],
    ["2.3.1.4", 503, "forbid-for-now"],
    ["2.3.1.4", 521, "forbid-for-now"],
    ["2.3.1.4", 599, "forbid-for-now"],
    ["2.3.1.4", null, "forbid-for-now"],
    ["no status of HTTP", 0, "forbid-for-now"],
    ["no status of HTTP", 199, "forbid-for-now"],
    ["no status of HTTP", 600, "forbid-for-now"],
    ["no status of HTTP", Number.NaN, "forbid-for-now"],
  ] as const)("%s: %s is %s", (_section, status, policy) => {
    expect(decideRobotsPolicy(status)).toBe(policy);
  });
});

describe("retry delay", () => {
  test.each([
    [1, 10_000],
    [2, 20_000],
    [3, 40_000],
    [9, 2_560_000],
    [10, 3_600_000],
    [11, 3_600_000],
    [5_000, 3_600_000],
    [0, 10_000],
    [-1, 10_000],
  ])("after %i failures: %i ms", (failures, delayMs) => {
    expect(robotsRetryDelayMs(failures)).toBe(delayMs);
  });
});

test("2.3.1.2 five redirects, 2.4 twenty-four hours, 2.3.1.4 a day of trying", () => {
  expect(MAX_ROBOTS_REDIRECTS).toBe(5);
  expect(ROBOTS_MAX_AGE_MS).toBe(86_400_000);
  expect(ROBOTS_GIVE_UP_MS).toBe(86_400_000);
});
