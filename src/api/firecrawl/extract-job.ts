import type { Crawl } from "../../crawl/crawl.ts";
import { describeReason } from "../../crawl/page/reason.ts";
import type { Extracted, Json } from "../../extract/extraction.ts";
import { mergeValues, type ValuesOfPage } from "../../extract/merge-values.ts";
import { viewJobStatus } from "./job-status.ts";
import type { ExtractJobDeps } from "./needs.ts";

/** A crawl with `extract` as the job of POST /v2/extract: one object of values of all its pages. */

/** Records that are read for one answer. */
const MOST_PAGES = 1_000;
/** Pages whose problems are named. */
const MOST_NAMED = 5;

export interface ExtractJob {
  success: true;
  id: string;
  status: "processing" | "completed" | "failed" | "cancelled";
  data?: Json;
  sources?: Record<string, string[]>;
  error?: string;
  warning?: string;
  expiresAt?: string;
  creditsUsed: number;
}

export async function readExtractJob(crawl: Crawl, deps: ExtractJobDeps): Promise<ExtractJob> {
  const { status, expiresAt, creditsUsed } = await viewJobStatus(crawl, deps);
  const job = { success: true as const, id: crawl.id, creditsUsed, ...(expiresAt === undefined ? {} : { expiresAt }) };
  if (status === "scraping") return { ...job, status: "processing" };
  if (status === "cancelled") return { ...job, status };
  const found: ValuesOfPage[] = [];
  const problems: string[] = [];
  const records = await deps.records.list(crawl.id, { cursor: "", limit: MOST_PAGES });
  for (const record of records.filter(({ kind }) => kind === "page")) {
    const { url, status: outcome, reason, extracted } = record;
    if (outcome !== "completed") {
      if (reason !== "redirected") problems.push(`${url}: ${describeReason(record)}`);
      continue;
    }
    const { values, problem } = JSON.parse(extracted ?? "null") ?? NOT_ASKED;
    if (problem !== null) problems.push(`${url}: ${problem}`);
    found.push({ url, values });
  }
  const { values, sources } = mergeValues(inOrderOf(crawl.options.urls, found));
  const warning = problems.slice(0, MOST_NAMED).join("; ");
  if (values === null && problems.length > 0) return { ...job, status: "failed", error: warning };
  return { ...job, status: "completed", data: values, sources, ...(warning === "" ? {} : { warning }) };
}

const NOT_ASKED: Pick<Extracted, "values" | "problem"> = { values: null, problem: "no model was asked about it" };

/** The pages that were named, as they were named, and then the others by their URLs. */
function inOrderOf(urls: readonly string[], found: ValuesOfPage[]): ValuesOfPage[] {
  const place = ({ url }: ValuesOfPage) => (urls.includes(url) ? urls.indexOf(url) : urls.length);
  return found.toSorted((a, b) => place(a) - place(b));
}
