import type { Crawl, CrawlUrl } from "../../crawl/crawl.ts";
import { cutPage } from "../../crawl/list-cursor.ts";
import { MOST_REREAD, type RereadRecord } from "../../crawl/page/field-check.ts";
import type { RulesOf } from "../../crawl/page/page-fields.ts";
import { valuesOf } from "../../media/html/fields/field-rule.ts";
import { readRenderedPage } from "../../store/mirror/read-mirror.ts";
import type { FieldDeps } from "../needs.ts";
import { READ_AT_ONCE } from "./read-row.ts";

/** Reads stored pages of a crawl again by other rules than the crawl's own. Nothing is stored. */

/** Completed pages in the order of their URLs, at most 24: each is read in an invocation of its own. */
export async function readStoredFields(
  crawl: Crawl,
  { cursor, limit, rulesOf }: { cursor: string; limit: number; rulesOf: RulesOf },
  deps: FieldDeps,
): Promise<{ records: RereadRecord[]; cursor: string | null }> {
  const most = Math.min(limit, MOST_REREAD);
  const query = { cursor, limit: most + 1, only: "pages", status: "completed" } as const;
  const found = await deps.records.listUntil(crawl.id, query);
  const { page: rows, cursor: next } = cutPage(found, most, ({ url }) => url);
  const records: RereadRecord[] = [];
  for (let at = 0; at < rows.length; at += READ_AT_ONCE)
    records.push(
      ...(await Promise.all(rows.slice(at, at + READ_AT_ONCE).map((row) => reread(crawl, row, rulesOf, deps)))),
    );
  return { records, cursor: next };
}

async function reread(crawl: Crawl, row: CrawlUrl, rulesOf: RulesOf, deps: FieldDeps): Promise<RereadRecord> {
  const rules = rulesOf(row.url);
  const record = { ...row, fields: null };
  if (rules === null) return { record, readings: [], problem: null };
  try {
    const stored = await readRenderedPage(crawl, row.url, deps);
    if (stored === null) return { record, readings: [], problem: "it is not in the mirror" };
    const read = await deps.readFields(stored, { url: row.url, rules, propose: false });
    if (read === null) return { record, readings: [], problem: null };
    return { record: { ...row, fields: JSON.stringify(valuesOf(read.fields)) }, readings: read.fields, problem: null };
  } catch (error) {
    return { record, readings: [], problem: error instanceof Error ? error.message : String(error) };
  }
}
