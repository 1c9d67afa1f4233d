/**
 * The price of a watch for a year, by the meter: the real pipeline watches a generated site in virtual time, with
 * second looks and `--keep`, and a year of a larger site is reckoned from what its visits were billed for.
 *
 *     npm run bench:year -- [--pages 2000] [--days 60] [--keep 14] [--unchanged 0.9] [--validators 0.5]
 *       [--year-pages 100000] [--delay 0] [--json] [--statements]
 *
 * The site: half of its pages are like files. They have an ETag, and their bytes change when their text does, so most
 * of their visits are a 304. The other half is made for each answer: without validators, and with other times,
 * counters, tokens and four other related links at each visit. `--validators` is the share of the first half; 0 is a
 * site where no page has a validator. Of all answers in the HTTP Archive of 2014-11-01, 47% had an ETag and 30% a
 * Last-Modified alone
 * (https://discuss.httparchive.org/t/how-many-resources-return-last-modified-and-or-etag-values/407).
 *
 * Usage counts from twice the kept time on, when as much is removed as comes. As many pages are due at a time as of the
 * larger site. Heartbeats are measured by themselves: one each minute for two days, with the rows of the larger site.
 * CPU time is the meter's estimate, 5 ms a visit. Exits 1 if the year costs more than 20 USD.
 */
import { parseArgs } from "node:util";
import { costUsd, PRICES, RESOURCES, type Usage } from "../src/crawl/bounds/usage.ts";
import { PACKS_PER_BEAT } from "../src/lifecycle/rows-per-beat.ts";
import type { WatchRun } from "./freshness/pipeline/order.ts";
import { runOrder } from "./freshness/run-pipeline.ts";
import { MIXED, serveSite } from "./freshness/serve-site.ts";
import { generateTextSite } from "./freshness/text-site.ts";

const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "2000" },
    days: { type: "string", default: "60" },
    keep: { type: "string", default: "14" },
    unchanged: { type: "string", default: "0.9" },
    validators: { type: "string", default: String(MIXED) },
    "year-pages": { type: "string", default: "100000" },
    delay: { type: "string", default: "0" },
    json: { type: "boolean", default: false },
    statements: { type: "boolean", default: false },
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
/** Visits that are due at a time of 100,000 pages (src/lifecycle/dated-rows.ts); the run prints what was measured. */
const VISITS_AT_ONCE = 24;
/** What is kept grows until the kept time is over: its mean in the first year, as a share of what it then is. */
const FULL_SHARE = 1 - KEPT_DAYS / 2 / 365;
/** Rows that a lap reads for each version. */
const READS_OF_A_VERSION = 6;

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
if (values.statements) printStatements(run);
if (usd > MOST_USD) process.exitCode = 1;

async function watch(): Promise<WatchRun> {
  // Changes come as a Poisson process, at the same rate on each page.
  const meanDays = -EVERY_DAYS / Math.log(Number(values.unchanged));
  const site = generateTextSite("pages that change alike", { pages, days, medianDays: meanDays, sigma: 0, seed: 2026 });
  const served = await serveSite(site, "none", Number(values.validators));
  const { origin } = served;
  const beginMs = site.beginMs;
  try {
    return await runOrder(served, {
      ...{ origin, beginMs, endMs: beginMs + days * DAY_MS, everyS: EVERY_DAYS * 86_400, fixed: true },
      ...{ hasSitemap: false, includePatterns: [`${origin}/`, `${origin}/p/**`], keepDays },
      minDelayMs: Number(values.delay),
      // As many are due at a time as of the larger site. The half keeps visits apart that would fall together with a
      // heartbeat.
      beats: Math.ceil(pages / VISITS_AT_ONCE) + 0.5,
      countedFromMs: beginMs + 2 * keepDays * DAY_MS,
      beatPages: yearPages,
    });
  } finally {
    served.close();
  }
}

