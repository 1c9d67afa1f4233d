import type { SparseVector } from "../weights/sparse-vector.ts";

/**
 * The means of groups of pages, and the nearest one to a page. Only the heaviest terms of each group have a row, so 60
 * groups take at most 9 MB.
 */

/** A page with a smaller cosine to all groups belongs to none. */
const LEAST_COSINE = 0.05;
/** Rare terms of a group say nothing of it. */
const MAX_WEIGHTS = 600;
const NO_ROW = -1;

export interface CentroidRows {
  groups: number;
  /** The term of each row. */
  terms: number[];
  /** Those of a row follow each other, one for each group. */
  weights: Float32Array;
}

/** The mean of each group. */
export function meanOf(groups: readonly (readonly SparseVector[])[]): CentroidRows {
  const rows = new Map<number, number>();
  const means = groups.map((vectors) => {
    const sums = new Map<number, number>();
    for (const { indexes, values } of vectors)
      for (let i = 0; i < indexes.length; i++) {
        const index = indexes[i] as number;
        sums.set(index, (sums.get(index) ?? 0) + (values[i] as number));
      }
    const heaviest = [...sums].sort(([a, one], [b, other]) => other - one || a - b).slice(0, MAX_WEIGHTS);
    for (const [index] of heaviest) if (!rows.has(index)) rows.set(index, rows.size);
    const length = Math.sqrt(heaviest.reduce((sum, [, weight]) => sum + weight * weight, 0)) || 1;
    return heaviest.map(([index, weight]) => [index, weight / length] as const);
  });
  const weights = new Float32Array(rows.size * groups.length);
  for (const [group, mean] of means.entries())
    for (const [index, weight] of mean) weights[(rows.get(index) as number) * groups.length + group] = weight;
  return { groups: groups.length, terms: [...rows.keys()], weights };
}

export class Centroids {
  readonly #groups: number;
  readonly #weights: Float32Array;
  /** By term. */
  readonly #rows: Int32Array;

  /** `terms`: one more than the highest number of a term. */
  constructor({ groups, terms: ofRows, weights }: CentroidRows, terms: number) {
    this.#groups = groups;
    this.#weights = weights;
    this.#rows = new Int32Array(terms).fill(NO_ROW);
    for (const [row, term] of ofRows.entries()) this.#rows[term] = row;
  }

  /** The group with the highest cosine, the first of equal ones; null if the page is near to none. */
  findNearest({ indexes, values }: SparseVector): { group: number; cosine: number } | null {
    const sums = new Float64Array(this.#groups);
    for (let i = 0; i < indexes.length; i++) {
      const row = this.#rows[indexes[i] as number] as number;
      if (row === NO_ROW) continue;
      const at = row * this.#groups;
      const value = values[i] as number;
      for (let group = 0; group < this.#groups; group++)
        sums[group] = (sums[group] as number) + value * (this.#weights[at + group] as number);
    }
    let best = 0;
    for (let group = 1; group < this.#groups; group++)
      if ((sums[group] as number) > (sums[best] as number)) best = group;
    const cosine = sums[best] ?? 0;
    return cosine < LEAST_COSINE ? null : { group: best, cosine: Math.min(1, cosine) };
  }
}
