import type { Usage } from "../../crawl/bounds/usage.ts";
import type { Counters, Crawl, Purpose } from "../../crawl/crawl.ts";
import { readOptions } from "../../crawl/crawl-options.ts";
import type { ImportedArchive } from "../../crawl/imported-archive.ts";
import { NO_GAPS, NOTHING_SPENT } from "../../crawl/page/model-spent.ts";
import type { CrawlStatus } from "../../crawl/page/status.ts";
import { NOTHING_REMOVED } from "../../crawl/watch/removed.ts";
import type { VisitCounts } from "../../crawl/watch/watch.ts";
import { toKnowledge } from "../watches/stored-knowledge.ts";
import { notesOf, type OldNotes } from "./crawl-notes.ts";

/** Converts between a crawl's row in D1 and the record that the rest of the program uses. */

/** Its counters have the names of their columns; `queued` includes the backlog. */
export interface CrawlRow extends Counters, OldNotes {
  id: string;
  status: CrawlStatus;
  epoch: number;
  options: string;
  hosts: string;
  schedule_id: string | null;
  created_at: number;
  started_at: number | null;
  updated_at: number;
  paused_at: number | null;
  paused_ms: number;
  finished_at: number | null;
  wake_at: number;
  bytes: number;
  usage: string;
  month_usage: string | null;
  waiting: number;
  moving: number;
  assets_waiting: number;
  assets_moving: number;
  assets_completed: number;
  dry_pages: number;
  shells: number;
  rendered: number;
  relevant: number;
  watching_since: number | null;
  visits: string;
  knowledge: string;
  change_seq: number;
  hook_failures: number;
  notes: string;
  template_end: number | null;
  template: string | null;
  purpose: Exclude<Purpose, "crawl"> | null;
  imported: string | null;
  list: string | null;
}

export function toCrawl(row: CrawlRow): Crawl {
  const { discovered, waiting, moving, completed, disallowed, skipped, errored, cancelled } = row;
  const { lastUrl, waitingFor, failure, removed, model, extraction, visitsAskedAt, shards } = notesOf(row);
  return {
    id: row.id,
    purpose: row.purpose ?? "crawl",
    imported: row.imported === null ? null : (JSON.parse(row.imported) as ImportedArchive),
    status: row.status,
    takesList: row.list !== null && row.status === "paused",
    isListed: row.list !== null,
    epoch: row.epoch,
    options: readOptions(row.options),
    hosts: JSON.parse(row.hosts) as string[],
    scheduleId: row.schedule_id,
    createdAt: row.created_at,
    startedAt: row.started_at,
    updatedAt: row.updated_at,
    pausedAt: row.paused_at,
    pausedMs: row.paused_ms,
    finishedAt: row.finished_at,
    wakeAt: row.wake_at,
    lastUrl,
    waitingFor,
    bytes: row.bytes,
    lastFailure: failure,
    usage: JSON.parse(row.usage) as Usage,
    usageBeforeMonth: JSON.parse(row.month_usage ?? "{}") as Usage,
    assets: { pending: row.assets_waiting, queued: row.assets_moving, completed: row.assets_completed },
    dryPages: row.dry_pages,
    shells: row.shells,
    rendered: row.rendered,
    relevant: row.relevant,
    watchingSince: row.watching_since,
    visits: JSON.parse(row.visits) as VisitCounts,
    visitsAskedAt,
    knowledge: toKnowledge(row.knowledge),
    changes: row.change_seq,
    removed: removed === null ? null : { ...NOTHING_REMOVED, until: 0, ...removed },
    hookFailures: row.hook_failures,
    model: { ...NOTHING_SPENT, ...model },
    modelGaps: extraction?.gaps ?? NO_GAPS,
    templateEnd: row.template_end,
    template: row.template,
    shards,
    counters: { discovered, pending: waiting, queued: moving, completed, disallowed, skipped, errored, cancelled },
  };
}
