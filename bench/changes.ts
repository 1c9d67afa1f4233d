/**
 * How often a change that is told is none, and how often a change is missed: visits the pages of a git repository at a
 * virtual date, as a watch would, and compares what src/changes/ says with the source. The truth is the page's main
 * text as source-text.ts finds it: of an HTML page, its title and the elements that `--main` names, without those of
 * `--skip`; of any other text, the file itself, which is wrapped as a page with a menu, related links, counters and
 * dates. Exits 1 if more than 2% of the notices are false, more than 2% of the unchanged visits are told, or less than
 * 99% of the changes are.
 *
 *     node bench/changes.ts --git DIR [--ref HEAD] [--under FOLDER] [--extension html]
 *         [--main main,.body,#content] [--skip nav,footer,.headerlink] [--pages 150] [--versions 40] [--every 7]
 *         [--seed 1] [--plain] [--each]
 */
import { parseArgs } from "node:util";
import { judgeVersion } from "../src/changes/compare/judge-version.ts";
import { NO_RULES } from "../src/changes/ignore-rules.ts";
import { hashOf, type PageVersion, versionOf } from "../src/changes/page-version.ts";
import { EMPTY_TEMPLATE } from "../src/changes/template/host-template.ts";
import { learnVersions } from "../src/changes/template/learn-versions.ts";
import {
  decideTelling,
  firstVersion,
  noteSteadyPlaces,
  noteUnchanged,
  type Telling,
  type ToldVersions,
} from "../src/changes/told-versions.ts";
import { contentHash, viewOf } from "../src/changes/view-version.ts";
import { heldMs } from "../src/frontier/visits/decide-visit.ts";
import { readHtml } from "../src/media/html/tree/read-html.ts";
import { HISTORY_OPTIONS, type PageHistory, readNamedHistory } from "./git-history.ts";
import { median } from "./median.ts";
import { sourceText } from "./source-text.ts";
import { titleOf, toHtml, wrapAsPage } from "./wrapped-page.ts";

const { values } = parseArgs({
  options: {
    ...HISTORY_OPTIONS,
    every: { type: "string", default: "7" },
    plain: { type: "boolean", default: false },
    each: { type: "boolean", default: false },
  },
});

const DAY_MS = 86_400_000;
const everyMs = Number(values.every) * DAY_MS;
const { histories: all, main, skip } = readNamedHistory(values);
/** Pages from which a host's template is learned first, as in frontier/lane/host-templates.ts. */
const SAMPLE = 25;
const LEAST_LOOKS = 10;
const MOST_LOOKS = 0.05;
/** Unchanged visits after each changed one. More of them would only take time. */
const UNCHANGED_VISITS = 3;
const MAX_FALSE = 0.02;
const LEAST_TOLD = 0.99;

interface PlannedVisit {
  page: number;
  time: number;
  /** Index of the version that the visit finds. */
  version: number;
}

interface PageState {
  stored: PageVersion;
  storedAt: number;
  /** What the last visit found. */
  last: PageVersion;
  versions: ToldVersions | null;
  /** The truth of the version told last, and of the last visit. */
  truth: string;
  lastTruth: string;
  bytes: string;
  words: string;
  isHeld: boolean;
  /** Whether the host's template knows a version of it beside those of the first sample. */
  isLearned: boolean;
}

const histories = all.filter(({ versions }) => versions.length > 1);
const titles = histories.map(({ path, versions }) => titleOf(versions[0]?.text ?? "", path));
/** The watch begins when half of the pages are there, with a first crawl, which tells nothing. */
const begin = median(histories.map(({ versions }) => versions[0]?.time ?? 0));
const planned = histories.flatMap(planVisits).sort((a, b) => a.time - b.time);

let template = EMPTY_TEMPLATE;
let view = viewOf(template);
const states = new Map<number, PageState>();
const counts = { visits: 0, changes: 0, told: 0, notices: 0, falseNotices: 0, unchanged: 0, suspicious: 0, looks: 0 };
/** The second looks and the visits of the last day. */
const today = { day: 0, looks: 0, visits: 0 };
const naive = { bytes: { told: 0, wrong: 0 }, text: { told: 0, wrong: 0 } };
const readMs: number[] = [];
const hashMs: number[] = [];
const compareMs: number[] = [];
const sizes: number[] = [];

for (const [number, visit] of planned.entries()) makeVisit(visit, number);

const { visits, changes, told, notices, falseNotices, unchanged } = counts;
const share = (part: number, whole: number) => `${((100 * part) / Math.max(whole, 1)).toFixed(2)}%`;
console.log(`${histories.length} pages, ${visits} visits, ${changes} of them to a page that says something else`);
console.log(`| compared by | notices | false, of notices | false, of ${unchanged} unchanged visits | changes told |`);
console.log("| --- | --- | --- | --- | --- |");
for (const [name, { told, wrong }] of Object.entries(naive))
  console.log(
    `| ${name} | ${told + wrong} | ${share(wrong, told + wrong)} | ${share(wrong, unchanged)} | ${share(told, changes)} |`,
  );
