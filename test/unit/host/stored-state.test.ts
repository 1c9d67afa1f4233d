import { expect, test } from "vitest";
import { admitLane, bookSlots, FRESH_HOST, type HostState, settleLane } from "../../../src/host/host-state.ts";
import { isFresh, limitRetry, type RobotsFile } from "../../../src/host/robots-state.ts";
import { hostStateOf, limitWaits } from "../../../src/host/stored-state.ts";

/** What a gate reads from its storage: state of older versions, and times from before the clock was set back. */

const MINUTE = 60_000;
const DAY = 86_400_000;
const NOW = 1_000 * DAY;
const PACE = { minDelayMs: 1_000, maxDelayMs: 30_000, delayFactor: 5, crawlDelayMs: null };

/** As version 0.1.0 stored it, after a lane of five, three waiting URLs and ten bookings. */
const OLD = {
  nextAt: NOW + 2_000,
  answered: true,
  lastDurationMs: 250,
  failures: 1,
  failingSince: NOW - 5_000,
  failureWhy: "it said 503",
  lane: null,
  suspects: { "a https://a.test/1": -1 },
  line: NOW + 3_600_000,
  bookings: { a: { epoch: 3, until: NOW + 10_000 } },
};

test("the state of version 0.1.0 is read: its bookings stand, and its one line for all crawls is dropped", () => {
  const state = hostStateOf(OLD);
  const { line: _line, bookings: _bookings, ...same } = OLD;
  expect(state).toMatchObject({ ...same, line: 0, bookings: {}, durations: [], drops: 0, lanes: 0 });
  const request = { pace: PACE, concurrency: 1, speed: 1 };
  const keys = ["b https://a.test/2"];
  const lane = { ...request, keys, timeoutMs: 30_000, token: "t", boot: "" };
  state.nextAt = NOW + 60_000;
  expect(admitLane(state, lane, NOW).slots).toEqual([{ kind: "wait", delayMs: 60_000, before: [] }]);
  state.nextAt = NOW;
  expect(bookSlots(state, { crawl: "a", epoch: 3, count: 1 }, request, NOW)).toEqual([10_000]);
  expect(bookSlots(state, { crawl: "a", epoch: 4, count: 1 }, request, NOW)).toEqual([0]);
});

test("version 0.1.0 can read this version's state, and nothing stored is a fresh host", () => {
  expect(hostStateOf(undefined)).toEqual(FRESH_HOST);
  for (const field of Object.keys(OLD)) expect(FRESH_HOST).toHaveProperty(field);
});

test("a state without lane times and returns: its slots stand, its lane is not timed, and no URL is waited for", () => {
  const { laneTimes: _times, settledAt: _settled, ...older } = FRESH_HOST;
  const turn = { epoch: 1, servedIn: 1, seenAt: NOW, turnMs: 0, dueAt: NOW, lineEndsAt: NOW, bookedUntil: NOW + 9_000 };
  const lane = { token: "t", boot: "", endsAt: NOW, expiresAt: NOW + 60_000, keys: ["a u"] };
  const state = hostStateOf({ ...older, lane, crawls: { a: { ...turn, isRefused: true } } });
  settleLane(state, { token: "t", nextAt: NOW, lastDurationMs: 100, answered: true, failure: null }, NOW + 500);
  expect(state).toMatchObject({ lane: null, laneTimes: [], crawls: { a: { returns: [], bookedUntil: NOW + 9_000 } } });
  const noRest = { pace: { ...PACE, minDelayMs: 0 }, concurrency: 1, speed: 1 };
  expect(bookSlots(state, { crawl: "a", epoch: 1, count: 26 }, noRest, NOW + 500)).toEqual(Array(26).fill(8_500));
});

test("a state of an older version without the time of its failures", () => {
  const { failingSince: _since, failureWhy: _why, ...older } = OLD;
  expect(hostStateOf(older)).toMatchObject({ failingSince: null, failureWhy: null });
});

/** Times ahead of `now`, when they are stored and when they are read. */
type Ahead = Partial<
  Record<
    "nextAt" | "timedFrom" | "endsAt" | "expiresAt" | "settledAt" | "dueAt" | "returnsAt" | "line" | "booked",
    number
  >
>;

function storedAt(asOf: number, failures: number, ahead: Ahead): HostState {
  const lane = { token: "t", boot: "", keys: ["a u"] };
  const turn = { epoch: 1, servedIn: 1, seenAt: asOf, turnMs: 0 };
  return hostStateOf({
    ...FRESH_HOST,
    asOf,
    failures,
    nextAt: asOf + (ahead.nextAt ?? 0),
    settledAt: asOf + (ahead.settledAt ?? 0),
    lane: {
      ...lane,
      timedFrom: asOf + (ahead.timedFrom ?? 0),
      endsAt: asOf + (ahead.endsAt ?? 0),
      expiresAt: asOf + (ahead.expiresAt ?? 0),
    },
    crawls: {
      a: {
        ...turn,
        dueAt: asOf + (ahead.dueAt ?? 0),
        returns: [asOf + (ahead.returnsAt ?? 0)],
        lineEndsAt: asOf + (ahead.line ?? 0),
        bookedUntil: asOf + (ahead.booked ?? 0),
      },
    },
  });
}

