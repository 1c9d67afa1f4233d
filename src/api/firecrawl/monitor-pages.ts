import type { Crawl } from "../../crawl/crawl.ts";
import type { FieldChange } from "../../crawl/page/page-fields.ts";
import type { Change } from "../../crawl/watch/watch.ts";
import { diffPage } from "../../frontier/visits/diff-page.ts";
import { viewDiff } from "../changes/diff-schemas.ts";
import { diffLines } from "../mcp/diff-lines.ts";
import { explanationOf } from "../records/record-schemas.ts";
import { type Check, changesOf, isFirst, type PageStatus, statusOfChange } from "./monitor-checks.ts";
import type { MonitorDeps } from "./needs.ts";

/** The pages of a check, with what changed in them. */

export interface CheckPage {
  id: string;
  targetId: string;
  url: string;
  status: PageStatus;
  statusCode: number | null;
  error: string | null;
  diff: { text?: string; json?: Record<string, { previous: unknown; current: unknown }> } | null;
  createdAt: string;
}

/** Two stored versions are read for each. */
const MAX_DIFFS = 20;
/** Records read at a time. */
const BATCH = 500;

interface PagesRequest {
  skip: number;
  limit: number;
  status?: PageStatus | undefined;
}

/** Pages of which something was told come first. `hasMore`: whether there are pages after these. */
export async function readCheckPages(
  crawl: Crawl,
  check: Check,
  { skip, limit, status }: PagesRequest,
  deps: MonitorDeps,
): Promise<{ pages: CheckPage[]; hasMore: boolean }> {
  const pages: CheckPage[] = [];
  let passed = 0;
  for await (const page of pagesOf(crawl, check, deps)) {
    if (status !== undefined && page.status !== status) continue;
    if (passed++ < skip) continue;
    if (pages.length === limit) return { pages: await withDiffs(crawl, check, pages, deps), hasMore: true };
    pages.push(page);
  }
  return { pages: await withDiffs(crawl, check, pages, deps), hasMore: false };
}

async function* pagesOf(crawl: Crawl, check: Check, deps: MonitorDeps): AsyncGenerator<CheckPage> {
  const told = await changesOf(crawl, check, deps);
  for (const change of told.values()) yield toldPage(change);
  const isNewest = check.until > deps.clock.now();
  const unchanged: PageStatus = isFirst(crawl, check) ? "new" : "same";
  for (let cursor: string | null = ""; cursor !== null; ) {
    const rows = await deps.records.list(crawl.id, { cursor, limit: BATCH });
    for (const { url, kind, status, reason, detail, httpStatus, fetchedAt } of rows) {
      if (kind !== "page" || told.has(url)) continue;
      const known = { id: url, targetId: "0", url, statusCode: httpStatus, diff: null };
      const createdAt = new Date(fetchedAt ?? check.from).toISOString();
      if (status === "completed") yield { ...known, status: unchanged, error: null, createdAt };
      else if (status === "errored" && isNewest && reason !== null)
        yield { ...known, status: "error", error: explanationOf(reason, detail), createdAt };
    }
    cursor = rows.length < BATCH ? null : (rows.at(-1)?.url ?? null);
  }
}

function toldPage(change: Change): CheckPage {
  const { url, at, detail, kind, fields } = change;
  return {
    id: url,
    targetId: "0",
    url,
    status: statusOfChange(change),
    statusCode: null,
    error: kind === "removed" || kind === "moved" ? detail : null,
    diff: fields === undefined ? null : { json: jsonOf(fields) },
    createdAt: new Date(at).toISOString(),
  };
}

function jsonOf(fields: readonly FieldChange[]) {
  return Object.fromEntries(fields.map(({ name, before, after }) => [name, { previous: before, current: after }]));
}

/** Adds the texts that changed in the first of these pages. */
async function withDiffs(
  crawl: Crawl,
  { from, until }: Check,
  pages: CheckPage[],
  deps: MonitorDeps,
): Promise<CheckPage[]> {
  const changed = pages.filter(({ status }) => status === "changed").slice(0, MAX_DIFFS);
  for (const page of changed) {
    const result = await diffPage(crawl, page.url, { from: from - 1, to: until - 1, isFull: false }, deps);
    if (result.kind === "diff") page.diff = { text: diffLines(viewDiff(page.url, result)).join("\n"), ...page.diff };
  }
  return pages;
}
