import type { Counters, Crawl, CrawlUrl, SitemapReport } from "../crawl/crawl.ts";
import type { CrawlHost } from "../crawl/crawl-host.ts";
import type { CrawlOptions } from "../crawl/crawl-options.ts";
import type { Schedule } from "../crawl/crawl-schedule.ts";
import type { ExplainPace, Explanation } from "../crawl/explanation.ts";
import type { FormattedRecord } from "../crawl/formatted-record.ts";
import type { Formatted } from "../crawl/page-format.ts";
import { REASONS, type Reason } from "../crawl/reason.ts";
import type { SearchHit } from "../crawl/search-hit.ts";
import type { CrawlStatus, UrlStatus } from "../crawl/status.ts";
import { costUsd, type Usage } from "../crawl/usage.ts";
import { REFUSALS, type Refusal } from "../scope/refusal.ts";
import { mirrorPath } from "../store/mirror-key.ts";

/** What the API shows of the ledger's records. `pending` is nobody's business outside: it counts, and shows, as `queued`. */

export interface CrawlView {
  id: string;
  status: CrawlStatus;
  urls: string[];
  /** Discovered in scope. */
  total: number;
  /** In a final status. */
  finished: number;
  counts: Omit<Counters, "discovered" | "pending">;
  /** How many of these are assets: what pages show and are none themselves. */
  assets: { queued: number; completed: number };
  /** Of what is completed, decompressed. */
  bytes: number;
  /** The URL that the last commit ended with. */
  lastUrl: string | null;
  /** What keeps it from moving, where that is more than a host's pace. */
  waitingFor: string | null;
  /** What its last batch that failed could not do, and when; batches are tried again. */
  lastFailure: { what: string; at: string } | null;
  /** What it has used of the platform, in the units in which Cloudflare bills it, and what that costs at its list prices: an estimate. */
  usage: Usage;
  costUsd: number;
  /** From the first page's fetch to the last commit. */
  seconds: number;
  scheduleId: string | null;
  createdAt: string;
  finishedAt: string | null;
  options: Omit<CrawlOptions, "headers">;
}

export interface CrawlDetail extends CrawlView {
  sitemaps: Omit<SitemapReport, "problems"> & { problems: { url: string; explanation: string }[] };
  /** Links that scope refused, by reason. */
  refused: { reason: Refusal; text: string; count: number; examples: string[] }[];
}

export function viewCrawl(crawl: Crawl): CrawlView {
  const { discovered, pending, ...counts } = crawl.counters;
  const queued = counts.queued + pending;
  // Headers may hold somebody's password.
  const { headers: _, ...options } = crawl.options;
  return {
    id: crawl.id,
    status: crawl.status,
    urls: options.urls,
    total: discovered,
    finished: discovered - queued,
    counts: { ...counts, queued },
    assets: { queued: crawl.assets.queued + crawl.assets.pending, completed: crawl.assets.completed },
    bytes: crawl.bytes,
    lastUrl: crawl.lastUrl,
    waitingFor: crawl.waitingFor,
    lastFailure:
      crawl.lastFailure === null ? null : { ...crawl.lastFailure, at: new Date(crawl.lastFailure.at).toISOString() },
    usage: crawl.usage,
    costUsd: costUsd(crawl.usage),
    seconds: crawl.startedAt === null ? 0 : ((crawl.finishedAt ?? crawl.updatedAt) - crawl.startedAt) / 1000,
    scheduleId: crawl.scheduleId,
    createdAt: new Date(crawl.createdAt).toISOString(),
    finishedAt: isoOrNull(crawl.finishedAt),
    options,
  };
}

export function viewSitemaps({ problems, ...counts }: SitemapReport): CrawlDetail["sitemaps"] {
  return {
    ...counts,
    problems: problems.map(({ url, reason, detail }) => ({
      url,
      explanation: reason === null ? (detail ?? "") : explanationOf(reason, detail),
    })),
  };
}

export function viewRefusals(
  refusals: { reason: Refusal; count: number; examples: string[] }[],
): CrawlDetail["refused"] {
  return refusals.map((refusal) => ({ ...refusal, text: `the link ${REFUSALS[refusal.reason]}` }));
}

