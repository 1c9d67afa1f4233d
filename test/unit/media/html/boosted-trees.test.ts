import { expect, test } from "vitest";
import { numbersFrom, trainTrees } from "../../../../bench/train/boosted-trees.ts";
import { probabilityOf, readTrees, writeTrees } from "../../../../src/media/html/article/boosted-trees.ts";

/** The model that tells content from surroundings, and how it is trained. */

const OPTIONS = { trees: 40, leaves: 6, rate: 0.2, minWeight: 2, penalty: 1, rows: 0.8, columns: 1 };
const WIDTH = 3;

/** Rows of which a point within a square is content. The third feature says nothing. */
function rowsOf(count: number, seed: number) {
  const random = numbersFrom(seed);
  const features = Float32Array.from({ length: count * WIDTH }, random);
  const isIn = (value = 0) => value > 0.25 && value < 0.75;
  const labels = Float32Array.from({ length: count }, (_, at) =>
    Number(isIn(features[at * WIDTH]) && isIn(features[at * WIDTH + 1])),
  );
  return { width: WIDTH, features, labels, weights: new Float32Array(count).fill(1) };
}

test("trees learn a rule of two features, and say it of other rows", () => {
  const model = trainTrees(rowsOf(4_000, 1), OPTIONS);
  const { features, labels } = rowsOf(1_000, 2);
  const isRight = labels.filter((label, at) => {
    const probability = probabilityOf(model, features.subarray(at * WIDTH, (at + 1) * WIDTH));
    return probability > 0.5 === (label === 1);
  });
  expect(isRight.length).toBeGreaterThan(950);
});

test("a row of weight zero teaches nothing", () => {
  const rows = rowsOf(1_000, 3);
  rows.weights.fill(0, 500);
  rows.labels.fill(1, 500);
  const model = trainTrees(rows, OPTIONS);
  expect(probabilityOf(model, Float32Array.from([0.1, 0.1, 0.5]))).toBeLessThan(0.2);
});

test("the same rows give the same model, which is the same when it is written and read", () => {
  const rows = rowsOf(500, 4);
  const written = writeTrees(trainTrees(rows, OPTIONS));
  expect(writeTrees(trainTrees(rows, OPTIONS))).toEqual(written);
  expect(writeTrees(readTrees(written))).toEqual(written);
  const row = rows.features.subarray(0, WIDTH);
  expect(probabilityOf(readTrees(written), row)).toBe(probabilityOf(trainTrees(rows, OPTIONS), row));
});
