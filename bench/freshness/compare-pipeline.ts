/** Runs one history through the pipeline under each rule, and prints each run beside the simulation of its rule. */

import { meanOf } from "./compare.ts";
import { measureWatch, type WatchMeasures } from "./measure-watch.ts";
import { learnedRule, type RevisitRule, uniformRule } from "./rules.ts";
import { type PipelineOrder, runPipeline } from "./run-pipeline.ts";
import type { Freshness } from "./simulate.ts";
import type { TextSite } from "./text-site.ts";

export const RULES = ["uniform", "learned", "honest", "lying"] as const;
export type PipelineRule = (typeof RULES)[number];

const ORDERS: Record<PipelineRule, Pick<PipelineOrder, "fixed" | "lastmod"> & { name: string }> = {
  uniform: { name: "uniform (--fixed)", fixed: true, lastmod: "none" },
  learned: { name: "orbweaver", fixed: false, lastmod: "none" },
  honest: { name: "orbweaver, honest lastmod", fixed: false, lastmod: "honest" },
  lying: { name: "orbweaver, lying lastmod", fixed: false, lastmod: "always now" },
};

/** Runs of the simulation, which begin at different moments. */
const SEEDS = 8;
const COLUMNS = ["run", "days to detection", "missed", "visits", "of budget", "longest, intervals", "304", "told"];
const COSTS = ["false notices", "rows read", "rows written", "USD per million", "a heartbeat's rows", "seconds"];

/** Returns whether each run of the pipeline does what docs/freshness.md asks. */
export async function comparePipeline(
  site: TextSite,
  everyDays: number,
  rules: readonly PipelineRule[],
): Promise<boolean> {
  const columns = [...COLUMNS, ...COSTS];
  console.log(`\nA visit of each page every ${everyDays} days:\n`);
  console.log(`| ${columns.join(" | ")} |\n|${" --- |".repeat(columns.length)}`);
  let isGood = true;
  for (const rule of rules) {
    const { name, fixed, lastmod } = ORDERS[rule];
    const create = (): RevisitRule =>
      fixed ? uniformRule(everyDays) : learnedRule(everyDays, { hasSignals: lastmod !== "none" });
    printRow(`${name}, simulation`, meanOf(site, everyDays, lastmod, SEEDS, create), []);
    const measured = measureWatch(site, await runPipeline(site, { everyDays, fixed, lastmod }), everyDays);
    printRow(`${name}, pipeline`, measured, costsOf(measured));
    isGood &&= isAsAsked(measured);
  }
  return isGood;
}

function isAsAsked(measured: WatchMeasures): boolean {
  const { notModifiedShare, longestIntervals, budgetShare, falseShare, toldShare } = measured;
  const isTrue = falseShare <= 0.02 && toldShare >= 0.99;
  return isTrue && notModifiedShare >= 0.88 && longestIntervals <= 8 && Math.abs(budgetShare - 1) <= 0.05;
}

function costsOf(measured: WatchMeasures): string[] {
  const { notModifiedShare, toldShare, falseShare, rowsRead, rowsWritten, usdPerMillion, beatRows, seconds } = measured;
  return [
    ...[notModifiedShare, toldShare, falseShare].map(percent),
    ...[rowsRead, rowsWritten, usdPerMillion].map((value) => value.toFixed(2)),
    `${beatRows.read.toFixed(0)} read, ${beatRows.written.toFixed(1)} written`,
    seconds.toFixed(0),
  ];
}

function printRow(name: string, freshness: Freshness, costs: readonly string[]): void {
  const { delayDays, missedShare, visits, budgetShare, longestIntervals } = freshness;
  const cells = [name, delayDays.toFixed(2), percent(missedShare), visits.toFixed(0), percent(budgetShare)];
  console.log(`| ${[...cells, longestIntervals.toFixed(1), ...costs].join(" | ")} |`);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}
