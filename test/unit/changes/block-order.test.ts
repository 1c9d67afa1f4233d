import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareVersions } from "../../../src/changes/compare/compare-versions.ts";
import { NO_RULES } from "../../../src/changes/ignore-rules.ts";
import { compileNoise } from "../../../src/changes/noise/compile-noise.ts";
import { findNoise } from "../../../src/changes/noise/find-noise.ts";
import type { PageVersion } from "../../../src/changes/page-version.ts";
import { EMPTY_TEMPLATE } from "../../../src/changes/template/host-template.ts";
import { viewOf } from "../../../src/changes/view-version.ts";
import { prose, version } from "./version.ts";

const template = viewOf().template;
const placesOf = (first: PageVersion, second: PageVersion) =>
  findNoise(first, second, template).map(({ place }) => place);
const compare = (before: PageVersion, after: PageVersion, noise: readonly string[]) => {
  const page = { url: "https://a.test/", storedAt: null, noise };
  return compareVersions(before, after, viewOf(EMPTY_TEMPLATE, NO_RULES, page));
};
const page = (...blocks: string[]) => version(["Heading", ...blocks, prose(1), "Imprint"]);

describe("two looks that show the same in another order", () => {
  test.each([
    ["items of a list", page("a", "b", "c", "d"), page("b", "d", "a", "c")],
    ["items from the beginning of the page", version(["a", "b", "c"]), version(["c", "b", "a"])],
    ["items of which two are alike", page("a", "b", "a", "c"), page("a", "a", "c", "b")],
    ["an item that looks like the heading", page("a 1", "heading", "c"), page("c", "a 1", "heading")],
    ["items with counters", page("seen 5 times", "b", "c"), page("c", "b", "seen 7 times")],
    ["two lists with text between", page("a", "b", prose(2), "x", "y"), page("b", "a", prose(2), "y", "x")],
  ])("%s: their order is noise", (_, first, second) => {
    const places = placesOf(first, second);
    expect(places.filter((place) => place.startsWith("o:"))).not.toHaveLength(0);
    expect(compare(first, second, places)).toEqual({ kind: "unchanged" });
  });

  test("numbers alone are no order", () => {
    expect(
      placesOf(page("seen 5 times", "b"), page("seen 7 times", "b")).every((place) => place.startsWith("n:")),
    ).toBe(true);
  });

  test("items that come and go are no order", () => {
    const places = placesOf(page("a", "b", "c"), page("d", "e", "f"));
    expect(places.filter((place) => place.startsWith("o:"))).toEqual([]);
  });
});

/** A list, two orders of it, and an item that is new. */
const lists = fc
  .uniqueArray(fc.integer({ min: 0, max: 60 }), { minLength: 3, maxLength: 30 })
  .chain((items) =>
    fc.tuple(
      fc.constant(items),
      fc.shuffledSubarray(items, { minLength: items.length }),
      fc.shuffledSubarray(items, { minLength: items.length }),
      fc.nat(items.length),
    ),
  );

test("whatever the order, the page says the same, and one item more or less is a change of one block", () => {
  fc.assert(
    fc.property(lists, ([items, second, third, at]) => {
      const show = (list: readonly number[]) => page(...list.map((item) => `Item ${prose(100 + item)}`));
      const places = placesOf(show(items), show(second));
      const noise = [...places, ...placesOf(show(second), show(third)), ...placesOf(show(items), show(third))];
      expect(compare(show(items), show(third), noise).kind).toBe("unchanged");
      const more = third.toSpliced(at, 0, 99);
      const added = compare(show(items), show(more), noise);
      if (noise.length === 0) return;
      const isWhole = compileNoise(noise).unordered.some(([start]) => start === noise[0]?.slice(2).split(">")[0]);
      expect(added.kind).toBe("changed");
      if (added.kind === "changed" && isWhole) expect(added.content?.removed ?? 0).toBe(0);
    }),
  );
});
