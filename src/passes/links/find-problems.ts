import { unpackJson } from "../../core/formats/gzip-json.ts";
import { PAGE_LIMITS, type PageLimits } from "../../graph/problems/find-page-problems.ts";
import { FINDING_KINDS, type Finding, type FindingKind, orderFindings } from "../../graph/problems/finding.ts";
import { findInPage, findInRow, tellTwin } from "../../graph/problems/findings.ts";
import { type Listed, ROWS_PER_RANGE, readRange } from "../list-rows.ts";
import { countMemberSteps, memberGroups } from "../members.ts";
import type { PassDeps, PassOrder, PassRun } from "../pass-run.ts";
import { readTwins } from "../text/find-twins.ts";
import { readPages } from "../text/read-pages.ts";
import { readBrokenExternals } from "./check-externals.ts";
import { openSite } from "./gather-facts.ts";
import { readMissingFragments, readNotes, readSources } from "./note-pages.ts";

/** Finds what is wrong with rows and pages: sorted runs of findings, objects `found-NAME-N`, a line each. */

const RANGES_PER_STEP = 10;
/** Findings of a run, in memory at once: some 15 MB. */
const FINDINGS_PER_RUN = 20_000;
/** Their ids take 2 s of CPU time. */
const MAX_FINDINGS_PER_STEP = 200_000;
/** Estimates, for the bill: twice what pages with 50 links take. */
const CPU_MS_PER_PAGE = 0.35;
const CPU_MS_PER_ROW = 0.02;

/** The most findings of a kind that are kept. */
export const MAX_FINDINGS = 1_000_000;

/** A run: its object, and where each kind is in it, in bytes. */
export interface FindingRun {
  name: string;
  /** `count`: of the findings; absent in runs of an earlier version. */
  kinds: [kind: FindingKind, offset: number, length: number, count?: number][];
}

interface FoundInStep {
  runs: FindingRun[];
  /** Findings that were too many. */
  leftOut: number;
  /** Likewise, by kind: those beyond `MAX_FINDINGS`. */
  beyond?: Partial<Record<FindingKind, number>>;
}

/** What all steps found. */
export interface Found {
  runs: FindingRun[];
  leftOut: number;
  /** The kinds of which findings were left out. */
  cut: FindingKind[];
}

/** The number of steps of `findProblems`. */
export function countFindSteps({ ranges, members }: Listed): number {
  return Math.ceil(ranges / RANGES_PER_STEP) + countMemberSteps(members);
}

export async function findProblems(
  run: PassRun,
  { ranges, members }: Listed,
  limits: PageLimits = PAGE_LIMITS,
): Promise<Found> {
  const found: FoundInStep[] = [];
  for (let first = 0; first < ranges; first += RANGES_PER_STEP) {
    const end = Math.min(first + RANGES_PER_STEP, ranges);
    const known = countKinds(found);
    found.push(
      await run.step(`problems of rows ${first}`, "Checking the URLs", (deps, order) =>
        checkRows(first, end, limits, known, deps, order),
      ),
    );
  }
  for (const { group, numbers } of memberGroups(members)) {
    const known = countKinds(found);
    found.push(
      await run.step(`problems of pages ${group}`, "Checking the links", (deps, order) =>
        checkPages(group, numbers(), known, deps, order),
      ),
    );
  }
  const cut = new Set(found.flatMap(({ beyond = {} }) => Object.keys(beyond) as FindingKind[]));
  return {
    runs: found.flatMap(({ runs }) => runs),
    leftOut: found.reduce((sum, { leftOut }) => sum + leftOut, 0),
    cut: [...cut],
  };
}

type KindCounts = ReadonlyMap<FindingKind, number>;

/** How many findings of each kind are kept so far. */
function countKinds(found: readonly FoundInStep[]): KindCounts {
  const counts = new Map<FindingKind, number>();
  for (const { runs } of found)
    for (const { kinds } of runs)
      for (const [kind, , , count = 0] of kinds) counts.set(kind, (counts.get(kind) ?? 0) + count);
  return counts;
}

