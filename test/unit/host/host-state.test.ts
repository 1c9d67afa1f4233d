import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LANE_BUDGET_MS, VISIT_LANE_MS } from "../../../src/host/full-lane.ts";
import {
  admitLane,
  bookSlots,
  FRESH_HOST,
  type HostState,
  type LaneRequest,
  settleLane,
} from "../../../src/host/host-state.ts";

const PACE = { minDelayMs: 1_000, maxDelayMs: 30_000, delayFactor: 5, crawlDelayMs: null };
const NO_DELAY = { ...PACE, minDelayMs: 0 };

function fresh(changes: Partial<HostState> = {}): HostState {
  return { ...structuredClone(FRESH_HOST), ...changes };
}

function ask(keys: string[], changes: Partial<LaneRequest> = {}): LaneRequest {
  return { keys, pace: PACE, concurrency: 1, timeoutMs: 30_000, speed: 1, token: "t1", boot: "b", ...changes };
}

function report(token: string, changes: Partial<Parameters<typeof settleLane>[1]> = {}) {
  return { token, nextAt: 0, lastDurationMs: 100, answered: true, failure: null, ...changes };
}

const kinds = (slots: { kind: string }[]) => slots.map(({ kind }) => kind);
const numbered = (n: number) => Array.from({ length: n }, (_, i) => `c u${i}`);

