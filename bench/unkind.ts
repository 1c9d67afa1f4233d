/**
 * What a watch tells of unkind sites: the real pipeline in virtual time, on sites of forty pages that change and are
 * noisy in ways that are drawn, beside an oracle that knows what each page says.
 *
 *     npm run bench:unkind -- [--seeds 1,2] [--only stock,banner] [--classes shown|held-out|further|mixed|all] [--each]
 *         [--pages 40] [--days 60] [--every 1d]
 *
 * Prints for each class how many changes were told, how many notices were wrong, and how late they came. Unseen is what
 * lasted one interval and stood in no answer, so it is no change here. `--each` lists what was wrong. Exits 1 if less
 * than 98% of all changes were told, or more than 2% of all notices were wrong.
 */
import { parseArgs } from "node:util";
import { randomFrom } from "./freshness/random.ts";
import { runOrder } from "./freshness/run-pipeline.ts";
import { FURTHER } from "./unkind/further.ts";
import { HELD_OUT } from "./unkind/held-out.ts";
import { type Judged, judge } from "./unkind/judge.ts";
import { MIXED } from "./unkind/mixed.ts";
import { serveUnkind } from "./unkind/serve.ts";
import { SHOWN } from "./unkind/shown.ts";
import type { UnkindClass } from "./unkind/site.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1" },
    only: { type: "string" },
    classes: { type: "string", default: "all" },
    each: { type: "boolean", default: false },
    pages: { type: "string", default: "40" },
    days: { type: "string", default: "60" },
    every: { type: "string", default: "1d" },
  },
});

const DAY_MS = 86_400_000;
const BEGIN_MS = Date.UTC(2026, 0, 1);
const days = Number(values.days);
const everyDays = Number(values.every.replace(/d$/, ""));
const LEAST_TOLD = 0.98;
const MOST_WRONG = 0.02;

const ALL = [...SHOWN, ...HELD_OUT, ...FURTHER, ...MIXED];
const sets: Record<string, readonly UnkindClass[]> = {
  shown: SHOWN,
  "held-out": HELD_OUT,
  further: FURTHER,
  mixed: MIXED,
  all: ALL,
};
const only = values.only?.split(",");
const classes = (sets[values.classes] ?? []).filter(({ name }) => only === undefined || only.includes(name));
if (classes.length === 0) throw new Error("no class has such a name");

const all: Judged[] = [];
console.log(
  "| class | seed | changes | told | unseen | notices | wrong | late, median | late, p90 | visits | requests | per page and interval |",
);
console.log(`|${" --- |".repeat(12)}`);
for (const seed of values.seeds.split(",").map(Number))
  for (const drawnClass of classes) {
    const { name, build } = drawnClass;
    // By its place among all classes, so that a class by itself is what it is in a run of all.
    const draw = seed * 7919 + ALL.indexOf(drawnClass) + name.length;
    const site = build({ pages: Number(values.pages), days, random: randomFrom(draw) });
    const served = await serveUnkind(site, BEGIN_MS, seed);
    try {
      const run = await runOrder(served, {
        origin: served.origin,
        beginMs: BEGIN_MS,
        endMs: BEGIN_MS + days * DAY_MS,
        everyS: everyDays * 86_400,
        fixed: false,
        hasSitemap: false,
        includePatterns: [`${served.origin}/**`],
      });
      const firstAt = new Map(run.fetched.toReversed().map(({ url, at }) => [new URL(url).pathname, at]));
      const judged = judge(site, run.changes, { beginMs: BEGIN_MS, days, everyDays, firstAt, shown: served.shown });
      all.push(judged);
      const requests = [...served.asked.values()].reduce((sum, count) => sum + count, 0);
      print(
        name,
        String(seed),
        judged,
        run.visits.length,
        requests,
        requests / (site.pages.length * (days / everyDays)),
      );
      if (values.each) for (const fault of judged.faults) console.log(`  ${fault}`);
    } finally {
      served.close();
    }
  }

const sum = all.reduce((total, { changes, told, unseen, notices, wrong, late, faults }) => ({
  changes: total.changes + changes,
  told: total.told + told,
  unseen: total.unseen + unseen,
  notices: total.notices + notices,
  wrong: total.wrong + wrong,
  late: [...total.late, ...late],
  faults: [...total.faults, ...faults],
}));
print("together", values.seeds, sum, 0, 0, 0);
if (sum.told < LEAST_TOLD * sum.changes || sum.wrong > MOST_WRONG * sum.notices) process.exitCode = 1;

function print(name: string, seed: string, judged: Judged, visits: number, requests: number, each: number): void {
  const { changes, told, unseen, notices, wrong, late } = judged;
  const sorted = late.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(2);
  const share = (part: number, of: number) => `${part} (${((100 * part) / Math.max(of, 1)).toFixed(1)}%)`;
  const cells = [
    changes,
    share(told, changes),
    unseen,
    notices,
    share(wrong, notices),
    at(0.5),
    at(0.9),
    visits,
    requests,
  ];
  console.log(`| ${name} | ${seed} | ${cells.join(" | ")} | ${each.toFixed(2)} |`);
}
