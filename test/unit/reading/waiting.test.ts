import { expect, test } from "vitest";
import type { HostStatus, RobotsStatus } from "../../../src/host/gate-protocol.ts";
import { waitingOf } from "../../../src/reading/explain/waiting.ts";

const HOST: HostStatus = {
  crawlDelayMs: null,
  nextAt: 1_000,
  failures: 0,
  failingSince: null,
  failureWhy: null,
  busy: false,
  restMs: 1_000,
};
const READ: RobotsStatus = { state: "read", detail: null, fetchedAt: 1, silentSince: null, retryAt: null };
const FAILING = { failures: 2, failingSince: 5, failureWhy: "it said 503" };

test.each<[string, Partial<HostStatus>, Partial<RobotsStatus>, string, number | null, number]>([
  ["the usual pace", {}, {}, "usual rest", null, 1_000],
  ["robots.txt has not been read", {}, { state: "unread" }, "usual rest", null, 1_000],
  ["a Crawl-delay above the rest", { crawlDelayMs: 9_000, restMs: 9_000 }, {}, "asks for this delay", null, 1_000],
  ["a Crawl-delay below the rest", { crawlDelayMs: 10 }, {}, "usual rest", null, 1_000],
  ["a lane holds the host", { busy: true }, {}, "fetching from the host now", null, 1_000],
  ["another crawl has its turn", { before: ["c1", "c2"], busy: true }, {}, "its turn first (c1, c2)", null, 1_000],
  ["one failure", { ...FAILING, failures: 1 }, {}, "failed once (it said 503)", 5, 1_000],
  [
    "failures in a row are named before a lane and a Crawl-delay",
    { ...FAILING, busy: true },
    {},
    "2 times in a row",
    5,
    1_000,
  ],
  ["failures in the state of an older version", { failures: 2 }, {}, "2 times in a row, and", null, 1_000],
  ["robots.txt must be read first", {}, { state: "later", retryAt: 3_000 }, "has to be read first", null, 3_000],
  [
    "robots.txt forbids for now",
    {},
    { state: "silent", detail: "it says 503", silentSince: 7, retryAt: 500 },
    "it says 503",
    7,
    1_000,
  ],
  [
    "an unreachable robots.txt is named before the host's failures",
    FAILING,
    { state: "unreachable", silentSince: 7, retryAt: 4_000 },
    "cannot be read",
    7,
    4_000,
  ],
])("%s", (_, host, robots, why, since, until) => {
  const waiting = waitingOf({ ...HOST, ...host }, { ...READ, ...robots });
  expect(waiting).toEqual({ why: expect.stringContaining(why), since, until });
});