export interface DeletionView {
  id: string;
  /** Nothing of it is left. */
  done: boolean;
  /** Pages in flight may still arrive until then, and what the crawl kept is removed after it; null where that has begun. */
  waitsUntil: string | null;
}

export interface RecordView {
  url: string;
  status: Exclude<UrlStatus, "pending">;
  reason: Reason | null;
  /** Reason and detail as a sentence's worth of words. */
  explanation: string | null;
  httpStatus: number | null;
  depth: number;
  via: string | null;
  /** What a page shows, and no page itself. */
  asset: boolean;
  title: string | null;
  contentType: string | null;
  bytes: number | null;
  sha256: string | null;
  fetchedAt: string | null;
  /** When it last changed, as a sitemap says. */
  lastmod: string | null;
  /** Where its body is in the mirror, below the crawl; null where there is none. */
  path: string | null;
}

export interface FormattedRecordView extends RecordView, Formatted {
  /** Why a page that is kept comes without the formats asked for. */
  problem?: string;
}

export function viewFormatted({ record, formatted, problem }: FormattedRecord): FormattedRecordView {
  return { ...viewRecord(record), ...formatted, ...(problem === null ? {} : { problem }) };
}

export function shownStatus(status: UrlStatus): RecordView["status"] {
  return status === "pending" ? "queued" : status;
}

export function viewRecord(record: CrawlUrl): RecordView {
  const { attempts: _, status, reason, detail, fetchedAt, lastmod, kind, ...rest } = record;
  return {
    ...rest,
    asset: kind === "asset",
    status: shownStatus(status),
    reason,
    explanation: reason === null ? null : explanationOf(reason, detail),
    fetchedAt: isoOrNull(fetchedAt),
    lastmod: isoOrNull(lastmod),
    path: status === "completed" ? mirrorPath(record.url) : null,
  };
}

export type HostView = Omit<CrawlHost, "until" | "since"> & {
  /** No request starts before this; null: it is free. */
  nextAt: string | null;
  /** Since when it waits; null where it keeps its usual pace. */
  waitingSince: string | null;
};

export function viewHost({ until, since, ...rest }: CrawlHost, now: number): HostView {
  return { ...rest, nextAt: until > now ? isoOrNull(until) : null, waitingSince: isoOrNull(since) };
}

export interface ScheduleView {
  id: string;
  cron: string;
  urls: string[];
  limit: number;
  nextAt: string;
  lastCrawlId: string | null;
  lastStartedAt: string | null;
}

export function viewSchedule({ id, cron, options, nextAt, lastCrawlId, lastStartedAt }: Schedule): ScheduleView {
  return {
    id,
    cron,
    urls: options.urls,
    limit: options.limit,
    nextAt: new Date(nextAt).toISOString(),
    lastCrawlId,
    lastStartedAt: isoOrNull(lastStartedAt),
  };
}

export interface ExplainView extends Omit<Explanation, "record" | "pace"> {
  record: RecordView | null;
  pace: (Omit<ExplainPace, "nextAt" | "waitingSince"> & { nextAt: string | null; waitingSince: string | null }) | null;
}

export function viewExplanation({ record, pace, ...rest }: Explanation): ExplainView {
  return {
    ...rest,
    record: record === null ? null : viewRecord(record),
    pace:
      pace === null ? null : { ...pace, nextAt: isoOrNull(pace.nextAt), waitingSince: isoOrNull(pace.waitingSince) },
  };
}

export interface SearchView {
  /** Best first; each URL once. */
  hits: SearchHitView[];
  /** URLs that match. */
  total: number;
  /** For the next hits; null where there are no more, or none that are shown. */
  cursor: string | null;
  /** Why nothing at all can be found; null where that is not so. */
  note: string | null;
}

export interface SearchHitView extends Omit<SearchHit, "fetchedAt"> {
  fetchedAt: string | null;
}

export function viewHit({ fetchedAt, ...hit }: SearchHit): SearchHitView {
  return { ...hit, fetchedAt: isoOrNull(fetchedAt) };
}

function explanationOf(reason: Reason, detail: string | null): string {
  return detail === null ? REASONS[reason][1] : `${REASONS[reason][1]}: ${detail}`;
}

export function isoOrNull(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
