import type { PageFetched, PageRejected, PageResult } from "../../../crawl/page/outcome.ts";

/**
 * Soft 404s: answers whose status is no error, though the page says that there is none. A page that looks so may be
 * about errors. So one page of the host is asked for that surely does not exist: a random sibling of the first such
 * page. A host that answers it with an error tells its pages apart, and all of them are kept.
 */

/** How a host answers for a page that does not exist. */
export interface MissingAnswer {
  /** The sibling. */
  url: string;
  /** Whether the status is an error. */
  isError: boolean;
  /** The digest of the body; null if there is none. */
  sha256: string | null;
  /** Whether the page says that there is none. */
  looksMissing: boolean;
  /** The target of a redirect. */
  target: string | null;
}

/** Null if the answer says nothing about missing pages: the host failed, or another try may have another result. */
export function toMissingAnswer(url: string, result: PageResult): MissingAnswer | null {
  const nothing = { url, isError: false, sha256: null, looksMissing: false, target: null };
  if (result.kind === "page") return { ...nothing, sha256: result.sha256, looksMissing: result.looksMissing === true };
  if (result.kind === "redirect") return { ...nothing, target: result.target };
  const isError = result.reason === "http-status" && !result.retryable;
  return isError ? { ...nothing, isError } : null;
}

/** The result for a page that looks missing, with the records of its answer; null if the page is kept. */
export function rejectSoft404(url: string, page: PageFetched, missing: MissingAnswer): PageRejected | null {
  const isAnsweredAlike = missing.looksMissing || missing.sha256 === page.sha256 || missing.target === url;
  if (missing.isError || !isAnsweredAlike) return null;
  const { httpStatus, contentType, durationMs, capture } = page;
  return {
    kind: "rejected",
    reason: "soft-404",
    detail: `the host answers ${missing.url} in the same way`,
    httpStatus,
    contentType,
    durationMs,
    retryAfterMs: null,
    retryable: false,
    hostFailed: false,
    // Nothing is kept of what was made of the page.
    ...(capture?.answer ? { capture: { answer: capture.answer, content: null, links: null } } : {}),
  };
}
