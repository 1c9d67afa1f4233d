import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Centroids, meanOf } from "../../../../src/topic/clusters/centroids.ts";
import { groupPages, MAX_TOPICS } from "../../../../src/topic/clusters/group-pages.ts";
import { groupNodes, toGraph } from "../../../../src/topic/clusters/louvain.ts";
import { nameGroups } from "../../../../src/topic/clusters/name-groups.ts";
import { findNearest, NO_PAGE } from "../../../../src/topic/clusters/nearest-pages.ts";
import { TermNumbers, weighTerms } from "../../../../src/topic/clusters/term-weights.ts";
import { countPageTerms } from "../../../../src/topic/page-terms.ts";
import { DocumentFrequencies } from "../../../../src/topic/weights/document-frequencies.ts";
import type { SparseVector } from "../../../../src/topic/weights/sparse-vector.ts";

const vector = (...indexes: number[]): SparseVector => ({
  indexes: Uint32Array.from(indexes),
  values: Float32Array.from(indexes, () => 1 / Math.sqrt(indexes.length)),
});

function graphOf(nodes: number, edges: [number, number, number][]) {
  const maps = Array.from({ length: nodes }, () => new Map<number, number>());
  for (const [from, to, weight] of edges) {
    maps[from]?.set(to, weight);
    maps[to]?.set(from, weight);
  }
  return toGraph(maps);
}

describe("the groups of a graph", () => {
  test("are two cliques that one edge joins", () => {
    const clique = (nodes: number[]) =>
      nodes.flatMap((a) => nodes.filter((b) => b > a).map((b): [number, number, number] => [a, b, 1]));
    const groups = groupNodes(graphOf(8, [...clique([0, 1, 2, 3]), ...clique([4, 5, 6, 7]), [3, 4, 1]]), 1);
    expect([...groups]).toEqual([0, 0, 0, 0, 1, 1, 1, 1]);
  });

  test("are the nodes themselves, if no edge is there", () => {
    expect([...groupNodes(graphOf(3, []), 1)]).toEqual([0, 1, 2]);
    expect([...groupNodes(graphOf(0, []), 1)]).toEqual([]);
  });

  test("are the same for the same graph, and connected nodes that only have each other are together", () => {
    const edge = fc.tuple(fc.nat(19), fc.nat(19), fc.integer({ min: 1, max: 9 })).filter(([a, b]) => a !== b);
    fc.assert(
      fc.property(fc.array(edge, { maxLength: 60 }), (edges) => {
        const graph = graphOf(22, [...(edges as [number, number, number][]), [20, 21, 1]]);
        const groups = groupNodes(graph, 1);
        expect(groupNodes(graph, 1)).toEqual(groups);
        expect(groups[20]).toBe(groups[21]);
        expect(new Set(groups).size).toBe(Math.max(...groups) + 1);
      }),
      { numRuns: 50 },
    );
  });
});

test("the nearest pages are those that a comparison of all would find", () => {
  const page = fc.uniqueArray(fc.nat(15), { minLength: 0, maxLength: 6 });
  fc.assert(
    fc.property(fc.array(page, { minLength: 2, maxLength: 20 }), (pages) => {
      const vectors = pages.map((indexes) => vector(...indexes));
      const { pages: found, cosines } = findNearest(vectors, 16, 3);
      for (const [i, own] of pages.entries()) {
        const all = pages
          .map(
            (other, j) =>
              [
                j,
                i === j
                  ? 0
                  : other.filter((index) => own.includes(index)).length / Math.sqrt(own.length * other.length || 1),
              ] as const,
          )
          .filter(([, cosine]) => cosine > 0)
          .sort(([, a], [, b]) => b - a);
        for (let place = 0; place < 3; place++) {
          expect(cosines[3 * i + place]).toBeCloseTo(all[place]?.[1] ?? 0, 5);
          if (all[place] === undefined) expect(found[3 * i + place]).toBe(NO_PAGE);
        }
      }
    }),
    { numRuns: 100 },
  );
});

describe("the groups of pages", () => {
  const WORDS = {
    a: "oven flour butter dough whisk crust",
    b: "mast sail anchor tide keel rudder",
    c: "violin cello sonata tempo oboe chord",
  };
  const texts = Object.values(WORDS).flatMap((words) =>
    Array.from(
      { length: 8 },
      (_, i) =>
        `${words
          .split(" ")
          .filter((_, at) => at !== i % 6)
          .join(" ")} common${i % 2}`,
    ),
  );
  const pages = texts.map((text) => countPageTerms({ url: "https://a.test/", title: null, text, anchors: [] }));
  const frequencies = new DocumentFrequencies();
  for (const page of pages) frequencies.add(page);
  const numbers = new TermNumbers();
  const vectors = pages.map((page) => numbers.add(weighTerms(page, frequencies)));
  const groups = groupPages(vectors, numbers.terms.length);

  test("have the pages with the same words", () => {
    expect(groups.map((members) => members.toSorted((a, b) => a - b))).toEqual([
      [0, 1, 2, 3, 4, 5, 6, 7],
      [8, 9, 10, 11, 12, 13, 14, 15],
      [16, 17, 18, 19, 20, 21, 22, 23],
    ]);
  });

  test("are named by words that other groups do not have", () => {
    const names = nameGroups(
      groups.map((members) => members.map((page) => vectors[page] as SparseVector)),
      numbers.terms,
    );
    for (const [i, words] of Object.values(WORDS).entries())
      expect(words.split(" ")).toEqual(expect.arrayContaining(names[i]?.slice(0, 4) ?? []));
  });

  test("take in a page that is near, and leave out one that is near to none", () => {
    const means = meanOf(groups.map((members) => members.map((page) => vectors[page] as SparseVector)));
    const centroids = new Centroids(means, numbers.terms.length);
    const find = (text: string) =>
      centroids.findNearest(
        numbers.find(
          weighTerms(countPageTerms({ url: "https://a.test/", title: null, text, anchors: [] }), frequencies),
        ),
      );
    expect(find("anchor tide keel")).toMatchObject({ group: 1 });
    expect(find("nothing of this")).toBeNull();
    expect(find("")).toBeNull();
  });

  test("are none for pages without terms, and never too many", () => {
    expect(groupPages([vector(), vector()], 1)).toEqual([]);
    const many = Array.from({ length: 4 * (MAX_TOPICS + 20) }, (_, i) => vector(Math.floor(i / 4)));
    expect(groupPages(many, MAX_TOPICS + 20).length).toBeLessThanOrEqual(MAX_TOPICS);
  });
});

test("a term that most pages have, a number, and one that a single page has weigh nothing", () => {
  const page = (text: string) => countPageTerms({ url: "https://a.test/", title: null, text, anchors: [] });
  const frequencies = new DocumentFrequencies();
  for (let i = 0; i < 60; i++) frequencies.add(page(`menu 2026 word${i % 5} single${i}`));
  const weights = weighTerms(page("menu 2026 word1 single1 word2"), frequencies);
  expect(weights.map(([term]) => term).toSorted()).toEqual(["word1", "word2"]);
  expect(weights.reduce((sum, [, weight]) => sum + weight ** 2, 0)).toBeCloseTo(1, 2);
});
