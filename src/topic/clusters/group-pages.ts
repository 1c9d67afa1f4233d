import type { SparseVector } from "../weights/sparse-vector.ts";
import { Centroids, meanOf } from "./centroids.ts";
import { groupNodes, toGraph } from "./louvain.ts";
import { findNearest, NO_PAGE } from "./nearest-pages.ts";

/**
 * Groups pages by what they say: each page is joined with its nearest ones, and the graph of these is divided so that
 * its modularity is high. The number of groups follows from the pages.
 */

/** Nearest pages of a page: fewer in a small crawl, where others are not near. */
const MOST_NEIGHBOURS = 15;
const LEAST_NEIGHBOURS = 5;
/** Pages with a smaller cosine say different things. */
const LEAST_COSINE = 0.03;
/** Smaller groups are joined with the nearest one. */
const LEAST_PAGES = 3;
const LEAST_SHARE = 0.004;
/** The largest groups stay. */
export const MAX_TOPICS = 60;

/**
 * `features`: one more than the highest index. Pages without a group are not among the members. Largest group first.
 */
export function groupPages(vectors: readonly SparseVector[], features: number): number[][] {
  // Copies of a page would be each other's nearest pages, and keep those with other words away.
  const copies = [...Map.groupBy(vectors.keys(), (page) => (vectors[page] as SparseVector).indexes.join()).values()];
  const originals = copies.map(([page]) => vectors[page as number] as SparseVector);
  const groups = groupOriginals(originals, features);
  const joined = groups.map((members) => members.flatMap((original) => copies[original] ?? []));
  return joined.sort((a, b) => b.length - a.length || (a[0] as number) - (b[0] as number));
}

function groupOriginals(vectors: readonly SparseVector[], features: number): number[][] {
  const perPage = Math.min(MOST_NEIGHBOURS, Math.max(LEAST_NEIGHBOURS, Math.round(Math.sqrt(vectors.length) / 1.5)));
  const { pages, cosines } = findNearest(vectors, features, perPage);
  const edges = vectors.map(() => new Map<number, number>());
  const join = (from: number, to: number, weight: number) => {
    const own = edges[from] as Map<number, number>;
    own.set(to, (own.get(to) ?? 0) + weight);
  };
  for (const [place, other] of pages.entries()) {
    const cosine = cosines[place] as number;
    if (other === NO_PAGE || cosine < LEAST_COSINE) continue;
    const page = Math.floor(place / perPage);
    join(page, other, cosine);
    join(other, page, cosine);
  }
  const groups = Map.groupBy(vectors.keys(), membersOf(groupNodes(toGraph(edges), 1)));
  const sorted = [...groups.values()].sort((a, b) => b.length - a.length || (a[0] as number) - (b[0] as number));
  const least = Math.max(LEAST_PAGES, LEAST_SHARE * vectors.length);
  const large = sorted.slice(0, MAX_TOPICS).filter((members) => members.length >= least);
  return joinRest(vectors, features, large, sorted.slice(large.length).flat());
}

function membersOf(groups: Uint32Array): (page: number) => number {
  return (page) => groups[page] as number;
}

/** Puts the pages of small groups to the nearest large one. */
function joinRest(
  vectors: readonly SparseVector[],
  features: number,
  groups: readonly number[][],
  rest: readonly number[],
): number[][] {
  if (groups.length === 0) return [];
  const means = meanOf(groups.map((members) => members.map((page) => vectors[page] as SparseVector)));
  const centroids = new Centroids(means, features);
  const joined = groups.map((members) => [...members]);
  for (const page of rest) {
    const nearest = centroids.findNearest(vectors[page] as SparseVector);
    if (nearest !== null) joined[nearest.group]?.push(page);
  }
  return joined;
}
