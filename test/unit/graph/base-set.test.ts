import { expect, test } from "vitest";
import { BaseSet } from "../../../src/graph/base-set.ts";

type Links = readonly (readonly [source: number, ...targets: number[]])[];

function baseSetOf(nodes: number, roots: number[], links: Links): { size: number; links: number[] } {
  const set = new BaseSet(nodes, roots);
  for (const [source, ...targets] of links) set.addNeighbours(source, Uint32Array.from(targets));
  for (const [source, ...targets] of links) set.addLinks(source, Uint32Array.from(targets));
  return { size: set.size, links: [...set.links()] };
}

test("the roots come first, then their neighbours, with all links among them and no other", () => {
  const links: Links = [
    // To a root, and to a page that is no neighbour.
    [0, 5, 9],
    [1, 9],
    // A root, to a neighbour.
    [5, 7],
    // Between neighbours, and to a stranger.
    [7, 0, 1],
  ];
  // 5 and 6 are roots, 0 and 7 become 2 and 3.
  expect(baseSetOf(10, [5, 6], links)).toEqual({ size: 4, links: [2, 0, 0, 3, 3, 2] });
});

test("a root brings at most 50 neighbours in either direction", () => {
  const many = Array.from({ length: 200 }, (_, i) => i + 1);
  expect(baseSetOf(500, [0], [[0, ...many]]).size).toBe(51);
  const toRoot: Links = many.map((source) => [source, 0]);
  expect(baseSetOf(500, [0], toRoot)).toMatchObject({ size: 51, links: { length: 100 } });
});
