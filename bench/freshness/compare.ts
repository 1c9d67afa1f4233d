/** Runs one history under each rule, and prints a table: the delay to detection beside uniform visits. */
import type { SiteHistory } from "./history.ts";
import { learnedRule, multiplyRule, type RevisitRule, uniformRule } from "./rules.ts";
import { type Freshness, type Lastmod, simulate } from "./simulate.ts";

export interface Compared {
  rule: string;
  everyDays: number;
  freshness: Freshness;
}

const LASTMODS: readonly Lastmod[] = ["none", "honest", "always now", "at random"];

/** The mean of `seeds` runs each, which begin at different moments. */
export function compareRules(history: SiteHistory, everyDays: number, seeds: number): Compared[] {
  const rows: Compared[] = [
    { rule: "uniform", everyDays, freshness: meanOf(history, everyDays, "none", seeds, () => uniformRule(everyDays)) },
    {
      rule: "multiply",
      everyDays,
      freshness: meanOf(history, everyDays, "none", seeds, () => multiplyRule(everyDays)),
    },
  ];
  for (const lastmod of LASTMODS) {
    const hasSignals = lastmod !== "none";
    const freshness = meanOf(history, everyDays, lastmod, seeds, () => learnedRule(everyDays, { hasSignals }));
    rows.push({ rule: hasSignals ? `orbweaver, lastmod ${lastmod}` : "orbweaver", everyDays, freshness });
  }
  return rows;
}

/** The first row is the one that others are compared with. */
export function printComparison(rows: readonly Compared[]): void {
  const base = rows[0]?.freshness.delayDays ?? 1;
  console.log("| rule | days to detection | by uniform | missed | visits | of budget | longest unseen, intervals |");
  console.log("| --- | --- | --- | --- | --- | --- | --- |");
  for (const { rule, freshness } of rows) {
    const { delayDays, missedShare, visits, budgetShare, longestIntervals } = freshness;
    const cells = [
      rule,
      delayDays.toFixed(2),
      (delayDays / base).toFixed(2),
      `${(100 * missedShare).toFixed(1)}%`,
      visits.toFixed(0),
      `${(100 * budgetShare).toFixed(1)}%`,
      longestIntervals.toFixed(1),
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}

/** The mean of as many runs; of the longest times, the longest. */
export function meanOf(
  history: SiteHistory,
  everyDays: number,
  lastmod: Lastmod,
  seeds: number,
  createRule: () => RevisitRule,
): Freshness {
  const runs = Array.from({ length: seeds }, (_, seed) =>
    simulate(history, createRule(), { everyDays, lastmod, seed }),
  );
  const mean = (read: (run: Freshness) => number) => runs.reduce((sum, run) => sum + read(run), 0) / seeds;
  return {
    delayDays: mean((run) => run.delayDays),
    missedShare: mean((run) => run.missedShare),
    visits: mean((run) => run.visits),
    budgetShare: mean((run) => run.budgetShare),
    longestIntervals: Math.max(...runs.map((run) => run.longestIntervals)),
  };
}