function reckonYear({ visits, usage, beats, largeBeats, firstUsage, keepUsage, held }: WatchRun): Part[] {
  const visitsAYear = (yearPages * 365) / EVERY_DAYS;
  const perVisit = visitsAYear / visits.length;
  // The heartbeat pays for the messages that it sends.
  const queueOperations = (usage.queueOperations ?? 0) + (beats.usage.queueOperations ?? 0);
  const perBeat = BEATS_A_YEAR / (largeBeats?.count ?? 1);
  const stored = visits.filter(({ isStored }) => isStored).length / visits.length;
  const versions = visitsAYear * stored * (KEPT_DAYS / 365);
  // As if no pack went: each lap looks at all packs of half a year, and for each portion reads all rows.
  const packs = ((held.packs + (held.removed?.packs ?? 0)) / pages) * (yearPages / days) * (365 / 2);
  const keepReads =
    LAPS_A_YEAR * (READS_OF_A_VERSION * versions + Math.ceil(packs / PACKS_PER_BEAT) * (yearPages + versions));
  const { rowBytes } = held;
  const changes = visitsAYear * (visits.filter(({ change }) => change !== null).length / visits.length);
  const kept = { versions: held.versions / pages, changes: held.changes / pages, packs: held.packs / pages };
  // As measured, but for the rows that are kept for longer. Of the first year, none is old in the first kept time.
  const databaseBytes =
    (held.databaseBytes / pages) * yearPages +
    (versions * FULL_SHARE - kept.versions * yearPages) * rowBytes.version +
    (changes * (KEPT_DAYS / 365) * FULL_SHARE - kept.changes * yearPages) * rowBytes.change +
    (packs - kept.packs * yearPages) * rowBytes.pack;
  const bytes = (held.packBytes + (held.removed?.bytes ?? 0)) / pages / days;
  return [
    part("first crawl", times(firstUsage, yearPages / pages)),
    part("visits", times({ ...usage, queueOperations, cpuMs: 0 }, perVisit)),
    part("CPU of visits", { cpuMs: CPU_MS * visitsAYear }),
    part(
      "heartbeats",
      times({ ...largeBeats?.usage, queueOperations: 0, workerRequests: largeBeats?.count ?? 0 }, perBeat),
    ),
    // Of the first year, nothing is old in the first kept time.
    part("removing what is old", {
      ledgerRowsRead: keepReads,
      ledgerRowsWritten: (keepUsage.ledgerRowsWritten ?? 0) * perVisit * (1 - KEPT_DAYS / 365),
    }),
    // As if no pack went, on average over the year.
    storage("packs stored", (bytes * yearPages * 365) / 2, STORED.packs),
    storage("database stored", databaseBytes, STORED.database),
  ];
}

function part(name: string, usage: Usage): Part {
  return { name, usage, usd: costUsd(usage) };
}

function storage(name: string, bytes: number, usdAMonth: number): Part {
  return { name: `${name} (${(bytes / 1e9).toFixed(2)} GB)`, usage: {}, usd: (bytes / 1e9) * usdAMonth * 12 };
}

function times(usage: Usage, factor: number): Usage {
  return Object.fromEntries(RESOURCES.map((resource) => [resource, (usage[resource] ?? 0) * factor]));
}

/** What D1 did in the time that is counted: the statements that wrote most, and those that read most. */
function printStatements({ statements, visits }: WatchRun): void {
  for (const by of ["written", "read"] as const) {
    console.log(`\nrows ${by} for each of ${visits.length} visits, by statement:`);
    for (const { sql, calls, ...rows } of statements.toSorted((a, b) => b[by] - a[by]).slice(0, 15))
      console.log(`${(rows[by] / visits.length).toFixed(3).padStart(9)} in ${calls} calls: ${sql.slice(0, 100)}`);
  }
}

function print(): void {
  const { visits, held, largeBeats, seconds } = run;
  const results = Map.groupBy(visits, ({ result }) => result);
  const share = (all: number) => `${((100 * all) / visits.length).toFixed(1)}%`;
  const shares = [...results].map(([result, all]) => `${share(all.length)} ${result}`);
  const stored = visits.filter(({ isStored }) => isStored).length;
  console.log(
    `${pages} pages, ${values.validators} of them with an ETag, ${days} virtual days, ${seconds.toFixed(0)} s`,
  );
  console.log(`counted: ${visits.length} visits, ${shares.join(", ")}; ${share(stored)} stored a version`);
  const { visits: sent = 0, sending = 1 } = largeBeats ?? {};
  console.log(`visits due at a time of ${yearPages} pages: ${(sent / sending).toFixed(1)}`);
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
