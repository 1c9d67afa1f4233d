import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  choosePenalty,
  countFolds,
  divideIntoFolds,
  MAX_FOLDS,
  validateFold,
} from "../../../../src/topic/classifier/cross-validation.ts";
import { scoreLabels } from "../../../../src/topic/classifier/label-scores.ts";
import { predict } from "../../../../src/topic/classifier/linear-model.ts";
import { type Example, trainClassifier } from "../../../../src/topic/classifier/train-classifier.ts";

/** A vector of length 1 with these features. */
const vector = (...indexes: number[]) => ({
  indexes: Uint32Array.from(indexes),
  values: Float32Array.from(indexes, () => 1 / Math.sqrt(indexes.length)),
});
const example = (label: number, ...indexes: number[]): Example => ({ label, vector: vector(...indexes) });

/** Features 0 to 2 are those of the labels, and 3 is everywhere. */
const EXAMPLES = [0, 1, 2].flatMap((label) => Array.from({ length: 4 }, (_, i) => example(label, label, 3, 4 + i)));

describe("a model", () => {
  const model = trainClassifier(EXAMPLES, 3, 8, 0.001);

  test.each([0, 1, 2])("recognises label %i by its feature, with confidence", (label) => {
    const probabilities = [...predict(vector(label, 3), model)];
    expect(probabilities[label]).toBeGreaterThan(0.9);
    expect(probabilities.reduce((sum, each) => sum + each)).toBeCloseTo(1);
  });

  test("does not know what has no feature of a label", () => {
    for (const probability of predict(vector(3), model)) expect(probability).toBeCloseTo(1 / 3, 1);
  });

  test("is the same for the same examples", () => {
    expect(trainClassifier(EXAMPLES, 3, 8, 0.001)).toEqual(model);
  });

  test("is not drawn to the label with the most examples", () => {
    const many = [...EXAMPLES, ...Array.from({ length: 40 }, (_, i) => example(0, 0, 3, 4 + (i % 4)))];
    const probabilities = predict(vector(3), trainClassifier(many, 3, 8, 0.001));
    for (const probability of probabilities) expect(probability).toBeGreaterThan(0.2);
  });

  test("that is held back more is less sure", () => {
    const sureness = [0.0001, 0.01, 1].map((penalty) =>
      Math.max(...predict(vector(0, 3), trainClassifier(EXAMPLES, 3, 8, penalty))),
    );
    expect(sureness.toSorted((a, b) => b - a)).toEqual(sureness);
  });

  test("reaches the minimum: no small step improves it", () => {
    const penalty = 0.05;
    const { weights, biases } = trainClassifier(EXAMPLES, 3, 8, penalty);
    const lossOf = (changed: Float32Array) => {
      const losses = EXAMPLES.map(
        (each) => -Math.log(predict(each.vector, { labels: 3, weights: changed, biases })[each.label] as number),
      );
      const norm = changed.reduce((sum, weight) => sum + weight * weight, 0);
      return losses.reduce((sum, loss) => sum + loss) / losses.length + (penalty / 2) * norm;
    };
    const least = lossOf(weights);
    for (const at of weights.keys())
      for (const step of [-0.05, 0.05])
        expect(lossOf(weights.map((weight, i) => (i === at ? weight + step : weight)))).toBeGreaterThan(least);
  });
});

describe("cross-validation", () => {
  test("puts each example into one fold, and divides each label evenly", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 2, maxLength: 60 }), (labels) => {
        const folds = countFolds([...Map.groupBy(labels, (label) => label).values()].map(({ length }) => length));
        expect(folds).toBeGreaterThanOrEqual(2);
        expect(folds).toBeLessThanOrEqual(MAX_FOLDS);
        const foldOf = divideIntoFolds(labels, folds);
        expect(foldOf).toHaveLength(labels.length);
        for (const label of new Set(labels)) {
          const sizes = Array.from(
            { length: folds },
            (_, fold) => labels.filter((each, i) => each === label && foldOf[i] === fold).length,
          );
          expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  test("does not show a model what it has to guess", () => {
    const foldOf = divideIntoFolds(
      EXAMPLES.map(({ label }) => label),
      4,
    );
    const guesses = [0, 1, 2, 3].flatMap((fold) =>
      validateFold(EXAMPLES, foldOf, fold, { labels: 3, features: 8, penalty: 0.001 }),
    );
    expect(guesses.map(({ example: number }) => number).toSorted((a, b) => a - b)).toEqual([...EXAMPLES.keys()]);
    expect(guesses.every(({ label, guess }) => label === guess)).toBe(true);
    // An example whose label nobody else has cannot be guessed.
    const alone = [...EXAMPLES, example(3, 7)];
    const [last] = validateFold(alone, [...EXAMPLES.map(() => 0), 1], 1, { labels: 4, features: 8, penalty: 0.001 });
    expect(last?.guess).not.toBe(3);
  });

  test("chooses the penalty with the lowest loss, and the larger one of equals", () => {
    const guess = (loss: number) => ({ example: 0, label: 0, guess: 0, loss });
    expect(choosePenalty([[guess(2)], [guess(1)], [guess(3)]])).toBe(1);
    expect(choosePenalty([[guess(1)], [guess(1)], [guess(3)]])).toBe(1);
  });
});

test("precision, recall and F1", () => {
  const pairs = [
    [0, 0],
    [0, 0],
    [0, 1],
    [1, 1],
    [2, 0],
  ] as const;
  const { labels, macro } = scoreLabels(["a", "b", "c"], pairs);
  expect(labels).toEqual([
    { label: "a", examples: 3, precision: 2 / 3, recall: 2 / 3, f1: 2 / 3 },
    { label: "b", examples: 1, precision: 1 / 2, recall: 1, f1: 2 / 3 },
    { label: "c", examples: 1, precision: null, recall: 0, f1: 0 },
  ]);
  expect(macro.f1).toBeCloseTo(4 / 9);
  expect(macro.precision).toBeCloseTo((2 / 3 + 1 / 2) / 3);
});
