import fc from "fast-check";
import { expect, test } from "vitest";
import { BestPlaces } from "../../../src/passes/text/best-places.ts";

test("the best places are those of a sorted list, the first of equal ones before the others", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5)), fc.integer({ min: 1, max: 6 }), (scores, most) => {
      const best = new BestPlaces(most);
      for (const [place, score] of scores.entries()) best.add(place, score);
      const sorted = [...scores.keys()].sort((a, b) => (scores[b] as number) - (scores[a] as number) || a - b);
      expect(best.places).toEqual(sorted.slice(0, most));
    }),
  );
});
