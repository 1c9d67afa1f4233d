import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  admitLane,
  bookSlots,
  FRESH_HOST,
  type HostState,
  type LaneRequest,
  settleLane,
} from "../../../src/host/host-state.ts";
import type { Pace } from "../../../src/host/pace.ts";

/** How a host is shared out between crawls, and when URLs that were refused come back. */

const USUAL: Pace = { minDelayMs: 1_000, maxDelayMs: 30_000, delayFactor: 5, crawlDelayMs: null };
const NO_REST: Pace = { ...USUAL, minDelayMs: 0 };

const fresh = (): HostState => structuredClone(FRESH_HOST);
const urlsOf = (crawl: string, count: number) => Array.from({ length: count }, (_, i) => `${crawl} u${i}`);

function ask(keys: string[], changes: Partial<LaneRequest> = {}): LaneRequest {
  return { keys, pace: USUAL, concurrency: 1, timeoutMs: 30_000, speed: 1, token: "t", boot: "", ...changes };
}

function settle(state: HostState, now: number, lastDurationMs = 100): void {
  const token = state.lane?.token ?? "";
  settleLane(state, { token, nextAt: now, lastDurationMs, answered: true, failure: null }, now);
}

/** The crawls whose URLs may go. */
function going(state: HostState, request: LaneRequest, now: number): string[] {
  const { slots } = admitLane(state, request, now);
  return request.keys.filter((_, i) => slots[i]?.kind === "go").map((key) => key.split(" ")[0] ?? "");
}

function delays(state: HostState, request: LaneRequest, now: number): number[] {
  return admitLane(state, request, now).slots.flatMap((slot) => (slot.kind === "wait" ? [slot.delayMs] : []));
}

describe("a lane goes to the crawl that was served longest ago", () => {
  test("whose URLs take turns in one request", () => {
    const state = fresh();
    const keys = [...urlsOf("a", 20), ...urlsOf("b", 5)];
    expect(going(state, ask(keys), 0).toSorted()).toEqual(["a", "a", "a", "b", "b"]);
  });

  test("who was refused goes before who has just been served", () => {
    const state = fresh();
    admitLane(state, ask(urlsOf("a", 5)), 0);
    const [delayMs = 0] = delays(state, ask(urlsOf("b", 5)), 100);
    settle(state, 5_000);
    // b is about to return, so a waits.
    expect(going(state, ask(urlsOf("a", 5)), delayMs)).toEqual([]);
    expect(going(state, ask(urlsOf("b", 5)), delayMs + 200)).toEqual(Array(5).fill("b"));
    settle(state, 11_000);
    expect(going(state, ask(urlsOf("b", 5)), 11_000)).toEqual([]);
    expect(going(state, ask(urlsOf("a", 5)), 11_000)).toEqual(Array(5).fill("a"));
  });

  test("a newcomer goes first", () => {
    const state = fresh();
    admitLane(state, ask(urlsOf("a", 5)), 0);
    settle(state, 5_000);
    expect(going(state, ask([...urlsOf("a", 5), "new u"]), 5_000)[0]).toBe("a");
    expect(state.crawls.new?.servedIn).toBe(2);
  });

  test("nobody waits for a crawl that is not due soon, or did not come", () => {
    const state = fresh();
    admitLane(state, ask(urlsOf("a", 5)), 0);
    state.nextAt = 60_000;
    expect(delays(state, ask(["b u"]), 100)).toEqual([59_900]);
    settle(state, 5_000);
    state.nextAt = 5_000;
    expect(going(state, ask(urlsOf("a", 5)), 5_000)).toEqual(Array(5).fill("a"));
    settle(state, 10_000);
    expect(going(state, ask(urlsOf("a", 5)), 60_000)).toEqual([]);
    expect(going(state, ask(urlsOf("a", 5)), 65_100)).toEqual(Array(5).fill("a"));
  });

  test("the first waiting URL of each crawl says who is before it", () => {
    const state = fresh();
    admitLane(state, ask(urlsOf("a", 5)), 0);
    const waits = (request: LaneRequest, now: number) =>
      admitLane(state, request, now).slots.map((slot) => slot.kind === "wait" && slot.before);
    expect(waits(ask(urlsOf("b", 2)), 100)).toEqual([["a"], []]);
    expect(waits(ask(["a more"]), 100)).toEqual([["b"]]);
  });

  test("slots that nobody is sent in are expected by nobody", () => {
    const state = fresh();
    bookSlots(state, { crawl: "b", epoch: 0, count: 0 }, { pace: USUAL, concurrency: 1, speed: 1 }, 4_000);
    expect(state.crawls.b?.dueAt).toBeNull();
  });

  test("a lane waits for a slot of refused URLs, though new URLs of the crawl came before it", () => {
    const state = fresh();
    admitLane(state, ask(urlsOf("a", 25), { pace: NO_REST }), 0);
    expect(delays(state, ask(urlsOf("b", 10)), 0)).toEqual([...Array(5).fill(1_000), ...Array(5).fill(6_000)]);
    settle(state, 500);
    expect(going(state, ask(urlsOf("b", 5)), 1_000)).toEqual(Array(5).fill("b"));
    settle(state, 4_000);
    bookSlots(state, { crawl: "b", epoch: 0, count: 5 }, { pace: USUAL, concurrency: 1, speed: 1 }, 4_000);
    expect(going(state, ask(["b new"]), 4_000)).toEqual(["b"]);
    settle(state, 5_500);
    expect(going(state, ask(["a u"]), 5_500)).toEqual(["a"]);
    settle(state, 5_700);
    // b's second slot is due at 6,000.
    expect(going(state, ask(["a u"]), 5_800)).toEqual([]);
    expect(going(state, ask(urlsOf("b", 3)), 6_000)).toEqual(Array(3).fill("b"));
  });
});