console.log(
  `| blocks | ${notices} | ${share(falseNotices, notices)} | ${share(falseNotices, unchanged)} | ${share(told, changes)} |`,
);
console.log(
  `median ms: read ${median(readMs).toFixed(2)}, hash ${median(hashMs).toFixed(2)}, compare ${median(compareMs.length ? compareMs : [0]).toFixed(2)}; ` +
    `a version has ${(median(sizes) / 1_000).toFixed(1)} kB, the template ${(JSON.stringify(template).length / 1_000).toFixed(1)} kB ` +
    `with ${view.template.blocks.size} blocks and ${Object.keys(template.noise ?? {}).length} places of noise; ` +
    `${counts.looks} second looks; ${counts.suspicious} suspicious`,
);
const isGood = falseNotices <= MAX_FALSE * Math.min(notices, unchanged) && told >= LEAST_TOLD * changes;
if (!isGood) process.exitCode = 1;
if (process.env.DBG)
  for (const [place, e] of Object.entries(template.noise ?? {}))
    console.log(place, e.pages.length, JSON.stringify(e.texts));

/** A visit every few days, as long as the page is there, but only the first few to each version. */
function planVisits({ path, versions }: PageHistory, page: number): PlannedVisit[] {
  const offset = (Number.parseInt(Buffer.from(hashOf(path)).toString("hex").slice(0, 6), 16) % 1_000) / 1_000;
  const found: PlannedVisit[] = [];
  const first = Math.max(versions[0]?.time ?? 0, begin);
  const last = (versions.at(-1)?.time ?? 0) + UNCHANGED_VISITS * everyMs;
  let version = -1;
  let seen = 0;
  for (let time = first + offset * everyMs; time <= last + everyMs; time += everyMs) {
    let now = Math.max(version, 0);
    while ((versions[now + 1]?.time ?? Number.POSITIVE_INFINITY) <= time) now += 1;
    if (now !== version) seen = 0;
    version = now;
    if (seen <= UNCHANGED_VISITS) {
      found.push({ page, time, version });
    }
    seen += 1;
  }
  return found;
}

function makeVisit({ page, time, version }: PlannedVisit, number: number): void {
  const { path, versions } = histories[page] as PageHistory;
  const text = versions[version]?.text ?? "";
  const htmlAt = (when: number, count: number) =>
    isHtml(path) ? text : wrapAsPage(text, { path, time: when, number: count, titles }, values.plain);
  // Second looks count as requests, too.
  const html = htmlAt(time, 2 * number);
  const truth = isHtml(path) ? sourceText(text, main, skip) : sourceText(`<main>${toHtml(text)}</main>`, ["main"], []);
  const bytes = hashOf(html);
  const state = states.get(page);
  // Reading takes most of the time.
  const after = state?.bytes === bytes ? state.last : timed(readMs, () => read(html, path));
  // A page without a text of its own is not compared.
  if (after === null || truth === "") return;
  const words = hashOf(`${after.title}\n${after.blocks.join("\n")}`);
  timed(hashMs, () => contentHash(after, view));
  if (state === undefined) {
    states.set(page, {
      stored: after,
      storedAt: time,
      last: after,
      versions: null,
      truth,
      lastTruth: truth,
      bytes,
      words,
      isHeld: false,
      isLearned: false,
    });
    return;
  }
  counts.visits += 1;
  const day = Math.floor(time / DAY_MS);
  if (today.day !== day) Object.assign(today, { day, looks: 0, visits: 0 });
  today.visits += 1;
  const isChanged = truth !== state.lastTruth;
  const beforeTruth = state.lastTruth;
  const beforeText = shownText(state.stored);
  const isRead = words !== state.words;
  const verdict = isChanged ? "told" : "wrong";
  counts[isChanged ? "changes" : "unchanged"] += 1;
  if (bytes !== state.bytes) naive.bytes[verdict] += 1;
  if (words !== state.words) naive.text[verdict] += 1;
  Object.assign(state, { last: after, lastTruth: truth, bytes, words });
  // As in frontier/visits/decide-visit.ts: what is stored is the version told last.
  let telling: Telling = "nothing";
  let excerpt: unknown = null;
  const look = () => read(htmlAt(time + 5_000, 2 * number + 1), path);
  const judged = timed(compareMs, () => judge(state, after, { path, time, look }));
  const { comparison } = judged;
  if (comparison.kind === "changed") {
    excerpt = comparison.title ?? comparison.content ?? comparison.canonical;
    if (comparison.suspicion !== null) counts.suspicious += 1;
    const { before: told, after: hash } = judged.hashes;
    const known = { ...(state.versions ?? firstVersion(told)), told };
    const found = { hash, waits: judged.waits, lastAt: time };
    const decided = decideTelling(known, found);
    ({ telling } = decided);
    state.versions = noteSteadyPlaces(decided.versions, telling === "tell" ? judged.steady : [], time);
  } else {
    const { hashes, noise, everywhere } = judged;
    state.versions = noteUnchanged(state.versions, { hash: hashes.before, noise, everywhere }, time);
  }
  const wasHeld = state.isHeld;
  state.isHeld = telling === "hold";
  if (state.isHeld) planVisit({ page, version, time: time + heldMs(state.versions, everyMs) }, number);
  if (telling === "tell") {
    counts.notices += 1;
    if (truth === state.truth) {
      counts.falseNotices += 1;
      report("false", { path, time, before: beforeText, after: shownText(after), isRead });
      if (values.each) console.log(`  = ${JSON.stringify(excerpt)}`);
    } else if (isChanged || wasHeld) counts.told += 1;
    if (comparison.kind === "changed" && comparison.suspicion === null)
      template = learnVersions(template, [{ before: state.stored, after, isUnknown: !state.isLearned }]);
    Object.assign(state, { truth, stored: after, storedAt: time, isLearned: true });
    sizes.push(JSON.stringify(after).length);
  } else if (isChanged && telling === "nothing") {
    if (truth === state.truth) counts.told += 1;
    else report("missed", { path, time, before: beforeTruth, after: truth, isRead });
  } else if (wasHeld && telling === "nothing" && truth !== state.truth)
    report("missed", { path, time, before: state.truth, after: truth, isRead });
}

