import type { SparseVector } from "../weights/sparse-vector.ts";

/** The nearest pages of each page by the cosine of their vectors, exactly, by an inverted index. */

export interface Neighbours {
  /** For each page, `perPage` pages, nearest first; unused places have NO_PAGE. */
  pages: Uint32Array;
  cosines: Float32Array;
  perPage: number;
}

export const NO_PAGE = 0xffff_ffff;

/** `vectors`: of length 1. `features`: one more than the highest index. */
export function findNearest(vectors: readonly SparseVector[], features: number, perPage: number): Neighbours {
  const postings = indexVectors(vectors, features);
  const pages = new Uint32Array(vectors.length * perPage).fill(NO_PAGE);
  const cosines = new Float32Array(vectors.length * perPage);
  const sums = new Float32Array(vectors.length);
  for (const [page, { indexes, values }] of vectors.entries()) {
    sums.fill(0);
    for (let i = 0; i < indexes.length; i++) {
      const index = indexes[i] as number;
      const value = values[i] as number;
      for (let at = postings.starts[index] as number; at < (postings.starts[index + 1] as number); at++) {
        const other = postings.pages[at] as number;
        sums[other] = (sums[other] as number) + value * (postings.values[at] as number);
      }
    }
    sums[page] = 0;
    keepBest(sums, page * perPage, perPage, pages, cosines);
  }
  return { pages, cosines, perPage };
}

/** The pages that have each feature, in order. */
function indexVectors(vectors: readonly SparseVector[], features: number) {
  const starts = new Uint32Array(features + 1);
  for (const { indexes } of vectors) for (const index of indexes) starts[index + 1] = (starts[index + 1] as number) + 1;
  for (let i = 0; i < features; i++) starts[i + 1] = (starts[i + 1] as number) + (starts[i] as number);
  const next = starts.slice();
  const pages = new Uint32Array(starts[features] as number);
  const values = new Float32Array(pages.length);
  for (const [page, vector] of vectors.entries())
    for (let i = 0; i < vector.indexes.length; i++) {
      const index = vector.indexes[i] as number;
      const at = next[index] as number;
      next[index] = at + 1;
      pages[at] = page;
      values[at] = vector.values[i] as number;
    }
  return { starts, pages, values };
}

/** Insertion into a short sorted list. Of equal pages the first stays. */
function keepBest(sums: Float32Array, start: number, most: number, pages: Uint32Array, cosines: Float32Array): void {
  const last = start + most - 1;
  for (let page = 0; page < sums.length; page++) {
    const sum = sums[page] as number;
    if (sum <= (cosines[last] as number)) continue;
    let at = last;
    for (; at > start && (cosines[at - 1] as number) < sum; at--) {
      cosines[at] = cosines[at - 1] as number;
      pages[at] = pages[at - 1] as number;
    }
    cosines[at] = sum;
    pages[at] = page;
  }
}
