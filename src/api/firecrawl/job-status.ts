import { DAY_MS } from "../../core/clock.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import type { Format } from "../../crawl/page/page-format.ts";
import { type FirecrawlDocument, formatsToRead } from "../../notices/firecrawl-document.ts";
import { startExtraction } from "../../passes/extract/start-extraction.ts";
import { readRecords } from "../../reading/records/read-records.ts";
import type { JobStatus } from "./firecrawl-answers.ts";
import type { DocumentDeps, JobStateDeps } from "./needs.ts";
import { documentOf, openDocuments } from "./read-document.ts";

/** A crawl as the job that Firecrawl's clients ask for: a crawl, a batch, or any other crawl of this installation. */

export interface JobView {
  success: true;
  status: JobStatus;
  total: number;
  completed: number;
  creditsUsed: number;
  expiresAt?: string;
}

/** Documents with pictures in one answer: each has some hundred kilobytes. */
const MAX_PICTURES = 20;

/** `total` is without URLs that turned out to be no page, as theirs is. */
export async function viewJobStatus(crawl: Crawl, deps: JobStateDeps): Promise<JobView> {
  const { counters, assets, options, finishedAt } = crawl;
  const pagesCompleted = counters.completed - assets.completed;
  const open = counters.pending + counters.queued - assets.pending - assets.queued;
  const failed = counters.errored + counters.disallowed + counters.cancelled;
  const expiresAt =
    options.retentionDays === 0 || finishedAt === null ? null : finishedAt + options.retentionDays * DAY_MS;
  return {
    success: true,
    status: (await isAskingModel(crawl, deps)) ? "scraping" : jobStatusOf(crawl),
    total: pagesCompleted + open + failed,
    completed: pagesCompleted,
    creditsUsed: 0,
    ...(expiresAt === null ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
  };
}

/**
 * Whether the job has ended but for its values: theirs come with its pages. Somebody waits for them, so the pass that
 * the next heartbeat would begin begins now.
 */
export async function isAskingModel(crawl: Crawl, deps: JobStateDeps): Promise<boolean> {
  const { id, status, options } = crawl;
  if (options.extract === null || status !== "completed" || !(await deps.extractions.isOpen(id))) return false;
  await startExtraction(crawl, deps);
  return true;
}

/** They have no pause and no watch: a paused crawl goes on scraping, and a watch has completed its first crawl. */
function jobStatusOf({ status, watchingSince }: Crawl): JobStatus {
  if (status === "watching" || watchingSince !== null) return "completed";
  if (status === "running" || status === "paused") return "scraping";
  if (status === "completed") return "completed";
  return status === "errored" ? "failed" : "cancelled";
}

/** Documents of completed pages after the cursor, in the order of their URLs. */
export async function readDocuments(
  crawl: Crawl,
  { cursor, limit }: { cursor: string; limit: number },
  deps: DocumentDeps,
): Promise<{ data: FirecrawlDocument[]; cursor: string | null }> {
  const { screenshot } = crawl.options;
  const query = {
    cursor,
    limit: screenshot ? Math.min(limit, MAX_PICTURES) : limit,
    status: "completed" as const,
    sort: "url" as const,
    order: "asc" as const,
    formats: formatsToRead(formatsOf(crawl)),
  };
  const { records, cursor: next } = await readRecords(crawl, query, await openDocuments(crawl, deps));
  const pages = records.filter(({ record }) => record.kind === "page");
  const data = await Promise.all(pages.map((page) => documentOf(crawl, page, { screenshot }, deps)));
  return { data, cursor: next };
}

/** The formats of a job's documents. A crawl that was started elsewhere may ask for none. */
export function formatsOf({ options }: Crawl): readonly Format[] {
  const isSilent =
    options.formats.length === 0 && !options.screenshot && options.fields.length === 0 && options.extract === null;
  return isSilent ? ["markdown"] : options.formats;
}
