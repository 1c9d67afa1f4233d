import { duration } from "../../core/shown-values.ts";
import type { Crawl, CrawlUrl } from "../../crawl/crawl.ts";
import type { CrawlOptions } from "../../crawl/crawl-options.ts";
import { cutPage } from "../../crawl/list-cursor.ts";
import { type ModelBudget, usdAt } from "../../crawl/page/model-budget.ts";
import type { ModelSpent } from "../../crawl/page/model-spent.ts";
import type { StoredPage } from "../../crawl/page/outcome.ts";
import type { StoredContent } from "../../crawl/page/page-format.ts";
import { MOST_ASKED, type ValueCheck, type ValuedRecord } from "../../crawl/page/value-check.ts";
import type { Asked, AskModel } from "../../extract/ask-for-values.ts";
import type { Extraction } from "../../extract/extraction.ts";
import type { InstalledModel } from "../../fetch/model/installed-model.ts";
import { ASKS_NOTHING } from "../../fetch/request/page-request.ts";
import type { Platform } from "../../frontier/deps.ts";
import type { FetchOnceDeps } from "../../frontier/lane/fetch-once.ts";
import { askOnce, askPatiently } from "../../passes/extract/ask-once.ts";
import { MODEL_USES, mayShowModel } from "../../passes/extract/may-show-model.ts";
import { valuesOfPage } from "../../passes/extract/page-values.ts";
import { readOrMake } from "../../passes/page-content.ts";
import { productToken } from "../../robots/product-token.ts";

import type { ValueDeps } from "../needs.ts";
import { fetchUnlisted } from "./fetch-unlisted.ts";

/** Finds values in pages by the installation's model, for a request. Of a crawl's pages, the answers are kept. */

/** A request waits for a server that is busy, but nobody waits for minutes. */
const PATIENCE = { tries: 3, mostWaitMs: 20_000 };
const NO_LIMIT: ModelBudget = { calls: null, usd: null, prices: { input: 0, output: 0 } };
const ASKED_AT_ONCE = 3;

/** Nothing is stored. The page is asked for with the purpose `ai-input`, and what robots.txt refuses is not sent. */
export async function extractFetched(
  url: string,
  extraction: Extraction,
  model: InstalledModel,
  options: CrawlOptions,
  deps: ValueDeps & FetchOnceDeps & Pick<Platform, "clock">,
): Promise<ValueCheck> {
  const declared: CrawlOptions = { ...options, ...MODEL_USES };
  const wants = { ...ASKS_NOTHING, pageRobots: true };
  const fetched = await fetchUnlisted({ url, name: "extract", wants }, declared, deps);
  if (fetched.page === null) return nothing(fetched.url, fetched.httpStatus, fetched.problem);
  const { body, contentType, headers } = fetched.page;
  const stored: StoredPage = { body, contentType, headers, httpStatus: fetched.httpStatus ?? 200 };
  const request = { url: fetched.url, agent: productToken(options.userAgent), scriptLinks: false };
  const json = await deps.readContent(stored, { ...request, preferMarkdown: false, parts: ["markdown"] });
  const content = JSON.parse(new TextDecoder().decode(json)) as StoredContent;
  return check(fetched.url, fetched.httpStatus, content, extraction, model, model.ask, deps.clock);
}

/** Null if the crawl stores no such page. */
export async function extractStored(
  crawl: Crawl,
  url: string,
  extraction: Extraction,
  model: InstalledModel,
  deps: ValueDeps & Pick<Platform, "clock">,
  budget: ModelBudget = NO_LIMIT,
): Promise<ValueCheck | null> {
  const read = await readOrMake(crawl, url, ["markdown"], deps, await deps.records.packed(crawl.id, url));
  if (read === null) return null;
  const refused = await mayShowModel(crawl, url, deps);
  if (refused !== null) return nothing(url, null, refused);
  const ask = askOnce(crawl.id, budget, model, deps.modelAnswers);
  return check(url, null, read.content, extraction, model, ask, deps.clock);
}

/**
 * Completed pages in the order of their URLs, at most ten: each may take a minute. `most`: what the request may spend,
 * beside what the crawl has spent before. `spent`: what it has spent; answers that were stored already cost nothing.
 */
