import fc from "fast-check";
import { expect, test } from "vitest";
import { hasPair, MissingPairs, PairUnion, repeatedPairs, toPairSet } from "../../../src/graph/pairs.ts";

type Pair = [number, number];

const pairList = fc.array(fc.tuple(fc.nat(9), fc.nat(9)) as fc.Arbitrary<Pair>, { maxLength: 60 });
const toArray = (pairs: readonly Pair[]) => Uint32Array.from(pairs.flat());
const toList = (pairs: Uint32Array) =>
  Array.from({ length: pairs.length / 2 }, (_, i) => [...pairs.subarray(2 * i, 2 * i + 2)]);
const distinct = (pairs: readonly Pair[]) =>
  [...new Map(pairs.map((pair) => [pair.join(), pair])).values()].sort(([a, b], [c, d]) => a - c || b - d);

test("a set has each pair once, in order", () => {
  fc.assert(
    fc.property(pairList, (pairs) => {
      expect(toList(toPairSet(toArray(pairs)))).toEqual(distinct(pairs));
    }),
  );
});

test("the pairs that come more than once are those, each once", () => {
  fc.assert(
    fc.property(pairList, (pairs) => {
      const isRepeated = (pair: Pair) => pairs.filter((other) => other.join() === pair.join()).length > 1;
      expect(toList(repeatedPairs(toArray(pairs)))).toEqual(distinct(pairs).filter(isRepeated));
    }),
  );
});

test("a union of any parts has the least pairs of all of them, and counts what it drops", () => {
  fc.assert(
    fc.property(fc.array(pairList, { maxLength: 5 }), fc.integer({ min: 1, max: 80 }), (parts, most) => {
      const union = new PairUnion(most);
      for (const part of parts) union.add(toArray(part));
      const { pairs, leftOut } = union.finish();
      const all = distinct(parts.flat());
      expect(toList(pairs)).toEqual(all.slice(0, most));
      expect(leftOut > 0).toBe(all.length > most);
    }),
  );
});

test("a union that is joined many times keeps the least pairs, whatever their order", () => {
  const [pages, most] = [1_200_000, 300_000];
  const union = new PairUnion(most);
  // Each part overlaps the one before.
  for (let first = pages; first >= 0; first -= 100_000)
    union.add(Uint32Array.from({ length: 400_000 }, (_, i) => first + Math.floor(i / 2)));
  const { pairs, leftOut } = union.finish();
  expect([pairs.length, pairs[0], pairs.at(-1)]).toEqual([2 * most, 0, most - 1]);
  expect(leftOut).toBeGreaterThanOrEqual(pages + 200_000 - most);
});

test("what of a set does not come is what is missing", () => {
  fc.assert(
    fc.property(pairList, fc.array(pairList), (wanted, found) => {
      const set = toPairSet(toArray(wanted));
      const missing = new MissingPairs(set.slice());
      for (const some of found) missing.take(toArray(some.filter((pair) => hasPair(set, ...pair))));
      const come = new Set(found.flat().map((pair) => pair.join()));
      expect(toList(missing.finish())).toEqual(distinct(wanted).filter((pair) => !come.has(pair.join())));
    }),
  );
});
