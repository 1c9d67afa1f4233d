/**
 * How soon changes are found: replays the history of a site under the revisit policy, beside uniform visits and Nutch's
 * multiply rule at the same budget. It is a simulation of the policy (src/revisit/): no page is fetched.
 *
 *     npm run bench:freshness -- [--git DIR [--path FOLDER]] [--years N] [--every 7d]... [--seeds 3]
 *
 * With --git, the pages are the files of a git repository (bare or not), and their history the commits of its main
 * branch. Without it, two sites are generated: a heavy tail, and pages that change alike.
 *
 *     npm run bench:freshness -- --pipeline [--only uniform,learned,honest,lying] [--git DIR [--path FOLDER]]
 *         [--pages 150] [--years 2] [--every 7d]
 *
 * With --pipeline, the real pipeline watches the site in virtual time: heartbeats, consumer, gate, page fetcher, ledger
 * and packs. Its pages are served on loopback. Exits 1 if a run misses what docs/freshness.md asks of the pipeline.
 */
import { parseArgs } from "node:util";
import { compareRules, printComparison } from "./freshness/compare.ts";
import { comparePipeline, type PipelineRule, RULES } from "./freshness/compare-pipeline.ts";
import { generateHistory } from "./freshness/generated-history.ts";
import { readGitHistory } from "./freshness/git-history.ts";
import { delayWithKnownRates, type SiteHistory } from "./freshness/history.ts";
import { generateTextSite, readTextSite, type TextSite } from "./freshness/text-site.ts";

const { values } = parseArgs({
  options: {
    git: { type: "string" },
    path: { type: "string", default: "." },
    years: { type: "string" },
    every: { type: "string", multiple: true },
    seeds: { type: "string", default: "3" },
    pipeline: { type: "boolean", default: false },
    only: { type: "string", default: RULES.join(",") },
    pages: { type: "string", default: "150" },
  },
});

const HEAVY_TAIL = "heavy tail (log-normal, median 60 days, sigma 1.8)";
const GENERATED = { medianDays: 60, seed: 2026 };

if (values.pipeline) await runOnPipeline();
else simulateRules();

async function runOnPipeline(): Promise<void> {
  const [years, pages] = [Number(values.years ?? 2), Number(values.pages)];
  const site: TextSite = values.git
    ? readTextSite(values.git, values.path, years, pages)
    : generateTextSite(HEAVY_TAIL, { ...GENERATED, pages, days: years * 365, sigma: 1.8 });
  printSite(site);
  const rules = values.only.split(",").filter((rule): rule is PipelineRule => RULES.some((known) => known === rule));
  for (const every of values.every ?? ["7d"]) {
    const isGood = await comparePipeline(site, readDays(every), rules);
    if (!isGood) process.exitCode = 1;
  }
}

function simulateRules(): void {
  const years = Number(values.years ?? (values.git ? 6 : 4));
  const generated = { ...GENERATED, pages: 1_000, days: years * 365 };
  const histories: SiteHistory[] = values.git
    ? [readGitHistory(values.git, values.path, years)]
    : [
        generateHistory(HEAVY_TAIL, { ...generated, sigma: 1.8 }),
        generateHistory("even (each page every 60 days)", { ...generated, sigma: 0 }),
      ];
  console.log("A simulation of the revisit policy: no page is fetched.");
  for (const history of histories) {
    printSite(history);
    console.log(`Rates known in advance would leave ${delayWithKnownRates(history).toFixed(2)} of uniform's delay.`);
    for (const every of values.every ?? ["7d", "30d"]) {
      const everyDays = readDays(every);
      console.log(`\nA visit of each page every ${everyDays} days:\n`);
      printComparison(compareRules(history, everyDays, Number(values.seeds)));
    }
  }
}

function printSite({ name, pages, days }: SiteHistory): void {
  const changes = pages.reduce((sum, page) => sum + page.changeDays.length, 0);
  console.log(`\n${name}: ${pages.length} pages, ${changes} changes, ${days.toFixed(0)} days`);
}

/** Reads "7d" or "12h". Throws Error for anything else. */
function readDays(text: string): number {
  const [, amount, unit] = /^(\d+)([dh])$/.exec(text) ?? [];
  if (!amount) throw new Error(`--every is "${text}", which is neither days ("7d") nor hours ("12h")`);
  return Number(amount) / (unit === "h" ? 24 : 1);
}
