import type { BoostedTrees } from "../../src/media/html/article/boosted-trees.ts";

/**
 * Trains boosted trees for probabilities, by histograms and leaf by leaf, as LightGBM does (Ke et al., 2017,
 * https://papers.nips.cc/paper/6907). Deterministic: the same rows and options give the same model.
 */

/** Rows of `width` features each. A label is a share between 0 and 1. */
export interface Rows {
  width: number;
  features: Float32Array;
  labels: Float32Array;
  weights: Float32Array;
}

export interface TrainingOptions {
  trees: number;
  leaves: number;
  rate: number;
  /** The least sum of second derivatives in a leaf. */
  minWeight: number;
  /** The L2 penalty of leaves. */
  penalty: number;
  /** The share of rows, and of features, that each tree sees. */
  rows: number;
  columns: number;
}

const BINS = 64;
/** Rows whose values set the edges of the bins. */
const SAMPLE = 20_000;

/** Mulberry32: numbers between 0 and 1, the same for the same seed. */
export function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Bins {
  /** By feature: the upper edges of all bins but the last. */
  edges: Float32Array[];
  /** By feature, then by row. */
  bins: Uint8Array;
}

function binsOf({ width, features, labels }: Rows): Bins {
  const count = labels.length;
  const bins = new Uint8Array(count * width);
  const edges: Float32Array[] = [];
  const step = Math.max(1, Math.floor(count / SAMPLE));
  for (let feature = 0; feature < width; feature++) {
    const values: number[] = [];
    for (let row = 0; row < count; row += step) values.push(features[row * width + feature] as number);
    const own = edgesOf(values.sort((a, b) => a - b));
    edges.push(own);
    for (let row = 0; row < count; row++) {
      const value = features[row * width + feature] as number;
      let low = 0;
      let high = own.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (value <= (own[middle] as number)) high = middle;
        else low = middle + 1;
      }
      bins[feature * count + row] = low;
    }
  }
  return { edges, bins };
}

function edgesOf(sorted: number[]): Float32Array {
  const distinct = [...new Set(sorted)];
  const between = distinct.slice(1).map((value, at) => (value + (distinct[at] as number)) / 2);
  if (distinct.length <= BINS) return Float32Array.from(between);
  const quantiles = Array.from({ length: BINS - 1 }, (_, at) => sorted[Math.floor(((at + 1) * sorted.length) / BINS)]);
  return Float32Array.from(new Set(quantiles as number[]));
}

interface Split {
  feature: number;
  bin: number;
  gain: number;
}

interface Leaf {
  node: number;
  rows: Int32Array;
  gradient: number;
  hessian: number;
  /** Sums of both by column and bin. */
  sums: Float64Array;
  split: Split | null;
}

class Grower {
  readonly #options: TrainingOptions;
  readonly #bins: Bins;
  readonly #gradients: Float32Array;
  readonly #hessians: Float32Array;
  readonly #count: number;
  readonly features: number[] = [];
  readonly thresholds: number[] = [];
  readonly next: number[] = [];

  constructor(options: TrainingOptions, bins: Bins, gradients: Float32Array, hessians: Float32Array) {
    this.#options = options;
    this.#bins = bins;
    this.#gradients = gradients;
    this.#hessians = hessians;
    this.#count = gradients.length;
  }