describe("admitLane", () => {
  test("grants as many URLs as fit into the lane's time, and gives later slots to the others", () => {
    const { slots, grant } = admitLane(fresh(), ask(numbered(12)), 1_000);
    expect(kinds(slots)).toEqual([...Array(5).fill("go"), ...Array(7).fill("wait")]);
    expect(grant?.startAt).toBe(1_000);
    // Slots come in lanes' worths of five.
    expect(slots.slice(5).map((slot) => slot.kind === "wait" && slot.delayMs)).toEqual([
      5_000, 5_000, 5_000, 5_000, 5_000, 10_000, 10_000,
    ]);
  });

  test("says whether other URLs of the lane's crawls are due after it, on a host that rests", () => {
    const isFollowed = (state: HostState, keys: string[], changes: Partial<LaneRequest> = {}) =>
      admitLane(state, ask(keys, changes), 0).grant?.isFollowed;
    expect(isFollowed(fresh(), numbered(5))).toBe(false);
    // The others are refused, and come again.
    expect(isFollowed(fresh(), numbered(12))).toBe(true);
    const booked = (count: number) => {
      const state = fresh();
      bookSlots(state, { crawl: "c", epoch: 0, count }, ask([]), 0);
      return state;
    };
    expect(isFollowed(booked(5), numbered(5))).toBe(false);
    expect(isFollowed(booked(6), numbered(5))).toBe(true);
    expect(isFollowed(booked(6), [...numbered(4), "d u"])).toBe(false);
    expect(isFollowed(booked(600), numbered(5), { pace: NO_DELAY })).toBe(false);
  });

  test("leaves no single URL of a message behind because the host became slower, or because the lane begins later", () => {
    const state = fresh();
    for (let i = 0; i < 5; i++) settleLane(state, report("", { lastDurationMs: 200, nextAt: 4_000 }), 0);
    const { slots, grant } = admitLane(state, ask(numbered(5)), 1_000);
    expect(kinds(slots)).toEqual(Array(5).fill("go"));
    expect(grant).toMatchObject({ startAt: 4_000, lastStartAt: 4_000 + 5 * 1_200 + LANE_BUDGET_MS });
    const more = fresh();
    for (let i = 0; i < 5; i++) settleLane(more, report("", { lastDurationMs: 300 }), 0);
    expect(kinds(admitLane(more, ask(numbered(5)), 1_000).slots)).toEqual(["go", "go", "go", "wait", "wait"]);
  });

  test("a lane of visits is longer, as long as no other crawl waits for the host", () => {
    const visits = { laneMs: VISIT_LANE_MS };
    const { slots, grant } = admitLane(fresh(), ask(numbered(26), visits), 1_000);
    expect(kinds(slots)).toEqual(Array(26).fill("go"));
    expect(grant?.lastStartAt).toBe(1_000 + 26_000 + LANE_BUDGET_MS);
    const state = fresh();
    admitLane(state, ask(["other u"]), 0);
    admitLane(state, ask(["d u0", "d u1"], { token: "t2" }), 100);
    settleLane(state, report("t1"), 1_000);
    expect(
      kinds(admitLane(state, ask(numbered(26), visits), 2_000).slots).filter((kind) => kind === "go").length,
    ).toBeLessThanOrEqual(5);
  });

  test("a lane takes a whole message of pages, or twenty seconds, as long as no other crawl waits for the host", () => {
    const long = { longLanes: true };
    const going = (state: HostState) =>
      kinds(admitLane(state, ask(numbered(24), { ...long, token: "t9" }), 50_000).slots).filter(
        (kind) => kind === "go",
      );
    expect(going(fresh())).toHaveLength(12);
    const slow = fresh();
    const fetches = Array.from({ length: 5 }, () => ({ durationMs: 800, bodyBytes: 0 }));
    settleLane(slow, report("", { lastDurationMs: 800, fetches }), 0);
    // A URL and its rest take 4.8 s.
    expect(going(slow)).toHaveLength(4);
    const shared = fresh();
    admitLane(shared, ask(["other u"]), 0);
    admitLane(shared, ask(["d u0"], { token: "t2" }), 100);
    settleLane(shared, report("t1"), 1_000);
    expect(kinds(admitLane(shared, ask(numbered(24), long), 2_000).slots).filter((kind) => kind === "go").length).toBe(
      5,
    );
  });

  test("URLs that come back while the lane is late go next, not behind their own former slot", () => {
    const state = fresh();
    admitLane(state, ask(numbered(5)), 0);
    const [first] = admitLane(state, ask(["c u5", "c u6"], { token: "t2" }), 100).slots;
    expect(first).toMatchObject({ kind: "wait", delayMs: 4_900 });
    const [again] = admitLane(state, ask(["c u5", "c u6"], { token: "t3" }), 5_100).slots;
    expect(again).toMatchObject({ kind: "wait", delayMs: 1_000 });
  });

  test("plans for the bandwidth limit by the usual size of bodies", () => {
    const state = fresh();
    for (let i = 0; i < 5; i++) settleLane(state, report("", { lastBodyBytes: 20_000 }), 0);
    const pace = { ...NO_DELAY, maxBytesPerSecond: 10_000 };
    const { slots } = admitLane(state, ask(numbered(4), { pace }), 1_000);
    expect(kinds(slots)).toEqual(["go", "go", "go", "wait"]);
    expect(slots.slice(3).map((slot) => slot.kind === "wait" && slot.delayMs)).toEqual([6_000]);
  });

  test("without a delay every URL may go", () => {
    const { slots } = admitLane(fresh(), ask(numbered(25), { pace: NO_DELAY }), 0);
    expect(kinds(slots)).toEqual(Array(25).fill("go"));
  });

  test("one lane at a time holds a host", () => {
    const state = fresh();
    admitLane(state, ask(["c a"]), 0);
    const { slots, grant } = admitLane(state, ask(["c b"], { token: "t2" }), 10);
    expect(kinds(slots)).toEqual(["wait"]);
    expect(grant).toBeNull();
  });

  test("a settled lane frees the host, which then rests", () => {
    const state = fresh();
    admitLane(state, ask(["c a"]), 0);
    settleLane(state, report("t1", { nextAt: 2_000 }), 900);
    const { grant } = admitLane(state, ask(["c b"], { token: "t2" }), 1_000);
    expect(grant?.startAt).toBe(2_000);
  });

  test("a host that rests for longer than a lane lasts grants no lane", () => {
    const { slots, grant } = admitLane(fresh({ nextAt: 60_000 }), ask(["c a"]), 0);
    expect(grant).toBeNull();
    expect(slots).toEqual([{ kind: "wait", delayMs: 60_000, before: [] }]);
  });

  test("a lane of another process is dead at once, and the host rests as after a request", () => {
    const state = fresh();
    admitLane(state, ask(["c a", "c b"]), 0);
    const { slots, grant } = admitLane(state, ask(["c z", "c a", "c b"], { token: "t2", boot: "b2" }), 1_000);
    expect(kinds(slots)).toEqual(["go", "go", "go"]);
    expect(grant?.startAt).toBeGreaterThanOrEqual(2_000);
  });

  test("URLs of a lost lane are suspect, and go alone", () => {
    const state = fresh();
    admitLane(state, ask(["c a", "c b"]), 0);
    const { slots } = admitLane(state, ask(["c z", "c a", "c b"], { token: "t2" }), 100_000);
    expect(kinds(slots)).toEqual(["wait", "go", "wait"]);
  });

  test("URLs that were lost with their process become suspect at the second loss", () => {
    const state = fresh();
    const lose = (boot: string) => kinds(admitLane(state, ask(["c a", "c b"], { boot }), Number(boot) * 10_000).slots);
    expect([lose("1"), lose("2"), lose("3")]).toEqual([
      ["go", "go"],
      ["go", "go"],
      ["go", "wait"],
    ]);
  });

  test("a lease ends after the lane's time, the timeout of its last fetch, and a margin", () => {
    const state = fresh();
    admitLane(state, ask(["c a"]), 0);
    expect(admitLane(state, ask(["c b"], { token: "t2" }), 60_000).grant).toBeNull();
    expect(admitLane(state, ask(["c b"], { token: "t3" }), 70_000).grant).not.toBeNull();
  });

  test("on a faster clock a lane takes as much of the host's time as fits into the same real time", () => {
    const state = fresh({ nextAt: 60_000 });
    const { slots, grant } = admitLane(state, ask(numbered(25), { speed: 100 }), 0);
    expect(kinds(slots)).toEqual(Array(25).fill("go"));
    expect(grant).toMatchObject({ startAt: 60_000, lastStartAt: 85_000 + 500_000 });
    expect(state.lane?.expiresAt).toBe(85_000 + 500_000 + 100 * (30_000 + 30_000));
  });

  test("a suspect whose lane is lost twice while it goes alone is poison", () => {
    const state = fresh();
    const dies = (hour: number) => kinds(admitLane(state, ask(["c a", "c b"]), hour * 3_600_000).slots);
    expect(dies(1)).toEqual(["go", "go"]);
    expect(dies(2)).toEqual(["go", "wait"]);
    expect(dies(3)).toEqual(["go", "wait"]);
    expect(dies(4)).toEqual(["poison", "go"]);
  });

  test("a suspect whose lane is settled is no longer suspect", () => {
    const state = fresh();
    admitLane(state, ask(["c a", "c b"]), 0);
    admitLane(state, ask(["c a", "c b"], { token: "t2" }), 1_000_000);
    settleLane(state, report("t2"), 1_000_100);
    expect(state.suspects).toEqual({ "c b": 0 });
  });
});

