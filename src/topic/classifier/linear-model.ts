import type { SparseVector } from "../weights/sparse-vector.ts";

/** A multinomial logistic regression: a weight for each label and feature, and a bias for each label. */
export interface LinearModel {
  labels: number;
  /** Those of a feature follow each other, one for each label. */
  weights: Float32Array;
  biases: Float32Array;
}

/** The probability of each label; together they are 1. */
export function predict(vector: SparseVector, model: LinearModel): Float64Array {
  return softmax(scoresOf(vector, model));
}

export function scoresOf({ indexes, values }: SparseVector, { labels, weights, biases }: LinearModel): Float64Array {
  const scores = Float64Array.from(biases);
  for (let i = 0; i < indexes.length; i++) {
    const at = (indexes[i] as number) * labels;
    const value = values[i] as number;
    for (let label = 0; label < labels; label++)
      scores[label] = (scores[label] as number) + value * (weights[at + label] as number);
  }
  return scores;
}

/** In place. */
export function softmax(scores: Float64Array): Float64Array {
  const most = Math.max(...scores);
  let sum = 0;
  for (let i = 0; i < scores.length; i++) {
    const power = Math.exp((scores[i] as number) - most);
    scores[i] = power;
    sum += power;
  }
  for (let i = 0; i < scores.length; i++) scores[i] = (scores[i] as number) / sum;
  return scores;
}
