import type { Crawl } from "../../crawl/crawl.ts";
import { seedsKey } from "../../crawl/seeds-key.ts";
import { askLedgers } from "../../frontier/ledgers.ts";
import { compareFindings } from "../../graph/problems/compare-findings.ts";
import { FINDING_KINDS, type Finding, type FindingKind, orderFindings } from "../../graph/problems/finding.ts";
import { countFinding, type KindCount, type ReportHead } from "../../graph/report/report.ts";
import type { PassDeps, PassOrder, PassRun } from "../pass-run.ts";
import { type FindingRun, type Found, MAX_FINDINGS } from "./find-problems.ts";
import { openReport, readFound, readLines } from "./report-object.ts";

/**
 * Merges the runs of findings, kind by kind, and compares them with the earlier report: objects `report-KIND-N`. Many
 * runs of a kind are merged to fewer ones first: objects `merged-KIND-N`.
 */

/** Runs that are merged at once: a chunk of each is in memory, 10 MB together. */
const MAX_RUNS = 64;
/** A step takes 15 s of CPU time for a million. */
const CPU_MS_PER_FINDING = 0.015;
/** Characters of an object, in memory at once. */
const PART_LENGTH = 4_000_000;

/** Crawls of each ledger that are looked at for one with the same seeds, the newest first. */
const MAX_CRAWLS = 200;

/** The last completed pass that has a report. */
export interface EarlierReport {
  /** Absent, as in steps of earlier versions: the same crawl. */
  crawl?: string;
  pass: string;
  finishedAt: number;
  kinds: FindingKind[];
}

export interface MergedKind {
  kind: FindingKind;
  parts: number;
  count: KindCount;
  /** Findings that were too many. */
  leftOut: number;
}

export async function mergeFindings(
  run: PassRun,
  { runs, cut }: Pick<Found, "runs" | "cut">,
  earlier: EarlierReport | null,
): Promise<MergedKind[]> {
  const merged: MergedKind[] = [];
  for (const kind of Object.keys(FINDING_KINDS) as FindingKind[]) {
    const ofKind = runs.filter(({ kinds }) => kinds.some(([one]) => one === kind));
    if (ofKind.length === 0 && !earlier?.kinds.includes(kind)) continue;
    const fewer = await mergeToFewer(run, kind, ofKind);
    // Which of them are kept depends on the order of the packs, so nothing can be said of what has changed.
    const before = cut.includes(kind) ? null : earlier;
    merged.push(
      await run.step(`merge ${kind}`, "Sorting the findings", (deps, order) =>
        mergeKind(kind, fewer, before, deps, order),
      ),
    );
  }
  return merged;
}

/** Runs of a kind that are few enough to be merged at once. */
async function mergeToFewer(run: PassRun, kind: FindingKind, runs: FindingRun[]): Promise<FindingRun[]> {
  if (runs.length <= MAX_RUNS) return runs;
  const fewer: FindingRun[] = [];
  for (let first = 0; first < runs.length; first += MAX_RUNS) {
    const name = `merged-${kind}-${runs.length}-${fewer.length}`;
    const some = runs.slice(first, first + MAX_RUNS);
    fewer.push(await run.step(name, "Sorting the findings", (deps, order) => mergeRuns(name, kind, some, deps, order)));
  }
  return mergeToFewer(run, kind, fewer);
}

async function mergeRuns(
  name: string,
  kind: FindingKind,
  runs: FindingRun[],
  deps: PassDeps,
  order: PassOrder,
): Promise<FindingRun> {
  const length = runs.reduce((sum, run) => sum + placeOf(run, kind).length, 0);
  let count = 0;
  const pieces = async function* () {
    let text = "";
    for await (const finding of mergeSorted(runs.map((run) => readRun(run, kind, deps, order)))) {
      count += 1;
      text += `${JSON.stringify(finding)}\n`;
      if (text.length < PART_LENGTH) continue;
      yield Buffer.from(text);
      text = "";
    }
    yield Buffer.from(text);
  };
  await deps.passObjects.putPieces(order, name, length, pieces());
  deps.meter.add({ cpuMs: count * CPU_MS_PER_FINDING });
  return { name, kinds: [[kind, 0, length, count]] };
}

/**
 * The earlier report, by which findings are new or mended: of this crawl, or else of the newest one before it with the
 * same seeds, because a site is mostly checked by a new crawl each time. That may be in another ledger; one that does
 * not answer is left out. Null if there is none.
 */
export async function findEarlier(deps: PassDeps, order: PassOrder): Promise<EarlierReport | null> {
  const own = await newestReport(order.crawl, order.id, deps);
  if (own !== null) return own;
  const crawl = await deps.ledger.crawl(order.crawl);
  if (crawl === null) return null;
  const { answers } = await askLedgers(deps, (each) => findBefore(crawl, order, each));
  const found = answers.flatMap((answer) => answer ?? []).sort((a, b) => b.createdAt - a.createdAt);
  return found[0]?.report ?? null;
}

