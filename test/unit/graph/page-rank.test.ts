import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PageRankIteration, rankStep, startRank } from "../../../src/graph/page-rank.ts";

type Links = readonly (readonly number[])[];

function rank(links: Links): Float64Array {
  let rank = startRank(links.length);
  for (let isDone = false; !isDone; ) {
    const iteration = new PageRankIteration(rank);
    for (const [source, targets] of links.entries())
      if (targets.length > 0) iteration.addLinks(source, Uint32Array.from(targets));
    ({ rank, isDone } = iteration.finish());
  }
  return rank;
}

/** A plain power iteration over the matrix, until nothing changes by 1e-12. */
function rankPlainly(links: Links): number[] {
  const nodes = links.length;
  let rank = links.map(() => 1 / nodes);
  for (let change = 1; change > 1e-12; ) {
    const next = links.map((_, target) =>
      links.reduce((sum, targets, source) => {
        const share = targets.length === 0 ? 1 / nodes : targets.includes(target) ? 1 / targets.length : 0;
        return sum + (rank[source] ?? 0) * (0.85 * share + 0.15 / nodes);
      }, 0),
    );
    change = distance(next, rank);
    rank = next;
  }
  return rank;
}

function distance(one: ArrayLike<number>, other: ArrayLike<number>): number {
  return Array.from(one).reduce((sum, value, i) => sum + Math.abs(value - (other[i] ?? 0)), 0);
}

describe("the ranks of small graphs are those of their equations", () => {
  // a = b = c by symmetry.
  const circle = { links: [[1], [2], [0]], ranks: [1 / 3, 1 / 3, 1 / 3] };
  // b has no links: a = 0.075 + 0.425 b, and a + b = 1.
  const dangling = { links: [[1], []], ranks: [0.5 / 1.425, 0.925 / 1.425] };
  // Leaves link to the centre, and the centre to all: centre = 0.0375 + 0.85 (1 - centre).
  const star = {
    links: [[1, 2, 3], [0], [0], [0]],
    ranks: [0.8875 / 1.85, ...[1, 2, 3].map(() => (1 - 0.8875 / 1.85) / 3)],
  };
  test.each([
    ["a circle", circle],
    ["a page without links", dangling],
    ["a star", star],
  ])("%s", (_, { links, ranks }) => expect(distance(rank(links), ranks)).toBeLessThan(1e-6));
});

test("the L1 distance to a reference that ran to 1e-12 is below 1e-6, and the sum is 1", () => {
  const graph = fc
    .integer({ min: 1, max: 12 })
    .chain((nodes) =>
      fc.array(fc.uniqueArray(fc.nat(nodes - 1), { maxLength: 4 }), { minLength: nodes, maxLength: nodes }),
    );
  fc.assert(
    fc.property(graph, (links) => {
      const ranks = rank(links);
      expect(distance(ranks, rankPlainly(links))).toBeLessThan(1e-6);
      expect(ranks.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 12);
    }),
  );
});

test.each([
  ["the average", 1, 96],
  ["twice the average", 2, 104],
  ["the least rank of a dangling graph", 0.15, 74],
  ["a thousandth of the average", 0.001, 16],
  ["nothing", 0, 0],
  ["ten million times the average", 1e7, 255],
])("the step of %s among a million is right", (_, times, step) => {
  expect(rankStep(times / 1e6, 1e6)).toBe(step);
});
