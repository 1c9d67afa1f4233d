import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  decideLost,
  endLap,
  LOST_AFTER_MS,
  type MessageSearch,
  remember,
  suspectsAmong,
} from "../../../src/crawl/report/message-search.ts";

const LAP_MS = 300_000;
const NO_LINE = { endsAt: 0, askedAt: null };
const row = (seq: number, attempts = 0) => ({ sitemap: false, seq, attempts });

/** Searches one host in laps. `found` gives its rows in motion, `lineAt` its line. Returns what is sent, and when. */
function search(
  laps: number,
  found: (now: number) => { sitemap: boolean; seq: number; attempts: number }[],
  lineAt: (now: number) => { endsAt: number; askedAt: number | null },
) {
  let state: MessageSearch = { epoch: 1, after: "", lapAt: 0, hosts: {} };
  const sent: { key: number; at: number }[] = [];
  for (let now = LAP_MS; now <= laps * LAP_MS; now += LAP_MS) {
    let rows = remember(state.hosts.h ?? [], found(now), now, now);
    const suspects = suspectsAmong(rows, now, LOST_AFTER_MS, now);
    const decided = decideLost(suspects, lineAt(now), LOST_AFTER_MS, now);
    for (const { key } of decided.lost) sent.push({ key, at: now });
    rows = rows.map((one) => decided.rows.find(({ key }) => key === one.key) ?? one);
    state = endLap({ ...state, lapAt: now, hosts: { h: rows } });
  }
  return { sent, state };
}

describe("the search for lost messages", () => {
  test("sends a row without a line after seventeen minutes, and then after twice as long each time", () => {
    const { sent } = search(
      60,
      () => [row(1)],
      () => NO_LINE,
    );
    expect(sent.map(({ at }) => at / 60_000)).toEqual([25, 45, 80, 150, 290]);
  });

  test("leaves a row that is tried again and again", () => {
    expect(
      search(
        60,
        (now) => [row(1, now / LAP_MS)],
        () => NO_LINE,
      ).sent,
    ).toEqual([]);
  });

  /** A host with a line of so many minutes. It takes `slower` percent longer than its gate has said. */
  const searchLine = (minutes: number, rows: number, slower: number) => {
    const leavesAt = (i: number) => ((minutes * 60_000 * (i + 1)) / rows) * (1 + slower / 100);
    const moving = (now: number) =>
      Array.from({ length: rows }, (_, i) => i).flatMap((i) => (leavesAt(i) > now ? [row(i)] : []));
    // Refused rows get slots at the end of the line.
    const endsAt = (now: number) => (now < leavesAt(rows - 1) ? Math.max(minutes * 60_000, now + 360_000) : 0);
    return search(120, moving, (now) => ({ endsAt: endsAt(now), askedAt: now })).sent;
  };
  const minutes = fc.integer({ min: 1, max: 300 });
  const count = fc.integer({ min: 1, max: 1_000 });

  test("never sends a row of a line that ends when its gate has said", () => {
    fc.assert(fc.property(minutes, count, (length, rows) => searchLine(length, rows, 0).length === 0));
  });

  test("sends few rows of a line that takes longer than its gate has said", () => {
    fc.assert(
      fc.property(minutes, count, fc.integer({ min: 0, max: 40 }), (length, rows, slower) => {
        // The 25 rows that are remembered, a few times.
        expect(searchLine(length, rows, slower).length).toBeLessThanOrEqual(3 * 25);
      }),
    );
  });

  test("sends a lost row, however many rows of its host come and go", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 1, max: 200 }), (lost, perLap) => {
        const others = (now: number) => Array.from({ length: perLap }, (_, i) => row(1_000 + now / 1_000 + i));
        const line = (now: number) => ({ endsAt: now + 60_000, askedAt: now });
        const { sent } = search(7, (now) => [...others(now), row(lost)], line);
        expect(sent.map(({ key }) => key)).toContain(lost);
      }),
    );
  });

  test("remembers a bounded number of rows, the ones that stand still for the longest", () => {
    const { state } = search(
      3,
      () => Array.from({ length: 5_000 }, (_, i) => row(i)),
      () => NO_LINE,
    );
    expect(state.hosts.h?.map(({ key }) => key)).toEqual(Array.from({ length: 25 }, (_, i) => i));
  });

  test("counts anew after the clock was set back", () => {
    const ahead = remember([], [row(1)], 9e12, 9e12);
    expect(remember(ahead, [row(1)], 1, 1)).toMatchObject([{ seenAt: 1 }]);
  });
});