function aheadOf({ nextAt, settledAt, lane, crawls: { a } }: HostState): Ahead {
  return {
    nextAt: nextAt - NOW,
    settledAt: settledAt - NOW,
    timedFrom: (lane?.timedFrom ?? 0) - NOW,
    endsAt: (lane?.endsAt ?? 0) - NOW,
    expiresAt: (lane?.expiresAt ?? 0) - NOW,
    dueAt: (a?.dueAt ?? 0) - NOW,
    returnsAt: (a?.returns[0] ?? 0) - NOW,
    line: (a?.lineEndsAt ?? 0) - NOW,
    booked: (a?.bookedUntil ?? 0) - NOW,
  };
}

const USUAL = {
  nextAt: 1_000,
  settledAt: -3_000,
  timedFrom: -2_000,
  endsAt: 5_000,
  expiresAt: 75_000,
  dueAt: 6_000,
  returnsAt: 7_000,
  line: 20 * MINUTE,
  booked: 30 * MINUTE,
};

test.each<[string, number, number, Ahead, Ahead]>([
  ["the clock goes on", NOW, 0, USUAL, USUAL],
  ["the clock is set back a day", NOW + DAY, 0, USUAL, USUAL],
  ["the clock is set back a year, during a back-off", NOW + 365 * DAY, 3, { nextAt: 40_000 }, { nextAt: 40_000 }],
  ["a Retry-After of a day", NOW, 1, { nextAt: DAY }, { nextAt: DAY }],
  ["a rest that no rule can ask for", NOW, 0, { nextAt: DAY }, { nextAt: 10 * MINUTE + 10_000 }],
  ["a back-off that no rule can ask for", NOW, 1, { nextAt: 9 * DAY }, { nextAt: DAY + 10_000 }],
  [
    "a lease that no rule can give",
    NOW,
    0,
    { endsAt: DAY, expiresAt: DAY },
    { endsAt: 10 * MINUTE + 35_000, expiresAt: 10 * MINUTE + 485_000 },
  ],
])("no stored time makes a host wait for longer than a rule can: %s", (_, asOf, failures, ahead, expected) => {
  const state = storedAt(asOf, failures, ahead);
  limitWaits(state, 1, NOW);
  expect(aheadOf(state)).toMatchObject(expected);
  limitWaits(state, 1, NOW);
  expect(aheadOf(state)).toMatchObject(expected);
});

test("a rest that a bandwidth limit asks for is kept, for a day at most", () => {
  const state = hostStateOf({ ...FRESH_HOST, asOf: NOW });
  settleLane(state, { token: "", nextAt: NOW + 60 * MINUTE, lastDurationMs: 1, answered: true, failure: null }, NOW);
  limitWaits(state, 1, NOW);
  expect(state.nextAt).toBe(NOW + 60 * MINUTE);
  settleLane(state, { token: "", nextAt: NOW + 9 * DAY, lastDurationMs: 1, answered: true, failure: null }, NOW);
  limitWaits(state, 1, NOW);
  expect(state.nextAt).toBe(NOW + DAY + 10_000);
});

const failure = { state: "silent" as const, detail: "503", failures: 2 };
test.each<[string, RobotsFile, Partial<RobotsFile>]>([
  [
    "the clock goes on",
    { ...failure, firstAt: NOW - 9, lastAt: NOW, retryAt: NOW + 20_000 },
    { retryAt: NOW + 20_000, firstAt: NOW - 9 },
  ],
  [
    "the clock is set back a day",
    { ...failure, firstAt: NOW + DAY - 9, lastAt: NOW + DAY, retryAt: NOW + DAY + 20_000 },
    { retryAt: NOW + 20_000, firstAt: NOW - 9 },
  ],
  [
    "a failure of an older version, two days ahead",
    { ...failure, firstAt: NOW, retryAt: NOW + 2 * DAY },
    { retryAt: NOW + DAY },
  ],
])("a failed robots.txt is requested again no later than a rule can ask: %s", (_, stored, expected) => {
  const read = limitRetry(stored, NOW);
  expect(read).toMatchObject(expected);
  expect(limitRetry(read, NOW)).toEqual(read);
});

test("a robots.txt that was read tomorrow is read again", () => {
  expect(isFresh({ state: "allow-all", fetchedAt: NOW }, NOW)).toBe(true);
  expect(isFresh({ state: "allow-all", fetchedAt: NOW + DAY }, NOW)).toBe(false);
});
