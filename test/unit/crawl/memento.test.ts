import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Memento, mementoAt, NEWEST } from "../../../src/crawl/watch/memento.ts";

const at = (time: number, kind: Memento["kind"] = "page"): Memento => {
  return { time, httpStatus: 200, kind, redirectTo: null, packed: null };
};
const THREE = [at(10), at(20), at(30)];

describe("the memento in force at a time", () => {
  test.each([
    ["long before all of them", 0, 10, null, 20],
    ["at the first", 10, 10, null, 20],
    ["just before the second", 19, 10, null, 20],
    ["at the second", 20, 20, 10, 30],
    ["between two", 29, 20, 10, 30],
    ["after all of them", 31, 30, 20, null],
    ["at no time in particular", NEWEST, 30, 20, null],
  ])("%s", (_, time, chosen, prev, next) => {
    const choice = mementoAt(THREE, time);
    expect([choice?.chosen.time, choice?.prev?.time ?? null, choice?.next?.time ?? null]).toEqual([chosen, prev, next]);
    expect([choice?.first.time, choice?.last.time]).toEqual([10, 30]);
  });

  test("is the only one, whatever the time", () => {
    for (const time of [0, 10, NEWEST])
      expect(mementoAt([at(10)], time)).toEqual({
        chosen: at(10),
        first: at(10),
        last: at(10),
        prev: null,
        next: null,
      });
  });

  test("does not exist without mementos", () => {
    expect(mementoAt([], 10)).toBeNull();
  });

  test("is the last one fetched until then, else the first", () => {
    const times = fc.uniqueArray(fc.nat(1_000), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(times, fc.nat(1_100), (all, time) => {
        const sorted = all.toSorted((a, b) => a - b);
        const until = sorted.filter((each) => each <= time);
        const choice = mementoAt(
          sorted.map((each) => at(each)),
          time,
        );
        expect(choice?.chosen.time).toBe(until.at(-1) ?? sorted[0]);
        expect(choice?.next?.time).toBe(sorted.find((each) => each > (choice?.chosen.time ?? 0)));
        expect(choice?.prev?.time).toBe(sorted.findLast((each) => each < (choice?.chosen.time ?? 0)));
      }),
    );
  });

  test.each([
    ["its page was fetched before it", 999_000, 1_000_000],
    ["its page was fetched ten minutes before it", 400_000, 1_000_000],
    ["its page was fetched long before it", 399_999, 0],
    ["its page was fetched after it", 1_000_500, 1_000_000],
    ["it was fetched in that second itself", 999, 0],
    ["no page is older", -1, 0],
  ])("of an asset is the one that came with its page: %s", (_, time, chosen) => {
    const choice = mementoAt([at(0, "asset"), at(1_000_000, "asset"), at(1_300_000, "asset")], time);
    expect(choice?.chosen.time).toBe(chosen);
    expect(choice?.next?.time).toBe(chosen === 0 ? 1_000_000 : 1_300_000);
  });
});
