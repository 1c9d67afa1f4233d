import type { Capture, Outcome, PageFetched, PageRedirected, PageResult, SitemapResult } from "../crawl/outcome.ts";
import { type Reason, statusOf } from "../crawl/reason.ts";
import type { FinalStatus } from "../crawl/status.ts";
import type { Verdict } from "../host/gate-protocol.ts";
import type { Sitemap } from "../media/sitemap/sitemap.ts";
import type { PageWork, SitemapWork, Work } from "./work.ts";

/** One try of one URL, turned into what the ledger is to be told and what follows from it. */
export interface Attempt {
  work: Work;
  outcome: Outcome;
  /** For the search index; null where it gets none. */
  text: string | null;
  /** What is to go into a pack; null where there is nothing, and once it is there. */
  capture: Capture | null;
  /** Canonical outlinks. */
  links: string[];
  /** Outlinks that their page asks not to follow. */
  nofollow: { count: number; examples: string[] };
  /** What a page that is kept, or a style sheet, needs to be shown. */
  assets: string[];
  /** What a sitemap lists; null for a page, and where there is nothing to read. */
  sitemap: Sitemap | null;
  /** Canonical target of a redirect that is to be followed. */
  redirect: string | null;
  /** Least delay before the next try; null where there is none. */
  retryDelayMs: number | null;
}

/** Of what a server says (a Location, a reason phrase) so much is kept. */
const MAX_DETAIL = 1_000;
const FIRST_RETRY_MS = 10_000;
const MAX_RETRY_MS = 3_600_000;

/** A URL that its host's gate decided on. */
export function decidedAttempt(
  work: Work,
  verdict: Exclude<Verdict, { kind: "go" } | { kind: "wait" }>,
  now: number,
): Attempt {
  if (verdict.kind === "allowed") {
    const outcome = { ...unknown(work, now), status: statusOf("dry-run"), reason: "dry-run" as const };
    return { ...nothing(work), outcome: { ...outcome, detail: null, httpStatus: null, contentType: null } };
  }
  const failure = { reason: verdict.reason, detail: verdict.detail, httpStatus: null, contentType: null };
  return rejected(work, failure, verdict.kind === "failed" ? verdict.delayMs : null, now);
}

/** A URL that is not fetched, for a sitemap says when it last changed: before what the crawl asks for. */
export function unchangedAttempt(work: PageWork, lastmod: number, now: number): Attempt {
  const detail = `a sitemap says that it last changed ${new Date(lastmod).toISOString()}`;
  return rejected(work, { reason: "not-modified", detail, httpStatus: null, contentType: null }, null, now);
}

/** Why a page that came is not kept, though its links count; null where it is. */
export function reasonToLeave({
  noindex,
  notModified,
}: PageFetched): { reason: "noindex" | "not-modified"; detail: string } | null {
  if (noindex !== null) return { reason: "noindex", detail: noindex };
  return notModified === null ? null : { reason: "not-modified", detail: notModified };
}

/** A URL whose page fetch came to an end, in whatever way. */
export function fetchedAttempt(work: PageWork, result: PageResult, now: number): Attempt {
  switch (result.kind) {
    case "page": {
      const leave = reasonToLeave(result);
      return {
        ...nothing(work),
        outcome: {
          ...unknown(work, now),
          ...(leave === null
            ? { status: "completed", reason: null, detail: null }
            : { status: statusOf(leave.reason), ...leave }),
          httpStatus: result.httpStatus,
          title: result.title,
          contentType: result.contentType,
          bytes: result.bytes,
          sha256: result.sha256,
        },
        text: leave === null ? result.text : null,
        capture: leave === null ? result.capture : null,
        links: result.links,
        assets: leave === null ? result.assets : [],
        nofollow: result.nofollow,
      };
    }
    case "redirect":
      return redirected(work, result, now);
    case "rejected":
      return rejected(work, result, result.retryable ? (result.retryAfterMs ?? 0) : null, now);
  }
}

