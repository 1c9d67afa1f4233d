import { clockOf, systemClock } from "../core/clock.ts";
import type { PageRedirected, PageRejected } from "../crawl/outcome.ts";
import type { Reason } from "../crawl/reason.ts";
import { canonicalize } from "../url/canonicalize.ts";
import { type FetchEnv, get, HEADERS_TIMEOUT_MS, NetworkFailure } from "./http.ts";
import { retryAfterMs } from "./retry-after.ts";

/**
 * What an answer says before its body is read, whatever was asked for: a redirect, an error, or that there is something
 * to read.
 */

/** RFC 6585 and RFC 9110: the server asks to be left alone for a while. */
const OVERLOAD = new Set([429, 503]);
const RETRYABLE = new Set([408, 425, 429, 500, 502, 503, 504]);

export interface Request {
  /** Canonical. */
  url: string;
  userAgent: string;
  /** The crawl's own, for its seeds' origins alone. */
  headers: Record<string, string>;
  /** For the whole answer. */
  timeoutMs: number;
  /** Until its headers are there: HEADERS_TIMEOUT_MS where left out, and never more than `timeoutMs`. */
  headersTimeoutMs?: number;
}

/** An answer whose body is to be read: by when, and how long it has taken so far. */
export interface Readable {
  response: Response;
  /** When the request began. */
  startedAt: number;
  signal: AbortSignal;
  elapsed(): number;
}

/**
 * Asks, and hands a 2xx to `read`; the rest it answers itself. A body that `read` did not want is not left to trickle
 * in. Throws only where something of ours is broken.
 */
export async function ask<T>(
  request: Request,
  accept: string,
  env: FetchEnv,
  read: (readable: Readable) => Promise<T>,
): Promise<T | PageRedirected | PageRejected> {
  const clock = clockOf(env);
  const startedAt = clock.now();
  // Real time: on a fast clock the delays that grow with it would drown those that the crawl asks for.
  const realStart = systemClock.now();
  const elapsed = () => systemClock.now() - realStart;
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), request.headersTimeoutMs ?? HEADERS_TIMEOUT_MS);
  const signal = AbortSignal.any([AbortSignal.timeout(request.timeoutMs), silence.signal]);
  let response: Response | undefined;
  try {
    const headers = { accept, ...request.headers, "user-agent": request.userAgent };
    response = await get(request.url, headers, signal, env);
    clearTimeout(timer);
    const result =
      decideStatus(response, request.url, elapsed(), clock.now()) ??
      (await read({ response, startedAt, signal, elapsed }));
    if (!response.bodyUsed) await response.body?.cancel();
    return result;
  } catch (error) {
    if (!(error instanceof NetworkFailure)) throw error;
    if (error.reason === "private-address") return reject(error.reason, error.message, { durationMs: 0 });
    // A host that began to answer is there; a body that does not end, or makes no sense, is that page's own.
    const hostFailed = response === undefined;
    const httpStatus = response?.status ?? null;
    return reject(error.reason, error.message, { durationMs: elapsed(), retryable: true, hostFailed, httpStatus });
  } finally {
    clearTimeout(timer);
  }
}

/** Null where the status is 2xx. */
function decideStatus(
  response: Response,
  url: string,
  durationMs: number,
  now: number,
): PageRedirected | PageRejected | null {
  const { status, statusText, headers } = response;
  const location = headers.get("location");
  if (status >= 300 && status < 400 && location !== null) {
    const target = canonicalize(location, url);
    return { kind: "redirect", target, location, httpStatus: status, durationMs, retryAfterMs: null };
  }
  if (status >= 200 && status < 300) return null;
  return reject("http-status", `${status} ${statusText}`.trim(), {
    httpStatus: status,
    contentType: headers.get("content-type"),
    durationMs,
    retryAfterMs: retryAfterMs(headers.get("retry-after"), now),
    retryable: RETRYABLE.has(status),
    hostFailed: OVERLOAD.has(status),
  });
}

export function reject(
  reason: Reason,
  detail: string,
  facts: Partial<PageRejected> & { durationMs: number },
): PageRejected {
  return {
    kind: "rejected",
    httpStatus: null,
    contentType: null,
    retryAfterMs: null,
    retryable: false,
    hostFailed: false,
    ...facts,
    reason,
    detail,
  };
}