describe("slots", () => {
  const request = { pace: USUAL, concurrency: 1, speed: 1 };
  const spacing = (durations: number[]) => {
    const state = fresh();
    for (const duration of durations) settle(state, 0, duration);
    state.nextAt = 0;
    bookSlots(state, { crawl: "c", epoch: 1, count: 10 }, request, 0);
    return (state.crawls.c?.bookedUntil ?? 0) / 10;
  };

  test.each([
    ["before any answer", [], 1_000],
    ["after one slow answer", [3_000], 1_000],
    ["after two slow answers", [3_000, 3_000], 1_000],
    ["after three slow answers", [3_000, 3_000, 3_000], 18_000],
    ["one slow answer among quick ones", [200, 200, 200, 200, 3_000], 1_200],
    ["a host that is quick again", [3_000, 3_000, 3_000, 200, 200, 200, 200], 1_200],
    ["a host that was quick in seven of twelve", [...Array(6).fill(3_000), ...Array(7).fill(200)], 1_200],
  ])("are booked at the median of the last twelve durations: %s", (_, durations, expected) => {
    expect(spacing(durations)).toBe(expected);
  });

  test("a seed of 3 s with 500 links books the last link in nine minutes, not in 150", () => {
    const state = fresh();
    settle(state, 3_000, 3_000);
    const quotes = bookSlots(state, { crawl: "c", epoch: 1, count: 500 }, request, 3_000);
    expect(Math.max(...quotes)).toBeLessThan(9 * 60_000);
  });

  test("the rest after a slow answer stays: the next lane starts when the last one said", () => {
    const state = fresh();
    admitLane(state, ask(["c a"]), 0);
    settleLane(state, { token: "t", nextAt: 18_000, lastDurationMs: 3_000, answered: true, failure: null }, 3_000);
    expect(admitLane(state, ask(["c b"]), 3_000).grant).toBeNull();
    expect(admitLane(state, ask(["c b"]), 18_000).grant?.startAt).toBe(18_000);
  });

  test("the 3,000 waiting URLs of a cancelled crawl hold nobody up", () => {
    const state = fresh();
    admitLane(state, ask(urlsOf("gone", 3_000)), 0);
    settle(state, 5_000);
    expect(Math.max(...delays(state, ask(urlsOf("b", 10)), 5_000))).toBeLessThan(30_000);
    settle(state, 10_000);
    // Its first return has passed, and b's.
    expect(going(state, ask(urlsOf("c", 10)), 25_100)).toEqual(Array(5).fill("c"));
    expect(Math.max(...delays(state, ask(urlsOf("d", 6)), 100_000))).toBeLessThan(10_000);
    expect(state.crawls.gone).toMatchObject({ dueAt: null, lineEndsAt: 0, bookedUntil: 0 });
  });

  test("a newer epoch starts a line of its own", () => {
    const state = fresh();
    const [first] = delays(state, ask(urlsOf("c", 1_000), { epochs: { c: 1 } }), 0);
    expect(Math.max(...delays(state, ask(urlsOf("c", 5), { epochs: { c: 1 } }), 0))).toBeGreaterThan(900_000);
    expect(delays(state, ask(urlsOf("c", 5), { epochs: { c: 2 } }), 0)[0]).toBe(first);
  });

  test("where several crawls wait, each comes back when its turn is due", () => {
    const state = fresh();
    admitLane(state, ask(urlsOf("a", 5)), 0);
    expect(delays(state, ask(urlsOf("b", 10)), 0)).toEqual([...Array(5).fill(5_000), ...Array(5).fill(10_000)]);
    // b's turn takes five seconds, and c comes after it.
    expect(delays(state, ask(urlsOf("c", 10)), 0)).toEqual([...Array(5).fill(5_000), ...Array(5).fill(15_000)]);
  });

  test("a lane that is late is asked about ever more rarely", () => {
    const state = fresh();
    admitLane(state, ask(["a u"]), 0);
    const at = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000];
    expect(at.map((now) => delays(state, ask(["b u"]), now)[0])).toEqual([1_000, 1_000, 3_000, 7_000, 15_000, 30_000]);
  });
});

