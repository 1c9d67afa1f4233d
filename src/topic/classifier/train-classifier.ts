import type { SparseVector } from "../weights/sparse-vector.ts";
import { type LinearModel, scoresOf, softmax } from "./linear-model.ts";

/**
 * Trains a multinomial logistic regression with an L2 penalty by accelerated gradient descent: Beck and Teboulle, "A
 * fast iterative shrinkage-thresholding algorithm", 2009. No random number is needed, so the same examples give the
 * same model. Labels weigh the same, however many examples they have.
 */

export interface Example {
  vector: SparseVector;
  /** From 0 on. */
  label: number;
}

/** It takes about 40 with the penalties that are used. */
const MAX_STEPS = 150;
/** The largest change of a weight in a step at which it stops. */
const TOLERANCE = 1e-4;

/** `penalty`: the factor of the squared weights; the smaller, the closer the model fits the examples. */
export function trainClassifier(
  examples: readonly Example[],
  labels: number,
  features: number,
  penalty: number,
): LinearModel {
  const shares = sharesOf(examples, labels);
  // A bound of the curvature: a vector has at most length 1, and the bias adds 1.
  const rate = 1 / (0.5 * 2 + penalty);
  const size = features * labels;
  let weights = new Float64Array(size + labels);
  const ahead = weights.slice();
  let pace = 1;
  for (let step = 0; step < MAX_STEPS; step++) {
    const gradient = gradientAt(ahead, examples, shares, labels, features);
    const next = new Float64Array(size + labels);
    const faster = (1 + Math.sqrt(1 + 4 * pace * pace)) / 2;
    const momentum = (pace - 1) / faster;
    let most = 0;
    for (let i = 0; i < next.length; i++) {
      const at = ahead[i] as number;
      // The bias has no penalty.
      const slope = (gradient[i] as number) + (i < size ? penalty * at : 0);
      const value = at - rate * slope;
      const change = value - (weights[i] as number);
      next[i] = value;
      ahead[i] = value + momentum * change;
      most = Math.max(most, Math.abs(change));
    }
    weights = next;
    pace = faster;
    if (most < TOLERANCE) break;
  }
  return {
    labels,
    weights: Float32Array.from(weights.subarray(0, size)),
    biases: Float32Array.from(weights.subarray(size)),
  };
}

/** What an example counts: all of a label count the same together. */
function sharesOf(examples: readonly Example[], labels: number): Float64Array {
  const counts = new Float64Array(labels);
  for (const { label } of examples) counts[label] = (counts[label] as number) + 1;
  const present = counts.filter((count) => count > 0).length;
  return counts.map((count) => (count === 0 ? 0 : 1 / (count * present)));
}

function gradientAt(
  point: Float64Array,
  examples: readonly Example[],
  shares: Float64Array,
  labels: number,
  features: number,
): Float64Array {
  const size = features * labels;
  const model = { labels, weights: point.subarray(0, size), biases: point.subarray(size) };
  const gradient = new Float64Array(point.length);
  for (const { vector, label } of examples) {
    const slopes = softmax(scoresOf(vector, model as unknown as LinearModel));
    slopes[label] = (slopes[label] as number) - 1;
    const share = shares[label] as number;
    for (let other = 0; other < labels; other++) {
      const slope = share * (slopes[other] as number);
      slopes[other] = slope;
      gradient[size + other] = (gradient[size + other] as number) + slope;
    }
    const { indexes, values } = vector;
    for (let i = 0; i < indexes.length; i++) {
      const at = (indexes[i] as number) * labels;
      const value = values[i] as number;
      for (let other = 0; other < labels; other++)
        gradient[at + other] = (gradient[at + other] as number) + value * (slopes[other] as number);
    }
  }
  return gradient;
}
