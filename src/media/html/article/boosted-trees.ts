/**
 * A model of boosted decision trees, as small as it can be: each tree sends a row to one of its leaves, and the sum of
 * the leaves is the logarithm of the odds. Friedman, Greedy Function Approximation, 2001
 * (https://doi.org/10.1214/aos/1013203451).
 */

/** One list of nodes for all trees. */
export interface BoostedTrees {
  /** The sum before the first tree. */
  base: number;
  /** The first node of each tree. */
  roots: Uint16Array;
  /** Of each node: the feature that it asks, or -1 for a leaf. */
  features: Int16Array;
  /** Rows with less or as much go to `left`. A leaf has its value here. */
  thresholds: Float32Array;
  /** The next node where the answer is yes; the one after it, where it is no. */
  next: Uint16Array;
}

/** The probability of a row. */
export function probabilityOf({ base, roots, features, thresholds, next }: BoostedTrees, row: Float32Array): number {
  let sum = base;
  for (let tree = 0; tree < roots.length; tree++) {
    let node = roots[tree] as number;
    let feature = features[node] as number;
    while (feature >= 0) {
      const isMore = (row[feature] as number) > (thresholds[node] as number);
      node = (next[node] as number) + (isMore ? 1 : 0);
      feature = features[node] as number;
    }
    sum += thresholds[node] as number;
  }
  return 1 / (1 + Math.exp(-sum));
}

/** A model as text: base64 of its lists, one after the other. */
export interface WrittenTrees {
  base: number;
  trees: number;
  nodes: number;
  data: string;
}

export function readTrees({ base, trees, nodes, data }: WrittenTrees): BoostedTrees {
  // A copy: the lists need an aligned buffer of their own.
  const bytes = new Uint8Array(Buffer.from(data, "base64")).buffer;
  const thresholds = new Float32Array(bytes, 0, nodes);
  const features = new Int16Array(bytes, 4 * nodes, nodes);
  const next = new Uint16Array(bytes, 6 * nodes, nodes);
  return { base, roots: new Uint16Array(bytes, 8 * nodes, trees), features, thresholds, next };
}

export function writeTrees({ base, roots, features, thresholds, next }: BoostedTrees): WrittenTrees {
  const lists = [thresholds, features, next, roots];
  const parts = lists.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength));
  let text = "";
  for (const part of parts) for (const byte of part) text += String.fromCharCode(byte);
  return { base, trees: roots.length, nodes: features.length, data: btoa(text) };
}
