/** Prints what was measured as tables in Markdown. */
import { median } from "../median.ts";
import type { Judgement, SubjectResult } from "./measure-subject.ts";

const ORDERS = ["ours", "breadth-first", "random", "in-links first", "oracle", "all-knowing"];

export function printResults(title: string, results: readonly SubjectResult[]): void {
  const columns = ["subject", "R", ...ORDERS, "ratio", "area", "by all-knowing", "web P/R", "begun P/R"];
  console.log(`\n${title}\n\n| ${columns.join(" | ")} |\n| --- |${" ---: |".repeat(columns.length - 1)}`);
  for (const result of results) console.log(`| ${rowOf(result).join(" | ")} |`);
  const { ratio, least, area, areaByAllKnowing, precision, recall } = summarize(results);
  console.log(
    `\nMedian ratio ${ratio.toFixed(1)}, least ${least.toFixed(1)}; median area ${area.toFixed(2)} by the oracle, ` +
      `${areaByAllKnowing.toFixed(2)} by the all-knowing order; median precision ${precision.toFixed(2)}, recall ${recall.toFixed(2)}.`,
  );
}

export function rowOf({ name, pages, scores, ratio, judged, begun }: SubjectResult): string[] {
  const both = ({ precision, recall }: Judgement) => `${precision.toFixed(2)}/${recall.toFixed(2)}`;
  const found = ORDERS.map((order) => String(Math.round(scores[order]?.found ?? 0)));
  const areas = [scores.ours?.area ?? 0, scores.ours?.areaByAllKnowing ?? 0].map((area) => area.toFixed(2));
  return [
    name,
    String(pages),
    ...found,
    ratio === null ? "none" : ratio.toFixed(1),
    ...areas,
    both(judged),
    both(begun),
  ];
}

export interface Summary {
  ratio: number;
  least: number;
  area: number;
  areaByAllKnowing: number;
  precision: number;
  recall: number;
}

/** Where neither order found a page among the first R, the ratio counts as 1. */
export function summarize(results: readonly SubjectResult[]): Summary {
  const ratios = results.map(({ ratio }) => ratio ?? 1);
  return {
    ratio: median(ratios),
    least: Math.min(...ratios),
    area: median(results.map(({ scores }) => scores.ours?.area ?? 0)),
    areaByAllKnowing: median(results.map(({ scores }) => scores.ours?.areaByAllKnowing ?? 0)),
    precision: median(results.map(({ judged }) => judged.precision)),
    recall: median(results.map(({ judged }) => judged.recall)),
  };
}