/** That of the newest crawl of one ledger, with the time at which the crawl was made. */
async function findBefore(
  crawl: Crawl,
  order: PassOrder,
  deps: PassDeps,
): Promise<{ createdAt: number; report: EarlierReport } | null> {
  const seeds = seedsKey(crawl);
  for (const { id, createdAt, options } of await deps.ledger.crawls(MAX_CRAWLS)) {
    if (createdAt >= crawl.createdAt || seedsKey({ options }) !== seeds) continue;
    const report = await newestReport(id, order.id, deps);
    if (report !== null) return { createdAt, report };
  }
  return null;
}

async function newestReport(
  crawl: string,
  pass: string,
  { passes, passObjects }: PassDeps,
): Promise<EarlierReport | null> {
  for (const { id, status, finishedAt } of await passes.list(crawl)) {
    if (id === pass || status !== "completed" || finishedAt === null) continue;
    const report = await openReport({ crawl, id }, passObjects);
    if (report === null) continue;
    return { crawl, pass: id, finishedAt, kinds: Object.keys(report.header.sections) as FindingKind[] };
  }
  return null;
}

async function mergeKind(
  kind: FindingKind,
  runs: FindingRun[],
  earlier: EarlierReport | null,
  deps: PassDeps,
  order: PassOrder,
): Promise<MergedKind> {
  const { passObjects, meter } = deps;
  const later = mergeSorted(runs.map((run) => readRun(run, kind, deps, order)));
  const before =
    earlier === null ? null : await openReport({ crawl: earlier.crawl ?? order.crawl, id: earlier.pass }, passObjects);
  const counts: ReportHead["counts"] = {};
  let [parts, leftOut, findings, text] = [0, 0, 0, ""];
  const write = () => passObjects.put(order, `report-${kind}-${parts++}`, Buffer.from(text));
  for await (const finding of compareFindings(before === null ? [] : readFound(before, kind), later)) {
    // The first pass has nothing to compare with.
    const compared = before === null ? { ...finding, change: "still" as const } : finding;
    if (++findings > MAX_FINDINGS) {
      leftOut += 1;
      continue;
    }
    countFinding(counts, compared);
    text += `${JSON.stringify(compared)}\n`;
    if (text.length < PART_LENGTH) continue;
    await write();
    text = "";
  }
  if (text !== "") await write();
  meter.add({ cpuMs: findings * CPU_MS_PER_FINDING });
  return { kind, parts, count: counts[kind] ?? { found: 0, new: 0, mended: 0 }, leftOut };
}

/** Where the findings of a kind are in a run, in bytes. */
function placeOf({ kinds }: FindingRun, kind: FindingKind): { offset: number; length: number } {
  const [, offset, length] = kinds.find(([one]) => one === kind) ?? [kind, 0, 0];
  return { offset, length };
}

async function* readRun(
  run: FindingRun,
  kind: FindingKind,
  { passObjects }: PassDeps,
  order: PassOrder,
): AsyncGenerator<Finding, void> {
  const read = (offset: number, length: number) => passObjects.bytes(order, run.name, { offset, length });
  const { offset, length } = placeOf(run, kind);
  for await (const line of readLines(read, offset, length)) yield JSON.parse(new TextDecoder().decode(line)) as Finding;
}

interface Head {
  finding: Finding;
  rest: AsyncGenerator<Finding, void>;
}

/** Merges sorted lists to one: a binary heap of the first finding of each. */
async function* mergeSorted(lists: AsyncGenerator<Finding, void>[]): AsyncGenerator<Finding, void> {
  const heap: Head[] = [];
  for (const rest of lists) {
    const { value } = await rest.next();
    if (value) heap.push({ finding: value, rest });
  }
  heap.sort((a, b) => orderFindings(a.finding, b.finding));
  for (let first = heap[0]; first !== undefined; first = heap[0]) {
    yield first.finding;
    const { value } = await first.rest.next();
    if (value) first.finding = value;
    else {
      const last = heap.pop();
      if (last === undefined || last === first) continue;
      heap[0] = last;
    }
    sinkFirst(heap);
  }
}

function sinkFirst(heap: Head[]): void {
  for (let at = 0; ; ) {
    let least = at;
    for (const child of [2 * at + 1, 2 * at + 2]) if (isLess(heap[child], heap[least])) least = child;
    if (least === at) return;
    [heap[at], heap[least]] = [heap[least] as Head, heap[at] as Head];
    at = least;
  }
}

function isLess(one: Head | undefined, other: Head | undefined): boolean {
  return one !== undefined && other !== undefined && orderFindings(one.finding, other.finding) < 0;
}
