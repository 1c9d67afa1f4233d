/**
 * The price of a watch for a year, by the meter: the real pipeline watches a generated site in virtual time, with
 * second looks and `--keep`, and a year of a larger site is reckoned from what its visits were billed for.
 *
 *     npm run bench:year -- [--pages 2000] [--days 60] [--keep 14] [--unchanged 0.9] [--year-pages 100000] [--json]
 *
 * Usage counts from twice the kept time on, when as much is removed as comes. CPU time is the meter's estimate, 5 ms a
 * visit. Exits 1 if the year costs more than 20 USD.
 */
import { parseArgs } from "node:util";
import { costUsd, PRICES, RESOURCES, type Usage } from "../src/crawl/bounds/usage.ts";
import { rowsPerBeat } from "../src/lifecycle/rows-per-beat.ts";
import type { WatchRun } from "./freshness/pipeline/order.ts";
import { runOrder } from "./freshness/run-pipeline.ts";
import { serveSite } from "./freshness/serve-site.ts";
import { generateTextSite } from "./freshness/text-site.ts";

const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "2000" },
    days: { type: "string", default: "60" },
    keep: { type: "string", default: "14" },
    unchanged: { type: "string", default: "0.9" },
    "year-pages": { type: "string", default: "100000" },
    json: { type: "boolean", default: false },
  },
});

const DAY_MS = 86_400_000;
const EVERY_DAYS = 7;
const BEATS_A_YEAR = 365 * 1_440;
const CPU_MS = 5;
const MOST_USD = 20;
/**
 * USD for a GB and month: https://developers.cloudflare.com/r2/pricing/,
 * https://developers.cloudflare.com/d1/platform/pricing/
 */
const STORED = { packs: 0.015, database: 0.75 };
/** What the year is reckoned with: `--keep 90d`, whose laps come every nine days. */
const KEPT_DAYS = 90;
const LAPS_A_YEAR = 365 / (KEPT_DAYS * 0.1);
/** Packs at which one statement looks, which reads all rows of the watch. */
const PACKS_AT_ONCE = 1_000;

interface Part {
  name: string;
  usage: Usage;
  usd: number;
}

const [pages, days, keepDays] = [Number(values.pages), Number(values.days), Number(values.keep)];
const yearPages = Number(values["year-pages"]);
const run = await watch();
const parts = reckonYear(run);
const usd = parts.reduce((sum, part) => sum + part.usd, 0);
if (values.json) console.log(JSON.stringify({ visits: run.visits.length, held: run.held, parts, usd }));
else print();
if (usd > MOST_USD) process.exitCode = 1;

async function watch(): Promise<WatchRun> {
  // Changes come as a Poisson process, at the same rate on each page.
  const meanDays = -EVERY_DAYS / Math.log(Number(values.unchanged));
  const site = generateTextSite("pages that change alike", { pages, days, medianDays: meanDays, sigma: 0, seed: 2026 });
  const served = await serveSite(site, "none");
  const { origin } = served;
  const beginMs = site.beginMs;
  try {
    return await runOrder(served, {
      ...{ origin, beginMs, endMs: beginMs + days * DAY_MS, everyS: EVERY_DAYS * 86_400, fixed: true },
      ...{ hasSitemap: false, includePatterns: [`${origin}/`, `${origin}/p/**`], keepDays },
      // As many pages are due at a time as of the larger site in a minute.
      beats: Math.ceil((pages / yearPages) * EVERY_DAYS * 1_440),
      countedFromMs: beginMs + 2 * keepDays * DAY_MS,
    });
  } finally {
    served.close();
  }
}

function reckonYear({ visits, usage, beats, firstUsage, keepUsage, held }: WatchRun): Part[] {
  const visitsAYear = (yearPages * 365) / EVERY_DAYS;
  const perVisit = visitsAYear / visits.length;
  const lap = (size: number) => rowsPerBeat((size * 100) / (EVERY_DAYS * 1_440));
  const beatReads = ((beats.usage.ledgerRowsRead ?? 0) / beats.count) * (lap(yearPages) / lap(pages));
  const beatWrites = (beats.usage.ledgerRowsWritten ?? 0) / beats.count;
  const versions = visitsAYear * (1 - Number(values.unchanged)) * (KEPT_DAYS / 365);
  // As if no pack went: each lap looks at all packs of half a year.
  const packs = ((held.packs + (held.removed?.packs ?? 0)) / pages) * (yearPages / days) * (365 / 2);
  const keepReads = LAPS_A_YEAR * (5 * versions + (packs / PACKS_AT_ONCE) * (yearPages + versions));
  const bytes = (held.packBytes + (held.removed?.bytes ?? 0)) / pages / days;
  return [
    part("first crawl", times(firstUsage, yearPages / pages)),
    part("visits", times({ ...usage, cpuMs: 0 }, perVisit)),
    part("CPU of visits", { cpuMs: CPU_MS * visitsAYear }),
    part("heartbeats", {
      workerRequests: BEATS_A_YEAR,
      ledgerRowsRead: beatReads * BEATS_A_YEAR,
      ledgerRowsWritten: beatWrites * BEATS_A_YEAR,
    }),
    part("removing what is old", {
      ledgerRowsRead: keepReads,
      ledgerRowsWritten: (keepUsage.ledgerRowsWritten ?? 0) * perVisit,
    }),
    // As if no pack went, on average over the year.
    stored("packs stored", (bytes * yearPages * 365) / 2, STORED.packs),
    stored("database stored", (held.databaseBytes / pages) * yearPages, STORED.database),
  ];
}

function part(name: string, usage: Usage): Part {
  return { name, usage, usd: costUsd(usage) };
}

function stored(name: string, bytes: number, usdAMonth: number): Part {
  return { name: `${name} (${(bytes / 1e9).toFixed(2)} GB)`, usage: {}, usd: (bytes / 1e9) * usdAMonth * 12 };
}

function times(usage: Usage, factor: number): Usage {
  return Object.fromEntries(RESOURCES.map((resource) => [resource, (usage[resource] ?? 0) * factor]));
}

function print(): void {
  const { visits, held, seconds } = run;
  const results = Map.groupBy(visits, ({ result }) => result);
  const shares = [...results].map(([result, all]) => `${((100 * all.length) / visits.length).toFixed(1)}% ${result}`);
  console.log(
    `${pages} pages, ${days} virtual days, ${seconds.toFixed(0)} s; counted: ${visits.length} visits, ${shares.join(", ")}`,
  );
  console.log(`held at the end: ${JSON.stringify(held)}`);
  console.log(`\na year of ${yearPages} pages, each every ${EVERY_DAYS} days:`);
  for (const { name, usage, usd: price } of parts) {
    console.log(`${name.padEnd(32)} ${price.toFixed(2).padStart(7)} USD`);
    for (const resource of RESOURCES)
      if ((usage[resource] ?? 0) > 0)
        console.log(
          `    ${resource.padEnd(18)} ${((usage[resource] ?? 0) / 1e6).toFixed(3).padStart(9)} million x ${PRICES[resource]}`,
        );
  }
  console.log(`${"all".padEnd(32)} ${usd.toFixed(2).padStart(7)} USD`);
}
