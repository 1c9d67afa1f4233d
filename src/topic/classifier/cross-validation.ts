import { predict } from "./linear-model.ts";
import { type Example, trainClassifier } from "./train-classifier.ts";

/**
 * Cross-validation: the examples are divided into folds, and each fold is labelled by a model of the others. The folds
 * are stratified, so that each has its share of every label.
 */

export const MAX_FOLDS = 5;

/** Candidates for the penalty; the best one by cross-validation is used. */
export const PENALTIES = [0.0001, 0.001, 0.01] as const;

/** At least two: a label with one example cannot be validated. `counts`: the examples of each label. */
export function countFolds(counts: readonly number[]): number {
  return Math.max(2, Math.min(MAX_FOLDS, ...counts));
}

/** The fold of each example: those of a label go to the folds in turn. `labels`: the label of each. */
export function divideIntoFolds(labels: readonly number[], folds: number): number[] {
  const seen = new Map<number, number>();
  let shift = 0;
  return labels.map((label) => {
    // A label begins where the one before ended, so that the folds have about the same size.
    const place = seen.get(label) ?? shift++;
    seen.set(label, place + 1);
    return place % folds;
  });
}

export interface Guess {
  /** The number of the example. */
  example: number;
  label: number;
  guess: number;
  /** The natural logarithm of the probability that its own label got, negated. */
  loss: number;
}

/** Labels the examples of a fold by a model of the others. */
export function validateFold(
  examples: readonly Example[],
  foldOf: readonly number[],
  fold: number,
  { labels, features, penalty }: { labels: number; features: number; penalty: number },
): Guess[] {
  const model = trainClassifier(
    examples.filter((_, i) => foldOf[i] !== fold),
    labels,
    features,
    penalty,
  );
  return examples.flatMap(({ vector, label }, example): Guess[] => {
    if (foldOf[example] !== fold) return [];
    const probabilities = predict(vector, model);
    const guess = probabilities.indexOf(Math.max(...probabilities));
    return [{ example, label, guess, loss: -Math.log(Math.max(1e-9, probabilities[label] as number)) }];
  });
}

/** The penalty with the lowest mean loss; the larger one of equals. `guesses`: by penalty. */
export function choosePenalty(guesses: readonly (readonly Guess[])[]): number {
  const losses = guesses.map((some) => some.reduce((sum, { loss }) => sum + loss, 0));
  return losses.reduce((best, loss, i) => (loss <= (losses[best] as number) ? i : best), 0);
}
