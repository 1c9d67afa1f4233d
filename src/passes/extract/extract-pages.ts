import { MINUTE_MS } from "../../core/clock.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { budgetOf } from "../../crawl/page/model-budget.ts";
import { boundExtracted } from "../../extract/bound-extracted.ts";
import type { AskModel } from "../../extract/ask-for-values.ts";
import type { Extracted, Extraction } from "../../extract/extraction.ts";
import type { InstalledModel } from "../../fetch/model/installed-model.ts";
import type { ExtractionRow } from "../../store/passes/extractions.ts";
import { completePass } from "../complete-pass.ts";
import { readPageContent } from "../page-content.ts";
import { type PassDeps, PassEnded, type PassOrder, type PassRun } from "../pass-run.ts";
import { askOnce } from "./ask-once.ts";
import { mayShowModel } from "./may-show-model.ts";
import { valuesOfPage } from "./page-values.ts";

/**
 * Asks a model about the pages of a crawl that it was not asked about yet, or that have another body since, and writes
 * what it found into their rows. A step may be repeated: answers are stored, so nobody pays twice.
 */

/** Rows of a query, and of a step: most of a watch's are not due. */
const ROWS_PER_QUERY = 2_000;
const ROWS_PER_STEP = 20_000;
/** Pages of a step; each may take two calls of some minutes, and a step ten minutes. */
const PAGES_PER_STEP = 12;
const ASKED_AT_ONCE = 4;
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
}

export async function extractPages(run: PassRun): Promise<void> {
  const { mark } = await run.step("mark", "Looking for pages", async ({ extractions }, { crawl }) => {
    return { mark: (await extractions.mark(crawl)) ?? "" };
  });
  let after = "";
  let failedSteps = 0;
  let failed = 0;
  let isDone = false;
  for (let at = 0; at < MAX_STEPS && !isDone; at++) {
    const from = after;
    const step = await run.step(`pages ${at}`, "Asking the model", (deps, order) => askStep(from, deps, order));
    failed += step.failed;
    failedSteps = step.settled > 0 || step.failed === 0 ? 0 : failedSteps + 1;
    if (failedSteps >= MAX_FAILED_STEPS) {
      await run.step("postpone", "Asking the model", (deps, order) => postpone(deps, order));
      throw new PassEnded(`the model does not answer: ${step.why}`);
    }
    after = step.after;
    isDone = step.done || step.isSpent;
    const restMs = step.retryAfterMs ?? (failedSteps > 0 ? FIRST_REST_MS * 2 ** failedSteps : 0);
    if (!isDone && restMs > 0) await run.rest(`rest ${at}`, Math.min(restMs, MAX_REST_MS));
  }
  const isWhole = isDone && failed === 0;
  await run.step("end", "Asking the model", async (deps, { crawl }) => {
    if (isWhole) await deps.extractions.finish(crawl, mark);
    else if (failed > 0) await deps.extractions.postpone(crawl, deps.clock.now() + POSTPONED_MS);
    return null;
  });
  await completePass(run);
}

async function postpone({ extractions, clock }: PassDeps, { crawl }: PassOrder): Promise<null> {
  await extractions.postpone(crawl, clock.now() + POSTPONED_MS);
  return null;
}

async function askStep(from: string, deps: PassDeps, order: PassOrder): Promise<Step> {
  const crawl = await deps.ledger.crawl(order.crawl);
  if (crawl === null || crawl.options.extract === null) throw new PassEnded("the crawl has nothing to extract");
  if (typeof deps.model === "string") throw new PassEnded(deps.model);
  const asking: Asking = { crawl, extraction: crawl.options.extract, model: deps.model, deps };
  const { rows, after, done } = await dueRows(crawl.id, from, deps);
  const step: Step = { after, done, settled: 0, failed: 0, why: null, retryAfterMs: null, isSpent: false };
  for (let at = 0; at < rows.length && !step.isSpent; at += ASKED_AT_ONCE) {
    const results = await Promise.all(rows.slice(at, at + ASKED_AT_ONCE).map((row) => askAbout(row, asking)));
    for (const result of results) note(result, step);
  }
  return step;
}

/** The pages of a step, and where the next one begins. */
async function dueRows(crawl: string, from: string, { extractions }: PassDeps) {
  const rows: ExtractionRow[] = [];
  let after = from;
  for (let read = 0; read < ROWS_PER_STEP; ) {
    const some = await extractions.rows(crawl, after, ROWS_PER_QUERY);
    for (const row of some) {
      after = row.url;
      if (row.isDue) rows.push(row);
      if (rows.length === PAGES_PER_STEP) return { rows, after, done: false };
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

type Result = { kind: "settled" } | { kind: "spent" } | { kind: "failed"; why: string; retryAfterMs: number | null };

function note(result: Result, step: Step): void {
  if (result.kind === "settled") step.settled += 1;
  else if (result.kind === "spent") step.isSpent = true;
  else {
    step.failed += 1;
    step.why = result.why;
    step.retryAfterMs = Math.max(step.retryAfterMs ?? 0, result.retryAfterMs ?? 0) || null;
  }
}

async function askAbout(row: ExtractionRow, { crawl, extraction, model, deps }: Asking): Promise<Result> {
  const write = (extracted: Extracted, isSettled = true) =>
    deps.extractions.write(crawl.id, {
      ...{ url: row.url, sha256: row.sha256, isSettled },
      extracted: JSON.stringify(boundExtracted(extracted)),
    });
  const without = (problem: string): Extracted => {
    return { values: null, evidence: [], problem, model: model.name, cut: null };
  };
  const refused = await mayShowModel(crawl, row.url, deps);
  const read = refused === null ? await readPageContent(crawl, row.url, ["markdown"], deps) : null;
  if (read === null) {
    await write(without(refused ?? "it could not be read"));
    return { kind: "settled" };
  }
  const ask: AskModel = askOnce(crawl.id, budgetOf(crawl.options), model, deps.modelAnswers);
  const found = await valuesOfPage(row.url, read.content, extraction, model, ask);
  if ("extracted" in found) {
    await write(found.extracted);
    return { kind: "settled" };
  }
  const { asked } = found;
  if (asked.kind === "spent") return { kind: "spent" };
  const tries = triesOf(row) + 1;
  const failure = { ...without(asked.detail), tries };
  await write(failure, tries >= MAX_TRIES);
  return { kind: "failed", why: asked.detail, retryAfterMs: asked.kind === "later" ? asked.retryAfterMs : null };
}

/** How often the server failed on this page. */
function triesOf({ extracted }: ExtractionRow): number {
  return extracted === null ? 0 : ((JSON.parse(extracted) as { tries?: number }).tries ?? 0);
}