/** As `fetchedAttempt`, for a sitemap. One that nobody named may be missing, or a page that says so. */
export function sitemapAttempt(work: SitemapWork, result: SitemapResult, now: number): Attempt {
  const { guessed } = work.row;
  switch (result.kind) {
    case "sitemap": {
      const { sitemap, httpStatus } = result;
      const { problem } = sitemap;
      const isNothing = sitemap.pages.length + sitemap.sitemaps.length === 0;
      const reason: Reason | null = problem === null ? null : guessed && isNothing ? "no-sitemap" : "bad-sitemap";
      const status: FinalStatus = reason === null ? "completed" : statusOf(reason);
      const outcome = { ...unknown(work, now), status, reason, detail: noteOf(sitemap), httpStatus, contentType: null };
      return { ...nothing(work), outcome, sitemap };
    }
    case "redirect":
      return redirected(work, result, now);
    case "rejected": {
      const isMissing = guessed && result.httpStatus !== null && result.httpStatus >= 400 && result.httpStatus < 500;
      if (isMissing && !result.retryable) return rejected(work, { ...result, reason: "no-sitemap" }, null, now);
      return rejected(work, result, result.retryable ? (result.retryAfterMs ?? 0) : null, now);
    }
  }
}

/** What is worth knowing of a sitemap beyond its entries, for people. */
function noteOf({ problem, truncated, invalid, pages, sitemaps }: Sitemap): string | null {
  const count = pages.length + sitemaps.length;
  const notes = [
    problem === null ? null : count === 0 ? problem : `${problem}; what it lists before that was taken`,
    truncated === null ? null : `${truncated}: the rest was left out`,
    invalid.count === 0
      ? null
      : `entries without a URL, such as ${invalid.examples[0]}: ${invalid.count.toLocaleString("en")}`,
  ].filter((note) => note !== null);
  return notes.length === 0 ? null : notes.join("; ");
}

function redirected(work: Work, result: PageRedirected, now: number): Attempt {
  const { row, context } = work;
  const base = { httpStatus: result.httpStatus, contentType: null };
  if (result.target === null) {
    return rejected(
      work,
      { ...base, reason: "http-status", detail: `redirects to ${result.location || "nowhere"}` },
      null,
      now,
    );
  }
  if (result.target === row.url) {
    return rejected(work, { ...base, reason: "redirect-loop", detail: `to ${result.location}` }, null, now);
  }
  if (row.redirects >= context.crawl.options.maxRedirects) {
    return rejected(work, { ...base, reason: "too-many-redirects", detail: `${row.redirects} before it` }, null, now);
  }
  const attempt = rejected(work, { ...base, reason: "redirected", detail: `to ${result.target}` }, null, now);
  return { ...attempt, redirect: result.target };
}

/** `retryMs` is null where another try has no prospect, else the least that the next one has to wait. */
function rejected(
  work: Work,
  failure: { reason: Reason; detail: string; httpStatus: number | null; contentType: string | null },
  retryMs: number | null,
  now: number,
): Attempt {
  const { row, context } = work;
  const again = retryMs !== null && row.attempts + 1 < context.crawl.options.maxAttempts;
  return {
    ...nothing(work),
    outcome: { ...unknown(work, now), ...pick(failure), status: again ? "queued" : statusOf(failure.reason) },
    retryDelayMs: again ? Math.max(retryMs, Math.min(FIRST_RETRY_MS * 2 ** row.attempts, MAX_RETRY_MS)) : null,
  };
}

function nothing(work: Work): Omit<Attempt, "outcome"> {
  return {
    work,
    text: null,
    capture: null,
    links: [],
    nofollow: { count: 0, examples: [] },
    assets: [],
    sitemap: null,
    redirect: null,
    retryDelayMs: null,
  };
}

function pick({
  reason,
  detail,
  httpStatus,
  contentType,
}: Pick<Outcome, "reason" | "detail" | "httpStatus" | "contentType">) {
  const cut = (text: string | null) => text?.slice(0, MAX_DETAIL) ?? null;
  return { reason, detail: cut(detail), httpStatus, contentType: cut(contentType) };
}

function unknown(
  { row }: Work,
  now: number,
): Pick<Outcome, "url" | "title" | "bytes" | "sha256" | "fetchedAt" | "packed"> {
  return { url: row.url, title: null, bytes: null, sha256: null, fetchedAt: now, packed: null };
}
