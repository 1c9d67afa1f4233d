import type { ModelGaps, ModelSpent } from "../../crawl/page/model-spent.ts";
import type { Shards } from "../../crawl/shards/shards.ts";
import type { Removed } from "../../crawl/watch/removed.ts";

/**
 * What is only shown of a crawl, and what few crawls have. It stands in one column of its row as JSON: conditions of
 * SQL ask for it in rows that they find otherwise, if at all. A new fact of this kind is a new field here, and needs no
 * migration.
 */
export interface CrawlNotes {
  /** The URL that was settled last. */
  lastUrl?: string | null;
  /** What the crawl waits for, until its next commit. */
  waitingFor?: string;
  /** What a batch could not do, and when. */
  failure?: { what: string; at: number };
  /** What a watch has removed because it keeps it no longer. */
  removed?: Partial<Removed>;
  /**
   * What it has spent on its model. While a call is out, its tokens are an upper estimate (learned/model-answers.ts).
   */
  model?: ModelSpent;
  /**
   * What it had seen when a model had been asked about all pages, when that is tried next, and which pages lack an
   * answer (passes/extractions.ts).
   */
  extraction?: { mark?: string; after?: number; gaps?: ModelGaps };
  /** When somebody last asked a watch to visit all of its pages at once. */
  visitsAskedAt?: number;
  /** The parts of a crawl over several ledgers, since it was made. */
  shards?: Shards;
}

/** SQL over a row of `crawls`: whether it is a part of a crawl over several ledgers. */
export const isPart = (row: "" | "c." | "crawls." | "old." = "") => `${row}notes ->> '$.shards' IS NOT NULL`;

/** SQL over a row of `crawls`: whether people see it. Of a crawl over several ledgers they see the home. */
export const IS_SEEN = "coalesce(notes ->> '$.shards.home', id) = id";

/** The columns in which an earlier version stored the same. */
export interface OldNotes {
  last_url: string | null;
  waiting_for: string | null;
  last_failure: string | null;
  failed_at: number | null;
}

/** The notes of a row, also of one that an earlier version wrote. */
export function notesOf(
  row: OldNotes & { notes: string },
): Required<{ [Name in keyof CrawlNotes]: CrawlNotes[Name] | null }> {
  const notes = JSON.parse(row.notes) as CrawlNotes;
  const oldFailure = row.last_failure === null ? null : { what: row.last_failure, at: row.failed_at ?? 0 };
  return {
    lastUrl: notes.lastUrl ?? row.last_url,
    waitingFor: notes.waitingFor ?? row.waiting_for,
    failure: notes.failure ?? oldFailure,
    removed: notes.removed ?? null,
    model: notes.model ?? null,
    extraction: notes.extraction ?? null,
    visitsAskedAt: notes.visitsAskedAt ?? null,
    shards: notes.shards ?? null,
  };
}

/**
 * An assignment for an UPDATE of `crawls` that adds numbers to what the watch has removed. `columns`: those of `from`.
 * `until`: an expression of SQL.
 */
export function noteRemoved(from: string, columns: readonly (keyof Removed)[], until: string): string {
  const sums = columns.map((name) => {
    const path = `'$.removed.${name}'`;
    return `${path}, coalesce(crawls.notes ->> ${path}, 0) + ${from}.${name}`;
  });
  return `notes = json_set(crawls.notes, ${sums.join(", ")}, '$.removed.until', ${until})`;
}

/**
 * Assignments for an UPDATE of `crawls`: it waits for nothing, unless it is paused. `lastUrl`: an expression of SQL;
 * null keeps it.
 */
export function noteProgress(lastUrl = "NULL"): string {
  const last = `coalesce(${lastUrl}, crawls.notes ->> '$.lastUrl', crawls.last_url)`;
  const noted = `json_set(crawls.notes, '$.lastUrl', ${last})`;
  // A page that was in flight says nothing of why the crawl was paused.
  return `notes = CASE WHEN crawls.status = 'paused' THEN ${noted} ELSE json_remove(${noted}, '$.waitingFor') END, waiting_for = NULL`;
}
