/** How well labels are told apart: precision, recall and F1, as they are usual (van Rijsbergen, 1979). */

export interface LabelScore {
  label: string;
  examples: number;
  /** How many of the pages that got the label have it; null if none got it. */
  precision: number | null;
  /** How many of the pages with the label got it. */
  recall: number;
  f1: number;
}

export interface Scores {
  labels: LabelScore[];
  /** The means over the labels. */
  macro: { precision: number; recall: number; f1: number };
}

/** `pairs`: the label of each example, and the one that it got, as numbers. */
export function scoreLabels(labels: readonly string[], pairs: readonly (readonly [number, number])[]): Scores {
  const scores = labels.map((label, number): LabelScore => {
    const examples = pairs.filter(([own]) => own === number).length;
    const given = pairs.filter(([, got]) => got === number).length;
    const right = pairs.filter(([own, got]) => own === number && got === number).length;
    const precision = given === 0 ? null : right / given;
    const recall = examples === 0 ? 0 : right / examples;
    return { label, examples, precision, recall, f1: right === 0 ? 0 : (2 * right) / (given + examples) };
  });
  const mean = (of: (score: LabelScore) => number) =>
    scores.reduce((sum, score) => sum + of(score), 0) / Math.max(1, scores.length);
  return {
    labels: scores,
    macro: {
      precision: mean(({ precision }) => precision ?? 0),
      recall: mean(({ recall }) => recall),
      f1: mean(({ f1 }) => f1),
    },
  };
}