/** Adds a visit after the one with this number. */
function planVisit(visit: PlannedVisit, number: number): void {
  let at = number + 1;
  while (at < planned.length && (planned[at]?.time ?? 0) < visit.time) at += 1;
  planned.splice(at, 0, visit);
}

function isHtml(path: string): boolean {
  return /\.html?$/i.test(path);
}

interface JudgedVisit {
  path: string;
  time: number;
  look: () => PageVersion | null;
}

/** As in frontier/visits/settle-visit.ts. */
function judge(state: PageState, after: PageVersion, { path, time, look }: JudgedVisit) {
  if (template === EMPTY_TEMPLATE) {
    const sample = sampleOf(states);
    template = learnVersions(
      template,
      sample.map(({ stored }) => ({ before: null, after: stored })),
    );
    for (const sampled of sample) sampled.isLearned = true;
  }
  const found = {
    url: path,
    storedAt: state.storedAt,
    before: state.stored,
    after,
    now: time,
    everyMs,
    told: state.versions,
  };
  let judged = judgeVersion(template, NO_RULES, found);
  if (judged.wantsLook) {
    const isLeft = today.looks < Math.max(LEAST_LOOKS, Math.floor(MOST_LOOKS * today.visits));
    if (isLeft) {
      counts.looks += 1;
      today.looks += 1;
    }
    judged = judgeVersion(template, NO_RULES, { ...found, look: isLeft ? look() : null });
  }
  ({ template, view } = judged);
  return judged;
}

function sampleOf(known: ReadonlyMap<number, PageState>): PageState[] {
  return [...known.values()].slice(0, SAMPLE);
}

function read(html: string, path: string): PageVersion | null {
  const source = { url: `https://site.example/${encodeURI(path)}`, contentType: "text/html; charset=utf-8" };
  const document = readHtml(new TextEncoder().encode(html), source, {
    agent: "orbweaver",
    scriptLinks: false,
    requisites: false,
    formats: ["text"],
    pageText: true,
    obeyNoindex: false,
  });
  return versionOf(document);
}

interface Wrong {
  path: string;
  time: number;
  before: string;
  after: string;
  /** Whether the text that the reader made differs from that of the visit before. */
  isRead: boolean;
}

/** Prints where the two texts begin to differ: for a missed change the source's, for a false notice the reader's. */
function report(what: string, { path, time, before, after, isRead }: Wrong): void {
  if (!values.each) return;
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const cut = (text: string) =>
    JSON.stringify(text.slice(Math.max(0, start - 30), text.length - end + 10).slice(0, 200));
  console.log(`${what}${isRead ? "" : " (same text)"}: ${path} ${new Date(time).toISOString().slice(0, 10)}`);
  console.log(`  - ${cut(before)}`);
  console.log(`  + ${cut(after)}`);
}

function shownText({ title, blocks }: PageVersion): string {
  return [title, ...blocks].join("\n");
}

function timed<T>(list: number[], work: () => T): T {
  const started = performance.now();
  const result = work();
  list.push(performance.now() - started);
  return result;
}