interface Sent {
  crawl: number;
  count: number;
  /** When the gate expects it; never for URLs that it has not refused. */
  dueAt: number;
  /** When it comes. */
  at: number;
}

interface SimulatedLane {
  /** The crawls with URLs in it. */
  served: Set<number>;
  /**
   * The crawls with URLs that have come, or that are due after a refusal. If other URLs of a crawl come shortly before
   * they are due, or later, its gate takes them for these, so the crawl does not count as waiting.
   */
  waiting: Set<number>;
}

/** A generated crawl. */
interface Crawler {
  rests: boolean;
  /** URLs that are queued at a time. */
  inMotion: number;
  startsAt: number;
}

/**
 * Crawls that never run out of work, on one host. Their messages come late by a generated time, and lose the fractions
 * of a second, as in the queue.
 */
function simulate(crawlers: Crawler[], lateness: number[], durations: number[], lanes: number): SimulatedLane[] {
  const state = fresh();
  const granted: SimulatedLane[] = [];
  let sent: Sent[] = [];
  const cameAt = new Map<number, number>();
  let n = 0;
  const send = (crawl: number, count: number, delayMs: number, now: number, isRefused: boolean) => {
    const lateMs = lateness[n++ % lateness.length] ?? 0;
    for (let left = count; left > 0; left -= 5) {
      const at = now + Math.floor(delayMs / 1_000) * 1_000 + lateMs;
      sent.push({ crawl, count: Math.min(left, 5), dueAt: isRefused ? now + delayMs : Number.POSITIVE_INFINITY, at });
    }
  };
  for (const [crawl, { inMotion, startsAt }] of crawlers.entries()) send(crawl, inMotion, 0, startsAt, false);
  const sendAll = (crawl: number, slots: number[], now: number, isRefused: boolean) => {
    for (const [delayMs, group] of Map.groupBy(slots, (ms) => ms)) send(crawl, group.length, delayMs, now, isRefused);
  };
  let settling: { at: number; run: () => void }[] = [];
  let now = 0;
  while (granted.length < lanes) {
    sent.sort((a, b) => a.at - b.at);
    const next = sent[0];
    const settles = settling.toSorted((a, b) => a.at - b.at)[0];
    if (settles !== undefined && settles.at <= (next?.at ?? Number.POSITIVE_INFINITY)) {
      now = Math.max(now, settles.at);
      settling = settling.filter((other) => other !== settles);
      settles.run();
      continue;
    }
    if (next === undefined) throw new Error("no message is left");
    now = Math.max(now, next.at);
    const batch = sent.filter(({ at }) => at <= now).slice(0, 5);
    sent = sent.filter((message) => !batch.includes(message));
    for (const { crawl } of batch) cameAt.set(crawl, now);
    const keys = batch.flatMap(({ crawl, count }) => Array.from({ length: count }, () => `${crawl} u${n++}`));
    const rests = batch.some(({ crawl }) => crawlers[crawl]?.rests);
    const pace = rests ? USUAL : NO_REST;
    const { slots, grant } = admitLane(state, ask(keys, { pace, token: `t${n}` }), now);
    const crawlAt = (i: number) => Number(keys[i]?.split(" ")[0]);
    const waiting = slots.flatMap((slot, i) => (slot.kind === "wait" ? [{ crawl: crawlAt(i), ...slot }] : []));
    for (const [crawl, group] of Map.groupBy(waiting, ({ crawl }) => crawl)) {
      sendAll(
        crawl,
        group.map(({ delayMs }) => delayMs),
        now,
        true,
      );
    }
    if (grant === null) continue;
    const goers = slots.flatMap((slot, i) => (slot.kind === "go" ? [crawlAt(i)] : []));
    const isAwaited = ({ crawl, dueAt }: Sent) => dueAt <= now && (cameAt.get(crawl) ?? 0) < dueAt - 1_000;
    const due = [...batch, ...sent.filter((message) => message.at <= now || isAwaited(message))];
    granted.push({ served: new Set(goers), waiting: new Set(due.map(({ crawl }) => crawl)) });
    const durationMs = durations[n % durations.length] ?? 0;
    const restMs = rests ? Math.max(1_000, 5 * durationMs) : 0;
    const end = grant.startAt + goers.length * (durationMs + restMs) - restMs;
    const run = () => {
      const report = { token: grant.token, nextAt: end + restMs, lastDurationMs: durationMs };
      settleLane(state, { ...report, answered: true, failure: null }, end);
      for (const [crawl, group] of Map.groupBy(goers, (crawl) => crawl)) {
        const booking = { crawl: String(crawl), epoch: 0, count: group.length };
        sendAll(crawl, bookSlots(state, booking, { pace, concurrency: 1, speed: 1 }, end), end, false);
      }
    };
    settling.push({ at: end, run });
  }
  return granted;
}

