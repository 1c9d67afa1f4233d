import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { calmed, describeParts, findParts, type RestlessPlaces } from "../../../src/changes/restless-places.ts";
import type { PagePart } from "../../../src/media/document.ts";

/** Which versions are stored for what a page says beside its text. */

const link = (place: string, ...values: string[]): PagePart[] =>
  values.map((value) => ({ kind: "link", place, value }));

/** Visits a page, and returns the numbers of the visits that stored it, and those whose stored version was another. */
function visit(pages: readonly PagePart[][]) {
  const [first = []] = pages;
  const stored: number[] = [];
  const stale: number[] = [];
  let [kept, restless, storedAt] = [first, null as RestlessPlaces | null, 0];
  for (const [n, page] of pages.entries()) {
    if (n === 0) continue;
    const isSame = JSON.stringify(page) === JSON.stringify(kept);
    const found = isSame ? null : findParts(kept, page, restless, n - storedAt);
    restless = found === null ? calmed(restless) : found.restless;
    if (found?.isStored) {
      stored.push(n);
      [kept, storedAt] = [page, n];
    } else if (!isSame) stale.push(n);
  }
  return { stored, stale, restless };
}

const many = <T>(n: number, of: (at: number) => T): T[] => Array.from({ length: n }, (_, at) => of(at));

describe("findParts", () => {
  test("stores a mended link at once, and each real change of a place that is otherwise quiet", () => {
    const page = (at: number) => link("p>a", at >= 7 ? "/mended" : "/broken");
    expect(visit(many(30, page))).toEqual({ stored: [7], stale: [], restless: null });
    const weekly = visit(many(60, (at) => link("p>a", `/${Math.floor(at / 7)}`)));
    expect(weekly.stored).toEqual(many(8, (at) => 7 * (at + 1)));
  });

  test("does not store a page at each visit because of a place that is other at each", () => {
    const { stored } = visit(many(101, (at) => link("aside>a", `/random/${at}`)));
    expect(stored.length).toBeLessThanOrEqual(15);
    // No stored version is older than eight visits.
    for (const [i, at] of stored.entries()) expect(at - (stored[i - 1] ?? 0)).toBeLessThanOrEqual(8);
  });

  test("stores a mended link at once beside a place that is other at each visit", () => {
    const page = (at: number) => [
      ...link("aside>a", `/random/${at}`),
      ...link("p>a", at >= 21 ? "/mended" : "/broken"),
    ];
    const { stored } = visit(many(24, page));
    expect(stored).toContain(21);
  });

  test("stores a restless place once it has come to rest, at its second visit", () => {
    const page = (at: number) => link("aside>a", `/random/${Math.min(at, 20)}`);
    const { stored, stale, restless } = visit(many(40, page));
    expect(stored.at(-1)).toBe(21);
    expect(stale.at(-1)).toBe(20);
    expect(restless).toBeNull();
  });

  test("takes the same links in another order for the same", () => {
    expect(findParts(link("a", "/1", "/2"), link("a", "/2", "/1"), null, 1)).toMatchObject({
      isStored: false,
      restless: null,
    });
  });

  test("holds a page of many restless places in few bytes, and still stores it now and then", () => {
    const page = (at: number) => many(500, (n) => link(`div.c${n}>a`, `/${n}/${at}`)).flat();
    const { stored, restless } = visit(many(60, page));
    expect(JSON.stringify(restless).length).toBeLessThan(1_000);
    expect(stored.length).toBeLessThanOrEqual(10);
    expect(stored.length).toBeGreaterThanOrEqual(6);
  });

  test("leaves no version stale for more than eight visits, nor a page that rests for more than one", () => {
    const values = fc.array(fc.tuple(fc.nat(2), fc.nat(2), fc.nat(5)), { minLength: 2, maxLength: 60 });
    fc.assert(
      fc.property(values, (drawn) => {
        const pages = drawn.map(([a, b, c]) => [...link("a", `/${a}`), ...link("b", `/${b}`), ...link("c", `/${c}`)]);
        const rest = pages.at(-1) ?? [];
        const { stale, restless } = visit([...pages, rest, rest]);
        for (const at of stale)
          expect(stale.includes(at) && many(8, (n) => at + n).every((n) => stale.includes(n))).toBe(false);
        expect(stale.includes(pages.length)).toBe(false);
        expect(JSON.stringify(restless).length).toBeLessThan(1_000);
      }),
      { numRuns: 200 },
    );
  });
});

test("what differs is told in a few words, of the kinds that are asked for", () => {
  const before: PagePart[] = [...link("a", "/old", "/stays"), { kind: "image", place: "img src", value: "/1.png" }];
  const after: PagePart[] = [...link("a", "/new", "/stays"), { kind: "image", place: "img src", value: "/2.png" }];
  const { changes } = findParts(before, after, null, 1);
  expect(describeParts(changes, ["links"])).toBe("links: 1 added, 1 removed: /new");
  expect(describeParts(changes, ["links", "images"])).toBe(
    "links: 1 added, 1 removed: /new; images: 1 added, 1 removed: /2.png",
  );
  expect(describeParts(changes, ["data"])).toBeNull();
  expect(describeParts(changes, [])).toBeNull();
});
