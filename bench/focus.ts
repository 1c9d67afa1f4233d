/**
 * How well a crawl with a subject finds its pages: crawls webs in memory with the functions of src/topic/, beside
 * breadth-first, random, in-links first, an oracle and an order that knows the whole web. The texts are those of
 * Debian's manuals, and nothing is fetched.
 *
 *     npm run bench:focus -- [ROOT] [--set held-out|tuned] [--only generated,manuals,farm,cpu] [--rounds 3]
 *         [--subject NAME] [--json]
 *
 * ROOT is the folder that holds `usr`, / by default: packages can be unpacked by `dpkg -x PACKAGE.deb ROOT`. Exits 1 if
 * the subjects miss what docs/topics.md asks of them.
 */
import { parseArgs } from "node:util";
import { costPerPage } from "./focus/cpu-per-page.ts";
import { makeWeb } from "./focus/generated-web.ts";
import { withFarm } from "./focus/link-farm.ts";
import { makeManualWeb } from "./focus/manual-web.ts";
import { findManuals } from "./focus/manuals.ts";
import { measureSubject, type SubjectResult } from "./focus/measure-subject.ts";
import { printResults, rowOf, summarize } from "./focus/print-results.ts";
import { FARMED, HELD_OUT, type Subject, TUNED } from "./focus/subjects.ts";
import type { WebPage } from "./focus/web.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    set: { type: "string", default: "held-out" },
    only: { type: "string", default: "generated,manuals,farm,cpu" },
    rounds: { type: "string", default: "3" },
    subject: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const GOAL = { ratio: 2, least: 1, area: 0.7, farm: 0.1, cpuMs: 0.5 };

const { found, missing } = findManuals(positionals[0] ?? "/");
if (missing.length > 0) {
  const packages = [...new Set(missing.map((manual) => manual.of))].join(" ");
  console.error(`Manuals are missing. Install them: apt-get install --no-install-recommends ${packages}`);
  process.exit(2);
}
const parts = values.only.split(",");
const rounds = Number(values.rounds);
const subjects = (values.set === "tuned" ? TUNED : HELD_OUT).filter(({ name }) =>
  [undefined, name].includes(values.subject),
);

progress("cutting manuals into pages");
const web = makeWeb(found, [...TUNED, ...HELD_OUT]);
progress(describe(web));
const report: Record<string, unknown> = {};
if (parts.includes("generated")) {
  const results = measureAll(web, subjects, rounds);
  report.generated = results;
  if (!values.json) printResults(`A generated web, ${values.set} subjects, means of ${rounds} rounds`, results);
  const { ratio, least, area } = summarize(results);
  if (ratio < GOAL.ratio || least < GOAL.least || area < GOAL.area) process.exitCode = 1;
}
if (parts.includes("manuals")) {
  progress("reading the manuals as they are");
  const manualWeb = makeManualWeb(found);
  progress(describe(manualWeb));
  const results = measureAll(manualWeb, subjects, 1, [0]);
  report.manuals = results;
  if (!values.json) printResults("The manuals' own pages and links, from a portal that names none", results);
  const { ratio, least } = summarize(results);
  if (ratio < GOAL.ratio || least < GOAL.least) process.exitCode = 1;
}
if (parts.includes("farm")) {
  const results = FARMED.map((subject) => {
    progress(`a link farm for ${subject.name}`);
    const result = measureSubject(withFarm(web, subject), subject, rounds);
    if (!values.json)
      console.log(
        `\nLink farm for ${subject.name}: ${(100 * (result.farmShare ?? 0)).toFixed(1)}% of the first R pages.`,
      );
    if ((result.farmShare ?? 0) > GOAL.farm) process.exitCode = 1;
    return result;
  });
  report.farm = results;
}
if (parts.includes("cpu")) {
  const costs = costPerPage(web);
  report.cpu = costs;
  if (!values.json)
    for (const { cpuMs, characters, links } of costs)
      console.log(
        `\n${cpuMs.toFixed(2)} ms of CPU time a page of ${characters.toFixed(0)} characters and ` +
          `${links.toFixed(0)} links.`,
      );
  // The goal is about the web's own pages, which come first.
  if ((costs[0]?.cpuMs ?? 0) > GOAL.cpuMs) process.exitCode = 1;
}
if (values.json) console.log(JSON.stringify(report));

function measureAll(
  pages: readonly WebPage[],
  of: readonly Subject[],
  times: number,
  seeds?: number[],
): SubjectResult[] {
  return of.map((subject) => {
    const result = measureSubject(pages, subject, times, seeds);
    progress(rowOf(result).join(" | "));
    return result;
  });
}

function describe(pages: readonly WebPage[]): string {
  const links = pages.reduce((sum, page) => sum + page.links.length, 0);
  return `${pages.length} pages, ${new Set(pages.map(({ host }) => host)).size} hosts, ${links} links`;
}

function progress(text: string): void {
  console.error(`${process.uptime().toFixed(0).padStart(4)} s  ${text}`);
}
