import { MINUTE_MS } from "../../core/clock.ts";
import { plural } from "../../core/shown-values.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { budgetOf } from "../../crawl/page/model-budget.ts";
import { type ModelGaps, NO_GAPS } from "../../crawl/page/model-spent.ts";
import type { FieldChange } from "../../crawl/page/page-fields.ts";
import { changedValues, type KnownValues } from "../../crawl/page/value-changes.ts";
import type { AskModel } from "../../extract/ask-for-values.ts";
import { boundExtracted } from "../../extract/bound-extracted.ts";
import type { Extracted, Extraction } from "../../extract/extraction.ts";
import type { InstalledModel } from "../../fetch/model/installed-model.ts";
import type { ExtractionRow } from "../../store/passes/extractions.ts";
import { completePass } from "../complete-pass.ts";
import { readPageContent } from "../page-content.ts";
import { type PassDeps, PassEnded, type PassOrder, type PassRun } from "../pass-run.ts";
import { askOnce } from "./ask-once.ts";
import { planSections, remakeRules } from "./learn-sections.ts";
import { mayShowModel } from "./may-show-model.ts";
import { valuesOfPage } from "./page-values.ts";
import { SectionReader } from "./section-reader.ts";

/**
 * Asks a model about the pages of a crawl that it was not asked about yet, or that have another body since, and writes
 * what it found into their rows. Where rules can be made of its answers, they read the other pages of a section. A
 * step may be repeated: answers are stored, so nobody pays twice.
 */

/** Rows of a query, and of a step: most of a watch's are not due. */
const ROWS_PER_QUERY = 2_000;
const ROWS_PER_STEP = 20_000;
/** Pages of a step; each may take two calls of some minutes, and a step ten minutes. */
const PAGES_PER_STEP = 12;
const ASKED_AT_ONCE = 4;
/** Pages of a step that rules read. Each is a call of a page fetcher, and so may be each that is asked about. */
const PAGES_BY_RULES = 20;
/** How often the pages are gone through: rules that are made on the way read earlier pages again. */
const MAX_SWEEPS = 3;
/** Steps of a pass. The next one goes on: Workflows keep what each step returned. */
const MAX_STEPS = 400;
/** A server that fails so often in a row does not work. */
const MAX_FAILED_STEPS = 4;
const MAX_REST_MS = 5 * MINUTE_MS;
const FIRST_REST_MS = 5_000;
/** Before another pass begins by itself after one that failed. */
export const POSTPONED_MS = 10 * MINUTE_MS;
/** Passes that ask about a page on which the server fails. */
const MAX_TRIES = 3;

interface Step {
  /** The next step begins after this URL. */
  after: string;
  done: boolean;
  /** Pages that were settled. */
  settled: number;
  /** Pages on which the server failed, and what it said of the last one. */
  failed: number;
  why: string | null;
  retryAfterMs: number | null;
  /** The budget has no room for another call. */
  isSpent: boolean;
  /** Sections with new samples, whose rules are to be made. */
  remake: string[];
}

export async function extractPages(run: PassRun): Promise<void> {
  const { mark } = await run.step("mark", "Looking for pages", async ({ extractions }, { crawl }) => {
    return { mark: (await extractions.mark(crawl)) ?? "" };
  });
  const state: PassState = { steps: 0, made: 0, failedSteps: 0, settled: 0, failed: 0, why: null, isSpent: false };
  for (const { section, first } of await planSections(run)) await learnSection(run, section, first, state);
  let isDone = false;
  for (let sweep = 0; sweep < MAX_SWEEPS && !state.isSpent && (sweep === 0 || isDone); sweep++) {
    const swept = await sweepPages(run, state);
    isDone = swept.isDone;
    // Other rules read the pages again that earlier ones have read.
    if (!swept.hasNewRules) break;
  }
  const isWhole = (isDone || state.isSpent) && state.failed === 0;
  await run.step("end", "Asking the model", async (deps, { crawl }) => {
    const gaps = await findGaps(crawl, state, deps);
    if (isWhole) await deps.extractions.finish(crawl, mark, gaps);
    else if (state.failed > 0) await deps.extractions.postpone(crawl, deps.clock.now() + POSTPONED_MS, gaps);
    return null;
  });
  // A crawl of few pages has no four steps.
  if (state.failed > 0 && state.settled === 0)
    throw new PassEnded(`the model failed on ${plural(state.failed, "page")}, and read none: ${state.why}`);
  await completePass(run);
}

interface PassState {
  steps: number;
  /** How often rules were made. */
  made: number;
  /** Steps in a row in which the server failed on all pages. */
  failedSteps: number;
  settled: number;
  failed: number;
  /** What the server said of the last page on which it failed. */
  why: string | null;
  isSpent: boolean;
}