  /** Adds a tree, and returns its root. */
  grow(rows: Int32Array, columns: readonly number[]): number {
    const root = this.#leafOf(this.#addNode(), rows);
    root.sums = this.#sumsOf(rows, columns);
    root.split = this.#splitOf(root, columns);
    const leaves = [root];
    while (leaves.length < this.#options.leaves) {
      const leaf = leaves.reduce((best, one) => ((one.split?.gain ?? 0) > (best.split?.gain ?? 0) ? one : best));
      if (leaf.split === null) break;
      leaves.splice(leaves.indexOf(leaf), 1, ...this.#divide(leaf, leaf.split, columns));
    }
    for (const { node, gradient, hessian } of leaves)
      this.thresholds[node] = (-gradient / (hessian + this.#options.penalty)) * this.#options.rate;
    return root.node;
  }

  #addNode(): number {
    this.features.push(-1);
    this.thresholds.push(0);
    this.next.push(0);
    return this.features.length - 1;
  }

  #leafOf(node: number, rows: Int32Array): Leaf {
    let gradient = 0;
    let hessian = 0;
    for (const row of rows) {
      gradient += this.#gradients[row] as number;
      hessian += this.#hessians[row] as number;
    }
    return { node, rows, gradient, hessian, sums: new Float64Array(), split: null };
  }

  #divide(leaf: Leaf, { feature, bin }: Split, columns: readonly number[]): Leaf[] {
    const bins = this.#bins.bins.subarray(feature * this.#count, (feature + 1) * this.#count);
    const isMore = (row: number) => (bins[row] as number) > bin;
    const less = this.#leafOf(
      this.#addNode(),
      leaf.rows.filter((row) => !isMore(row)),
    );
    const more = this.#leafOf(this.#addNode(), leaf.rows.filter(isMore));
    const [small, large] = less.rows.length < more.rows.length ? [less, more] : [more, less];
    small.sums = this.#sumsOf(small.rows, columns);
    large.sums = leaf.sums.map((sum, at) => sum - (small.sums[at] as number));
    for (const side of [less, more]) side.split = this.#splitOf(side, columns);
    this.features[leaf.node] = feature;
    this.thresholds[leaf.node] = this.#bins.edges[feature]?.[bin] ?? 0;
    this.next[leaf.node] = less.node;
    return [less, more];
  }

  #sumsOf(rows: Int32Array, columns: readonly number[]): Float64Array {
    const sums = new Float64Array(columns.length * BINS * 2);
    for (const [at, feature] of columns.entries()) {
      const bins = this.#bins.bins.subarray(feature * this.#count, (feature + 1) * this.#count);
      const from = at * BINS * 2;
      for (let i = 0; i < rows.length; i++) {
        const row = rows[i] as number;
        const place = from + (bins[row] as number) * 2;
        sums[place] = (sums[place] as number) + (this.#gradients[row] as number);
        sums[place + 1] = (sums[place + 1] as number) + (this.#hessians[row] as number);
      }
    }
    return sums;
  }

  #splitOf({ sums, gradient, hessian }: Leaf, columns: readonly number[]): Split | null {
    const { minWeight, penalty } = this.#options;
    const score = (g: number, h: number) => (g * g) / (h + penalty);
    const own = score(gradient, hessian);
    let best: Split | null = null;
    for (const [at, feature] of columns.entries()) {
      const last = this.#bins.edges[feature]?.length ?? 0;
      let g = 0;
      let h = 0;
      for (let bin = 0; bin < last; bin++) {
        g += sums[(at * BINS + bin) * 2] as number;
        h += sums[(at * BINS + bin) * 2 + 1] as number;
        if (h < minWeight) continue;
        if (hessian - h < minWeight) break;
        const gain = score(g, h) + score(gradient - g, hessian - h) - own;
        if (gain > (best?.gain ?? 1e-3)) best = { feature, bin, gain };
      }
    }
    return best;
  }
}

export function trainTrees(rows: Rows, options: TrainingOptions, seed = 1): BoostedTrees {
  const { width, features, labels, weights } = rows;
  const count = labels.length;
  const random = numbersFrom(seed);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const positive = weights.reduce((sum, weight, at) => sum + weight * (labels[at] as number), 0);
  const base = Math.log(positive / (total - positive));
  const sums = new Float32Array(count).fill(base);
  const gradients = new Float32Array(count);
  const hessians = new Float32Array(count);
  const grower = new Grower(options, binsOf(rows), gradients, hessians);
  const roots: number[] = [];
  for (let tree = 0; tree < options.trees; tree++) {
    const seen: number[] = [];
    for (let row = 0; row < count; row++) {
      const weight = ((weights[row] as number) * count) / total;
      const probability = 1 / (1 + Math.exp(-(sums[row] as number)));
      gradients[row] = (probability - (labels[row] as number)) * weight;
      hessians[row] = Math.max(1e-6, probability * (1 - probability)) * weight;
      if (weight > 0 && random() < options.rows) seen.push(row);
    }
    const columns = Array.from({ length: width }, (_, feature) => feature).filter(() => random() < options.columns);
    const root = grower.grow(Int32Array.from(seen), columns);
    roots.push(root);
    for (let row = 0; row < count; row++) {
      let node = root;
      while ((grower.features[node] as number) >= 0) {
        const value = features[row * width + (grower.features[node] as number)] as number;
        node = (grower.next[node] as number) + (value > (grower.thresholds[node] as number) ? 1 : 0);
      }
      sums[row] = (sums[row] as number) + (grower.thresholds[node] as number);
    }
  }
  return {
    base,
    roots: Uint16Array.from(roots),
    features: Int16Array.from(grower.features),
    thresholds: Float32Array.from(grower.thresholds),
    next: Uint16Array.from(grower.next),
  };
}
