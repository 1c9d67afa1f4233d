import type { Outcome, PageResult } from "../crawl/outcome.ts";
import { type Reason, statusOf } from "../crawl/reason.ts";
import type { Work } from "./work.ts";

/** One try of one URL, turned into what the ledger is to be told and what follows from it. */
export interface Attempt {
  work: Work;
  outcome: Outcome;
  /** Canonical outlinks. */
  links: string[];
  /** Outlinks that their page asks not to follow. */
  nofollow: { count: number; examples: string[] };
  /** Canonical target of a redirect that is to be followed. */
  redirect: string | null;
  /** Least delay before the next try; null where there is none. */
  retryDelayMs: number | null;
}

const FIRST_RETRY_MS = 10_000;
const MAX_RETRY_MS = 3_600_000;

/** A URL that its host's gate decided on. */
export function failedAttempt(
  work: Work,
  verdict: { kind: "denied" | "failed"; reason: Reason; detail: string; delayMs?: number },
  now: number,
): Attempt {
  const failure = { reason: verdict.reason, detail: verdict.detail, httpStatus: null, contentType: null };
  return rejected(work, failure, verdict.kind === "failed" ? (verdict.delayMs ?? 0) : null, now);
}

/** A URL whose page fetch came to an end, in whatever way. */
export function fetchedAttempt(work: Work, result: PageResult, now: number): Attempt {
  switch (result.kind) {
    case "page":
      return {
        work,
        outcome: {
          ...unknown(work, now),
          ...(result.noindex === null
            ? { status: "completed", reason: null, detail: null }
            : { status: statusOf("noindex"), reason: "noindex", detail: result.noindex }),
          httpStatus: result.httpStatus,
          title: result.title,
          contentType: result.contentType,
          bytes: result.body.byteLength,
          sha256: result.sha256,
        },
        links: result.links,
        nofollow: result.nofollow,
        redirect: null,
        retryDelayMs: null,
      };
    case "redirect": {
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
        return rejected(
          work,
          { ...base, reason: "too-many-redirects", detail: `${row.redirects} before it` },
          null,
          now,
        );
      }
      const attempt = rejected(work, { ...base, reason: "redirected", detail: `to ${result.target}` }, null, now);
      return { ...attempt, redirect: result.target };
    }
    case "rejected":
      return rejected(work, result, result.retryable ? (result.retryAfterMs ?? 0) : null, now);
  }
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
    work,
    outcome: { ...unknown(work, now), ...pick(failure), status: again ? "queued" : statusOf(failure.reason) },
    links: [],
    nofollow: { count: 0, examples: [] },
    redirect: null,
    retryDelayMs: again ? Math.max(retryMs, Math.min(FIRST_RETRY_MS * 2 ** row.attempts, MAX_RETRY_MS)) : null,
  };
}

function pick({
  reason,
  detail,
  httpStatus,
  contentType,
}: Pick<Outcome, "reason" | "detail" | "httpStatus" | "contentType">) {
  return { reason, detail, httpStatus, contentType };
}

function unknown({ row }: Work, now: number): Pick<Outcome, "url" | "title" | "bytes" | "sha256" | "fetchedAt"> {
  return { url: row.url, title: null, bytes: null, sha256: null, fetchedAt: now };
}