/** Has a model read some pages of a section, and makes its rules; more pages where they do not suffice. */
async function learnSection(run: PassRun, section: string, first: readonly string[], state: PassState): Promise<void> {
  for (let urls = first; urls.length > 0 && !state.isSpent; ) {
    const asked = urls;
    const step = await run.step(`samples ${state.made}: ${section}`, "Asking the model", (deps, order) =>
      sampleStep(section, asked, deps, order),
    );
    state.isSpent = step.isSpent;
    state.settled += step.settled;
    // The pages of a server that fails are asked about later, and become samples then.
    if (step.settled === 0) return;
    urls = (await remakeRules(run, section, state.made++)).more;
  }
}

/** Goes through the pages once. */
async function sweepPages(run: PassRun, state: PassState): Promise<{ isDone: boolean; hasNewRules: boolean }> {
  let after = "";
  let isDone = false;
  let hasNewRules = false;
  while (state.steps < MAX_STEPS && !isDone && !state.isSpent) {
    const at = state.steps++;
    const from = after;
    const step = await run.step(`pages ${at}`, "Asking the model", (deps, order) => askStep(from, deps, order));
    state.settled += step.settled;
    state.failed += step.failed;
    state.why = step.why ?? state.why;
    state.failedSteps = step.settled > 0 || step.failed === 0 ? 0 : state.failedSteps + 1;
    if (state.failedSteps >= MAX_FAILED_STEPS) {
      await run.step("postpone", "Asking the model", async (deps, { crawl }) => {
        const gaps = await findGaps(crawl, state, deps);
        await deps.extractions.postpone(crawl, deps.clock.now() + POSTPONED_MS, gaps);
        return null;
      });
      throw new PassEnded(`the model does not answer: ${step.why}`);
    }
    for (const section of step.remake) {
      const { more, isOther } = await remakeRules(run, section, state.made++);
      hasNewRules ||= isOther;
      await learnSection(run, section, more, state);
    }
    after = step.after;
    isDone = step.done;
    state.isSpent ||= step.isSpent;
    const restMs = step.retryAfterMs ?? (state.failedSteps > 0 ? FIRST_REST_MS * 2 ** state.failedSteps : 0);
    if (!isDone && restMs > 0) await run.rest(`rest ${at}`, Math.min(restMs, MAX_REST_MS));
  }
  return { isDone, hasNewRules };
}

/** The pages are counted where some may lack an answer, as after a pass that has given up some. */
async function findGaps(id: string, { failed, why, isSpent }: PassState, deps: PassDeps): Promise<ModelGaps> {
  const before = (await deps.ledger.crawl(id))?.modelGaps ?? NO_GAPS;
  if (failed === 0 && !isSpent && before.failed === 0) return NO_GAPS;
  const found = await deps.extractions.gaps(id);
  return { ...found, why: found.failed === 0 ? null : (why ?? before.why) };
}

async function openAsking(deps: PassDeps, order: PassOrder): Promise<Asking> {
  const crawl = await deps.ledger.crawl(order.crawl);
  if (crawl === null || crawl.options.extract === null) throw new PassEnded("the crawl has nothing to extract");
  if (typeof deps.model === "string") throw new PassEnded(deps.model);
  return { crawl, extraction: crawl.options.extract, model: deps.model, deps };
}

const newStep = (): Step => ({
  ...{ after: "", done: false, settled: 0, failed: 0, why: null, retryAfterMs: null, isSpent: false, remake: [] },
});

async function askStep(from: string, deps: PassDeps, order: PassOrder): Promise<Step> {
  const asking = await openAsking(deps, order);
  const sections = await SectionReader.open(asking.crawl, deps);
  const step = newStep();
  const { rows, after, done } = await dueRows(asking.crawl.id, from, sections, deps);
  let next = 0;
  let asked = 0;
  while (next < rows.length && asked < PAGES_PER_STEP && !step.isSpent && sections.remake.size === 0) {
    const some: ExtractionRow[] = [];
    const most = Math.min(ASKED_AT_ONCE, PAGES_PER_STEP - asked);
    for (; next < rows.length && some.length < most; next++) {
      const row = rows[next] as ExtractionRow;
      const read = await sections.read(row.url);
      if (read === null) some.push(row);
      else {
        await writeFound(row, { ...read, problem: null, model: asking.model.name, cut: null }, null, asking);
        step.settled += 1;
      }
    }
    asked += some.length;
    const results = await Promise.all(some.map((row) => askAbout(row, asking)));
    for (const [i, result] of results.entries()) {
      note(result, step);
      if (result.kind === "settled") sections.learn(some[i]?.url ?? "", result.extracted);
    }
  }
  await sections.close();
  const last = rows[next - 1];
  const isCut = next < rows.length;
  return {
    ...step,
    after: isCut ? (last?.url ?? from) : after,
    done: done && !isCut,
    remake: [...sections.remake],
  };
}

/** Has the model read pages of a section, whatever is known of them. */
async function sampleStep(section: string, urls: readonly string[], deps: PassDeps, order: PassOrder): Promise<Step> {
  const asking = await openAsking(deps, order);
  const sections = await SectionReader.open(asking.crawl, deps);
  const step = newStep();
  const rows = await deps.extractions.rowsOf(asking.crawl.id, urls);
  const results = await Promise.all(rows.map((row) => askAbout(row, asking)));
  for (const [i, result] of results.entries()) {
    note(result, step);
    if (result.kind === "settled") sections.learn(rows[i]?.url ?? "", result.extracted, section);
  }
  await sections.close();
  return step;
}