describe("settleLane", () => {
  test("failures in a row double the rest; an answer ends them", () => {
    const state = fresh();
    settleLane(state, report("", { failure: { retryAfterMs: null, why: "busy" }, answered: false }), 0);
    expect(state.nextAt).toBe(10_000);
    settleLane(state, report("", { failure: { retryAfterMs: null, why: "busy" }, answered: false }), 10_000);
    expect(state.nextAt).toBe(30_000);
    expect(state).toMatchObject({ failures: 2, failingSince: 0, failureWhy: "busy" });
    settleLane(state, report(""), 40_000);
    expect(state).toMatchObject({ failures: 0, failingSince: null, failureWhy: null });
  });

  test("Retry-After is obeyed exactly", () => {
    const state = fresh();
    settleLane(state, report("", { failure: { retryAfterMs: 123_000, why: "busy" } }), 1_000);
    expect(state.nextAt).toBe(124_000);
  });

  test("the report of a lost lane does not free the host from the next lane", () => {
    const state = fresh();
    admitLane(state, ask(["c a"]), 0);
    settleLane(state, report("lost", { nextAt: 9_000 }), 100);
    expect(state.lane?.token).toBe("t1");
    expect(state.nextAt).toBe(9_000);
  });
});

describe("bookSlots", () => {
  const request = { pace: PACE, concurrency: 1, speed: 1 };

  test("URLs of one crawl get slots one after the other", () => {
    const state = fresh();
    expect(bookSlots(state, { crawl: "c", epoch: 1, count: 6 }, request, 0)).toEqual([0, 0, 0, 0, 0, 5_000]);
    expect(bookSlots(state, { crawl: "c", epoch: 1, count: 2 }, request, 0)).toEqual([6_000, 6_000]);
  });

  test("a new epoch drops the slots of the old one", () => {
    const state = fresh();
    bookSlots(state, { crawl: "c", epoch: 1, count: 100 }, request, 0);
    expect(bookSlots(state, { crawl: "c", epoch: 2, count: 1 }, request, 0)).toEqual([0]);
  });
});

/** Rule 3 for the gate alone: lanes never overlap, and none starts before the rest of the last one is over. */
test("lanes never overlap, and keep the rest between them, whichever crawls ask", () => {
  const step = fc.record({
    waitMs: fc.integer({ min: 0, max: 20_000 }),
    keys: fc.array(fc.constantFrom("x a", "x b", "y c", "y d", "y e", "z f", "z g"), { minLength: 1, maxLength: 7 }),
    durationMs: fc.integer({ min: 0, max: 3_000 }),
    settles: fc.boolean(),
    failure: fc.option(
      fc.record({ retryAfterMs: fc.option(fc.integer({ min: 0, max: 60_000 })), why: fc.constant("busy") }),
    ),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const state = fresh();
      let now = 0;
      let freeAt = 0;
      for (const [i, { waitMs, keys, durationMs, settles, failure }] of steps.entries()) {
        now += waitMs;
        const { slots, grant } = admitLane(state, ask([...new Set(keys)], { token: `t${i}` }), now);
        expect(grant !== null).toBe(slots.some(({ kind }) => kind === "go"));
        for (const slot of slots) if (slot.kind === "wait") expect(slot.delayMs).toBeGreaterThan(0);
        if (grant === null) continue;
        expect(grant.startAt).toBeGreaterThanOrEqual(freeAt);
        const end = grant.startAt + durationMs;
        if (settles) {
          now = end;
          freeAt = end + 1_000;
          settleLane(state, report(grant.token, { nextAt: freeAt, lastDurationMs: durationMs, failure }), now);
        } else {
          // Its consumer died, and started no request after lastStartAt.
          freeAt = grant.lastStartAt + 1_000;
        }
      }
    }),
  );
});