export async function extractRecords(
  crawl: Crawl,
  { cursor, limit }: { cursor: string; limit: number },
  extraction: Extraction,
  model: InstalledModel,
  most: ModelBudget,
  given: ValueDeps & Pick<Platform, "clock">,
): Promise<{ records: ValuedRecord[]; cursor: string | null; spent: ModelSpent }> {
  const spent: ModelSpent = { calls: 0, input: 0, output: 0 };
  const deps = { ...given, modelAnswers: countPaid(given.modelAnswers, spent) };
  const budget = beside(crawl.model, most);
  const asked = Math.min(limit, MOST_ASKED);
  const query = { cursor, limit: asked + 1, only: "pages", status: "completed" } as const;
  const found = await deps.records.listUntil(crawl.id, query);
  const { page: rows, cursor: next } = cutPage(found, asked, ({ url }) => url);
  const records: ValuedRecord[] = [];
  for (let at = 0; at < rows.length; at += ASKED_AT_ONCE)
    records.push(
      ...(await Promise.all(
        rows.slice(at, at + ASKED_AT_ONCE).map((row) => extractRow(crawl, row, extraction, model, budget, deps)),
      )),
    );
  return { records, cursor: next, spent };
}

/** A limit beside what was spent before. */
function beside(before: ModelSpent, { calls, usd, prices }: ModelBudget): ModelBudget {
  const known = usdAt(prices, before);
  return { calls: calls === null ? null : before.calls + calls, usd: usd === null ? null : known + usd, prices };
}

/** The same answers, with what is paid for them. */
function countPaid(answers: ValueDeps["modelAnswers"], spent: ModelSpent): ValueDeps["modelAnswers"] {
  return {
    find: (crawl, key) => answers.find(crawl, key),
    release: (crawl, reserved) => answers.release(crawl, reserved),
    reserve: async (crawl, most, budget) => {
      const isReserved = await answers.reserve(crawl, most, budget);
      if (isReserved) spent.calls += 1;
      return isReserved;
    },
    keep: async (crawl, key, reply, reserved) => {
      spent.input += reply.tokens.input;
      spent.output += reply.tokens.output;
      await answers.keep(crawl, key, reply, reserved);
    },
  };
}

async function extractRow(
  crawl: Crawl,
  record: CrawlUrl,
  extraction: Extraction,
  model: InstalledModel,
  budget: ModelBudget,
  deps: ValueDeps & Pick<Platform, "clock">,
): Promise<ValuedRecord> {
  try {
    const found = await extractStored(crawl, record.url, extraction, model, deps, budget);
    if (found === null) return { record, extracted: null, problem: "it is not in the mirror, or has no text" };
    return { record, extracted: found.extracted, problem: found.problem };
  } catch (error) {
    return { record, extracted: null, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Values of content that is there. Nothing is stored. */
export async function extractContent(
  url: string,
  content: StoredContent,
  extraction: Extraction,
  model: InstalledModel,
  clock: Platform["clock"],
): Promise<ValueCheck> {
  return check(url, null, content, extraction, model, model.ask, clock);
}

async function check(
  url: string,
  httpStatus: number | null,
  content: StoredContent,
  extraction: Extraction,
  model: InstalledModel,
  ask: AskModel,
  clock: Platform["clock"],
): Promise<ValueCheck> {
  const spent: ModelSpent = { calls: 0, input: 0, output: 0 };
  const patient = askPatiently(counting(ask, spent), PATIENCE, clock);
  const found = await valuesOfPage(url, content, extraction, model, patient);
  const base = { url, httpStatus, title: content.metadata.title, text: found.page?.text ?? null, spent };
  if ("asked" in found) return { ...base, extracted: null, problem: describeFailure(found.asked) };
  return { ...base, extracted: found.page === null ? null : found.extracted, problem: found.extracted.problem };
}

function counting(ask: AskModel, spent: ModelSpent): AskModel {
  return async (question) => {
    const reply = await ask(question);
    if (reply.kind === "spent") return reply;
    spent.calls += 1;
    if (reply.kind === "answer") {
      spent.input += reply.tokens.input;
      spent.output += reply.tokens.output;
    }
    return reply;
  };
}

function describeFailure(asked: Exclude<Asked, { kind: "answer" }>): string {
  if (asked.kind !== "later" || asked.retryAfterMs === null) return asked.detail;
  return `${asked.detail}; it may be asked again in ${duration(Math.ceil(asked.retryAfterMs / 1_000))}`;
}

function nothing(url: string, httpStatus: number | null, problem: string): ValueCheck {
  const spent = { calls: 0, input: 0, output: 0 };
  return { url, httpStatus, title: null, text: null, extracted: null, spent, problem };
}
