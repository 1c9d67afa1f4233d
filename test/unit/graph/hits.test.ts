import { expect, test } from "vitest";
import { scoreHits } from "../../../src/graph/hits.ts";

test("a page with links from two hubs is the better authority", () => {
  // Hubs 0 and 1 link to 2, hub 1 to 3 too. The matrix of the authorities is [[2, 1], [1, 1]]; its largest eigenvalue
  // is (3 + sqrt 5) / 2, so the ratio of 2 to 3 is the golden ratio.
  const { authorities, hubs } = scoreHits(4, Uint32Array.of(0, 2, 1, 2, 1, 3));
  const golden = (1 + Math.sqrt(5)) / 2;
  expect((authorities[2] ?? 0) / (authorities[3] ?? 0)).toBeCloseTo(golden, 6);
  expect((hubs[1] ?? 0) / (hubs[0] ?? 0)).toBeCloseTo(golden, 6);
  expect(authorities[0]).toBe(0);
  expect(Math.hypot(...authorities)).toBeCloseTo(1, 9);
});

test("a graph without links has no scores", () => {
  expect(scoreHits(2, new Uint32Array())).toEqual({ authorities: new Float64Array(2), hubs: new Float64Array(2) });
});