const crawler = fc.record({
  rests: fc.boolean(),
  inMotion: fc.integer({ min: 5, max: 60 }),
  startsAt: fc.integer({ min: 0, max: 5_000 }),
});
const anyCrawlers = fc.array(crawler, { minLength: 1, maxLength: 3 }).map((others) => {
  const first = { rests: false, inMotion: 30, startsAt: 0 };
  return [first, { ...first, rests: true }, ...others];
});

test("over any ten lanes, no crawl with work waiting has fewer than its share minus one", () => {
  const lateness = fc.array(fc.integer({ min: 0, max: 2_000 }), { minLength: 1, maxLength: 20 });
  const durations = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(anyCrawlers, lateness, durations, (crawlers, late, took) => {
      const lanes = simulate(crawlers, late, took, 60);
      for (const crawl of crawlers.keys()) {
        const own = lanes.filter(({ waiting }) => waiting.has(crawl));
        for (let from = 0; from + 10 <= own.length; from++) {
          const ten = own.slice(from, from + 10).map(({ served }) => served);
          const order = ten.map((served) => [...served].join("+")).join(" ");
          const share = Math.floor(10 / crawlers.length);
          const count = ten.filter((served) => served.has(crawl)).length;
          expect(count, `crawl ${crawl} in ${order}`).toBeGreaterThanOrEqual(share - 1);
        }
      }
    }),
    { numRuns: 200 },
  );
});