async function checkRows(
  first: number,
  end: number,
  limits: PageLimits,
  known: KindCounts,
  deps: PassDeps,
  order: PassOrder,
): Promise<FoundInStep> {
  const { site: siteFacts } = await openSite(deps, order);
  const site = { ...siteFacts, redirectSources: await readSources(deps, order) };
  const sitemaps = new Set(unpackJson<string[]>(await deps.passObjects.bytes(order, "sitemaps")));
  const runs = new FindingRuns(`rows-${first}`, known, deps, order);
  for (let range = first; range < end; range++) {
    const rows = await readRange(range, deps, order);
    const twins = await readTwins(range, deps, order);
    for (const [i, row] of rows.entries()) {
      const { url, via, reason, durationMs, bytes, words, shell = null } = row;
      const facts = {
        url,
        isSeed: via === null,
        isInSitemap: via !== null && sitemaps.has(via),
        isSoft404: reason === "soft-404",
        detail: row.detail,
        isNoindex: reason === "noindex",
        isRobots: reason === "robots",
        durationMs,
        bytes,
        words,
        shell,
      };
      const twin = twins.get(i);
      if (twin !== undefined && !twin.isDeclared) await runs.add(tellTwin(url, twin.original, twin.similarity));
      for (const finding of findInRow(range * ROWS_PER_RANGE + i, facts, site, limits)) await runs.add(finding);
    }
    deps.meter.add({ cpuMs: rows.length * CPU_MS_PER_ROW });
  }
  return runs.end();
}

async function checkPages(
  group: number,
  numbers: number[],
  known: KindCounts,
  deps: PassDeps,
  order: PassOrder,
): Promise<FoundInStep> {
  const { index, site: facts } = await openSite(deps, order);
  const site = { ...facts, brokenExternals: await readBrokenExternals(deps, order) };
  const notes = await readNotes(deps, order);
  const missing = await readMissingFragments(deps, order);
  const runs = new FindingRuns(`pages-${group}`, known, deps, order);
  for await (const { node, page } of readPages(numbers, index, deps, order)) {
    deps.meter.add({ cpuMs: CPU_MS_PER_PAGE });
    for (const finding of findInPage(node, page, site, notes, missing)) await runs.add(finding);
  }
  return runs.end();
}

/** Sorts findings, and writes them in runs. Of a kind that has enough, it only counts them. */
class FindingRuns {
  readonly #name: string;
  readonly #deps: PassDeps;
  readonly #order: PassOrder;
  readonly #runs: FindingRun[] = [];
  /** By kind, with those of the steps before. */
  readonly #counts: Map<FindingKind, number>;
  readonly #beyond = new Map<FindingKind, number>();
  #findings: Finding[] = [];
  #leftOut = 0;

  constructor(name: string, known: KindCounts, deps: PassDeps, order: PassOrder) {
    this.#name = name;
    this.#counts = new Map(known);
    this.#deps = deps;
    this.#order = order;
  }

  async add(finding: Finding): Promise<void> {
    const { kind } = finding;
    const known = this.#counts.get(kind) ?? 0;
    if (known >= MAX_FINDINGS) {
      this.#leftOut += 1;
      this.#beyond.set(kind, (this.#beyond.get(kind) ?? 0) + 1);
      return;
    }
    if (this.#runs.length * FINDINGS_PER_RUN >= MAX_FINDINGS_PER_STEP) {
      this.#leftOut += 1;
      return;
    }
    this.#counts.set(kind, known + 1);
    if (this.#findings.push(finding) >= FINDINGS_PER_RUN) await this.#write();
  }

  async end(): Promise<FoundInStep> {
    if (this.#findings.length > 0) await this.#write();
    return { runs: this.#runs, leftOut: this.#leftOut, beyond: Object.fromEntries(this.#beyond) };
  }

  async #write(): Promise<void> {
    const name = `found-${this.#name}-${this.#runs.length}`;
    const byKind = Map.groupBy(this.#findings.sort(orderFindings), ({ kind }) => kind);
    const kinds: FindingRun["kinds"] = [];
    const parts: Uint8Array[] = [];
    let offset = 0;
    for (const kind of Object.keys(FINDING_KINDS) as FindingKind[]) {
      const lines = byKind.get(kind)?.map((finding) => `${JSON.stringify(finding)}\n`);
      if (lines === undefined) continue;
      const bytes = Buffer.from(lines.join(""));
      kinds.push([kind, offset, bytes.length, lines.length]);
      parts.push(bytes);
      offset += bytes.length;
    }
    await this.#deps.passObjects.put(this.#order, name, Buffer.concat(parts));
    this.#runs.push({ name, kinds });
    this.#findings = [];
  }
}
