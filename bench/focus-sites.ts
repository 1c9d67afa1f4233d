/**
 * How well a crawl with a subject finds its pages within one site, at a limit of 100 pages: crawls manuals from their
 * files with the crawler's reader and the functions of src/topic/, beside breadth-first and an oracle that knows of
 * each discovered URL whether it is on the subject.
 *
 *     node bench/focus-sites.ts [--set held-out|tuned|later|further|last|fresh|unseen] [--limit 100] [--root /]
 *         [--only WORDS] [--order]
 *
 * Exits 1 if the median share of the oracle's pages is below 0.7, any is below 0.4, or breadth-first finds more.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { breadthFirst, crawlSite, FocusedSite, oracleOf, Site } from "./focus/site-crawl.ts";
import {
  FRESH_SITES,
  FURTHER_SITES,
  HELD_OUT_SITES,
  LAST_SITES,
  LATER_SITES,
  type SiteSubject,
  TUNED_SITES,
  UNSEEN_SITES,
} from "./focus/site-subjects.ts";
import { median } from "./median.ts";

const { values } = parseArgs({
  options: {
    set: { type: "string", default: "held-out" },
    limit: { type: "string", default: "100" },
    root: { type: "string", default: "/" },
    order: { type: "boolean", default: false },
    only: { type: "string", default: "" },
  },
});
const SETS: Record<string, readonly SiteSubject[]> = {
  tuned: TUNED_SITES,
  later: LATER_SITES,
  further: FURTHER_SITES,
  last: LAST_SITES,
  fresh: FRESH_SITES,
  unseen: UNSEEN_SITES,
};
const GOAL = { median: 0.7, least: 0.4 };
const limit = Number(values.limit);
const sites = new Map<string, Site>();
const shares: number[] = [];
console.log("| manual | subject | breadth-first | ours | oracle | share | first |\n|---|---|---:|---:|---:|---:|---:|");
for (const subject of SETS[values.set] ?? HELD_OUT_SITES) {
  if (!`${subject.of} ${subject.words}`.includes(values.only)) continue;
  if (existsSync(join(values.root, "usr/share", subject.folder, subject.seed))) measure(subject);
  else console.error(`${subject.of} is left out: it is not installed.`);
}
console.log(`\nMedian share ${median(shares).toFixed(2)}, least ${Math.min(...shares).toFixed(2)}.`);
if (median(shares) < GOAL.median || Math.min(...shares) < GOAL.least) process.exitCode = 1;

function measure({ of, folder, seed, words, isAbout: pattern }: SiteSubject): void {
  const root = join(values.root, "usr/share", folder);
  const site = sites.get(root) ?? new Site(root);
  sites.set(root, site);
  const isAbout = (url: string) => pattern.test(site.pathOf(url));
  const count = (urls: readonly string[]) => urls.filter(isAbout).length;
  const broad = count(crawlSite(site, seed, breadthFirst, limit));
  const oracle = count(crawlSite(site, seed, oracleOf(site, isAbout), limit));
  const focused = new FocusedSite(words);
  const order = crawlSite(site, seed, focused, limit);
  const ours = count(order);
  // Where nothing can be found, no order is better than another.
  if (oracle === 0) {
    console.error(`${of}, ${words}: the oracle finds no page.`);
    return;
  }
  const share = ours / oracle;
  shares.push(share);
  if (ours < broad) process.exitCode = 1;
  const first = order.findIndex(isAbout) + 1;
  console.log(`| ${of} | ${words} | ${broad} | ${ours} | ${oracle} | ${share.toFixed(2)} | ${first} |`);
  if (!values.order) return;
  for (const [i, url] of order.entries()) {
    const found = focused.found.get(url);
    const scores =
      found === undefined ? "" : `${found.score} = page ${found.page} text ${found.text} host ${found.host}`;
    console.log(
      `${i + 1} ${isAbout(url) ? "+" : "-"} ${focused.relevances.get(url)?.toFixed(2)} ${site.pathOf(url)}  ${scores}`,
    );
  }
}
