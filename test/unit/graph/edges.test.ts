import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EdgeDecoder, encodeEdges, splitByTarget } from "../../../src/graph/edges.ts";

type Edge = readonly [source: number, target: number];

const node = fc.oneof(fc.nat(300), fc.nat(2 ** 32 - 2));
const edgeList = fc.array(fc.tuple(node, node), { maxLength: 200 });
const encode = (edges: readonly Edge[]) => encodeEdges(Uint32Array.from(edges.flat()));

function decode(chunks: Iterable<Uint8Array>): Edge[] {
  const found: Edge[] = [];
  const decoder = new EdgeDecoder((source, targets) => {
    for (const target of targets) found.push([source, target]);
  });
  for (const chunk of chunks) decoder.push(chunk);
  decoder.end();
  return found;
}

function sortDistinct(edges: readonly Edge[]): Edge[] {
  const distinct = new Map(edges.filter(([a, b]) => a !== b).map((edge) => [edge.join(), edge]));
  return [...distinct.values()].sort(([a, b], [c, d]) => a - c || b - d);
}

test("a run holds each edge once, in order, without edges from a node to itself", () => {
  fc.assert(
    fc.property(edgeList, (edges) => {
      expect(decode([encode(edges)])).toEqual(sortDistinct(edges));
    }),
  );
});

test("runs are decoded in chunks that are cut anywhere, and joined by joining their bytes", () => {
  fc.assert(
    fc.property(edgeList, edgeList, fc.integer({ min: 1, max: 9 }), (first, second, size) => {
      const bytes = Buffer.concat([encode(first), encode(second)]);
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      expect(decode(chunks)).toEqual([...sortDistinct(first), ...sortDistinct(second)]);
    }),
  );
});

test("runs divided by targets hold the sources of each target", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(99), fc.nat(99))), fc.array(fc.tuple(fc.nat(99), fc.nat(99))), (a, b) => {
      const parts = [a, b].map((edges) => splitByTarget(Uint32Array.from(edges.flat()), 30));
      const runs = [0, 1, 2, 3].map((bucket) => decode(parts.flatMap((part) => part.get(bucket) ?? [])));
      const turned = [...a, ...b].map(([source, target]): Edge => [target, source]);
      expect(runs.flatMap(sortDistinct)).toEqual(sortDistinct(turned));
    }),
  );
});

test("two neighbouring links of a page take a byte each", () => {
  const links = Array.from({ length: 100 }, (_, i): Edge => [7, 500 + i]);
  // Gap, count, two bytes of the first target, 99 gaps, and the end of the run.
  expect(encode(links)).toHaveLength(104);
});

describe("refuses bytes that are no run", () => {
  test.each([
    ["that is cut off", Uint8Array.of(1, 2, 3)],
    ["without its end", encode([[1, 2]]).subarray(0, -1)],
    ["with half a number", Uint8Array.of(128)],
    ["with a source without targets", Uint8Array.of(1, 0)],
    ["with a number that is too long", Uint8Array.of(1, 1, 255, 255, 255, 255, 255, 255, 0)],
  ])("%s", (_, bytes) => expect(() => decode([bytes])).toThrow(RangeError));
});