/** The pages of a step, and where the next one begins. */
async function dueRows(crawl: string, from: string, sections: SectionReader, { extractions }: PassDeps) {
  const rows: ExtractionRow[] = [];
  const most = sections.hasRules ? PAGES_BY_RULES : PAGES_PER_STEP;
  let after = from;
  for (let read = 0; read < ROWS_PER_STEP; ) {
    const some = await extractions.rows(crawl, after, ROWS_PER_QUERY);
    for (const row of some) {
      after = row.url;
      if (row.isDue || sections.isOutdated(row)) rows.push(row);
      if (rows.length === most) return { rows, after, done: false };
    }
    if (some.length < ROWS_PER_QUERY) return { rows, after, done: true };
    read += some.length;
  }
  return { rows, after, done: false };
}

interface Asking {
  crawl: Crawl;
  extraction: Extraction;
  model: InstalledModel;
  deps: PassDeps;
}

type Result =
  | { kind: "settled"; extracted: Extracted }
  | { kind: "spent" }
  | { kind: "failed"; why: string; retryAfterMs: number | null };

function note(result: Result, step: Step): void {
  if (result.kind === "settled") step.settled += 1;
  else if (result.kind === "spent") step.isSpent = true;
  else {
    step.failed += 1;
    step.why = result.why;
    step.retryAfterMs = Math.max(step.retryAfterMs ?? 0, result.retryAfterMs ?? 0) || null;
  }
}

/** Writes the values of a page, and tells those that have changed. `markdown`: as in changedValues. */
async function writeFound(
  row: ExtractionRow,
  found: Extracted,
  markdown: string | null,
  asking: Asking,
): Promise<void> {
  const { crawl, deps } = asking;
  const { url, sha256 } = row;
  const extracted = boundExtracted(found);
  const changes = await findChanges(row, extracted, markdown, asking);
  const written = { url, sha256, isSettled: true, extracted: JSON.stringify(extracted), changes };
  await deps.extractions.write(crawl.id, written, deps.clock.now());
}

/** Other values of a page that is the same are no change of it: other rules have read them. */
async function findChanges(
  row: ExtractionRow,
  found: Extracted,
  markdown: string | null,
  { crawl, deps }: Asking,
): Promise<FieldChange[]> {
  if (crawl.watchingSince === null || !row.isDue || found.values === null) return [];
  const before = lastKnown(row);
  if (before === null && !(await deps.extractions.isToldAsNew(crawl.id, row.url))) return [];
  return changedValues(before, found, markdown);
}

/** What was found last in the page, also where the model has failed since; null for nothing. */
function lastKnown({ extracted }: ExtractionRow): KnownValues | null {
  if (extracted === null) return null;
  const { values, evidence, before = null } = JSON.parse(extracted) as Extracted & { before?: KnownValues | null };
  return values === null ? before : { values, evidence };
}

async function askAbout(row: ExtractionRow, asking: Asking): Promise<Result> {
  const { crawl, extraction, model, deps } = asking;
  const write = (extracted: Extracted, isSettled = true) => {
    const written = { url: row.url, sha256: row.sha256, isSettled, extracted: JSON.stringify(extracted) };
    return deps.extractions.write(crawl.id, written, deps.clock.now());
  };
  const without = (problem: string): Extracted => {
    return { values: null, evidence: [], problem, model: model.name, cut: null };
  };
  const refused = await mayShowModel(crawl, row.url, deps);
  const read =
    refused === null
      ? await readPageContent(crawl, row.url, ["markdown"], deps, await deps.records.packed(crawl.id, row.url))
      : null;
  if (read === null) {
    const extracted = without(refused ?? "it could not be read");
    await write(extracted);
    return { kind: "settled", extracted };
  }
  const ask: AskModel = askOnce(crawl.id, budgetOf(crawl.options), model, deps.modelAnswers);
  const found = await valuesOfPage(row.url, read.content, extraction, model, ask);
  if ("extracted" in found) {
    await writeFound(row, found.extracted, read.content.markdown ?? "", asking);
    return { kind: "settled", extracted: found.extracted };
  }
  const { asked } = found;
  if (asked.kind === "spent") return { kind: "spent" };
  const tries = triesOf(row) + 1;
  const failure = { ...without(asked.detail), tries, before: lastKnown(row) };
  await write(failure, tries >= MAX_TRIES);
  return { kind: "failed", why: asked.detail, retryAfterMs: asked.kind === "later" ? asked.retryAfterMs : null };
}

/** How often the server failed on this page. */
function triesOf({ extracted }: ExtractionRow): number {
  return extracted === null ? 0 : ((JSON.parse(extracted) as { tries?: number }).tries ?? 0);
}
