import { clockOf } from "../../core/clock.ts";
import type { Answered, Capture, FetchGivenBack, PageRedirected, PageRejected } from "../../crawl/page/outcome.ts";
import type { Reason } from "../../crawl/page/reason.ts";
import { canonicalize } from "../../url/canonicalize.ts";
import { Deadline } from "../transport/deadline.ts";
import { getLeniently } from "../transport/get-leniently.ts";
import { type FetchEnv, get, HEADERS_TIMEOUT_MS, NetworkFailure } from "../transport/http.ts";
import { wallInHeaders } from "./bot-wall.ts";
import type { Readable } from "./readable.ts";
import { findRefusal } from "./refusal.ts";
import { retryAfterMs } from "./retry-after.ts";

/** Sends a request and decides by its status and headers: the answer is a redirect, an error or a body to read. */

/** RFC 6585 and RFC 9110: the server asks clients to slow down. */
const OVERLOAD = new Set([429, 503]);
/**
 * 520 and 527 are Cloudflare's, for an answer of the origin that it cannot read. The host is up, so only the URL waits.
 * https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/
 */
const RETRYABLE = new Set([408, 425, 429, 500, 502, 503, 504, 520, 527]);

/** Time for the body of a redirect or an error, which only the archive needs, in milliseconds. */
const KEPT_BODY_MS = 5_000;

/** The headers by which a crawl presents itself. */
export interface Sender {
  userAgent: string;
  /** The From header; empty for none. */
  from: string;
  /** The Accept-Language header; empty for none. */
  acceptLanguage: string;
}

/** Of a crawl's options, or of another of its requests. */
export function senderOf({ userAgent, from, acceptLanguage }: Sender): Sender {
  return { userAgent, from, acceptLanguage };
}

/** A request without its secrets, which travel beside it (`Secrets`): so it may go anywhere. */
export interface Request extends Sending, Sender {
  /** Canonical. */
  url: string;
  /** Timeout of the whole answer, in milliseconds. */
  timeoutMs: number;
  /** Whether the operator has named the host, as a seed: it may be private where ALLOW_PRIVATE is "seeds". */
  mayBePrivate: boolean;
  /** Whether the cookies that the answer sets may be a session: then nothing stores them. */
  hidesCookies: boolean;
}

/** How a request is sent. */
export interface Sending {
  /**
   * Real time from the start of the request that the lane's lease allows, in milliseconds. What would have to wait for
   * longer in our own line gives up. Null for a request without a lane.
   */
  leaseMs: number | null;
  /** Timeout of the headers, in milliseconds, at most `timeoutMs`. */
  headersTimeoutMs: number;
  /** Ask by the diagnosis service, if there is one. It reads malformed answers, which the runtime refuses. */
  isLenient: boolean;
}

/** As any request is sent that has no lane, and what is read of an answer that is there. */
export const SENT_PLAINLY: Sending = { leaseMs: null, headersTimeoutMs: HEADERS_TIMEOUT_MS, isLenient: false };

/** Headers of a request that may hold a password: the crawl's own, which only its seeds' origins get, and cookies. */
export type Secrets = Readonly<Record<string, string>>;

export const NO_SECRETS: Secrets = {};

/** Set-Cookie headers of one answer that are read. A browser keeps some 180 cookies of a site. */
const MAX_SET_COOKIES = 200;

/**
 * Sends the request with `headers`, among them what is secret. `read` handles a 2xx; other answers are handled here,
 * and `keep` makes their records, or null for none. A body that `read` does not finish is cancelled. Throws only if our
 * own code or platform is broken.
 */
export async function ask<T extends Answered>(
  request: Request,
  headers: Readonly<Record<string, string>>,
  env: FetchEnv,
  read: (readable: Readable) => Promise<T>,
  keep?: (readable: Readable) => Promise<Capture | null>,
): Promise<T | PageRedirected | PageRejected> {
  const clock = clockOf(env);
  const startedAt = clock.now();
  // Real time: on a fast clock, delays that grow with the duration would exceed the configured delays.
  const deadline = new Deadline(request.timeoutMs, request.leaseMs);
  const received = { bytes: 0 };
  let fault: string | null = null;
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), request.headersTimeoutMs);
  const signal = AbortSignal.any([deadline.signal, silence.signal]);
  let response: Response | undefined;
  try {
    const { url, timeoutMs, mayBePrivate } = request;
    // Of two headers of one name, whatever their case, the last is sent: one of the crawl's own replaces the language,
    // but not who asks.
    const sent = { ...languageHeader(request), ...headers, ...nameOfSender(request) };
    const asked = { url, headers: sent, mayBePrivate };
    if (request.isLenient && env.DIAGNOSIS !== undefined)
      ({ response, fault } = await getLeniently({ ...asked, timeoutMs }, signal, env, env.DIAGNOSIS));
    else response = await get(asked, signal, env);
    clearTimeout(timer);
    const readable = { response, startedAt, received, signal, deadline };
    if (!response.ok || wallInHeaders(response) !== null) timer = setTimeout(() => silence.abort(), KEPT_BODY_MS);
    return { ...(await decideAnswer(request.url, readable, env, read, keep)), fault };
  } catch (error) {
    if (!(error instanceof NetworkFailure)) throw error;
    if (error.reason === "private-address" || error.reason === "ip-address")
      return reject(error.reason, error.message, { durationMs: 0 });
    const httpStatus = response?.status ?? null;
    const blame = blameFor(error, response !== undefined);
    const unexplained = blame.dropped === true && !request.isLenient && env.DIAGNOSIS !== undefined;
    return reject(error.reason, error.message, {
      durationMs: deadline.elapsed(),
      // The answer itself cannot be read, however often it comes.
      retryable: response !== undefined || error.reason !== "parse",
      ...blame,
      unexplained,
      httpStatus,
      bodyBytes: received.bytes,
    });
  } finally {
    clearTimeout(timer);
    deadline.stop();
  }
}

/** Decides on an answer by its status and headers. `read` and `keep`: as of `ask`. */
export async function decideAnswer<T extends Answered>(
  url: string,
  readable: Readable,
  env: FetchEnv,
  read: (readable: Readable) => Promise<T>,
  keep?: (readable: Readable) => Promise<Capture | null>,
): Promise<T | PageRedirected | PageRejected> {
  const { response, received, deadline } = readable;
  const clock = clockOf(env);
  const location = await locationOf(response, env);
  const answered = decideStatus(response, location, url, deadline.elapsed(), clock.now());
  const decided =
    answered?.kind === "redirect" ? answered : await nameRefusal(answered, readable, keep !== undefined, clock.now());
  const result = decided === null ? await read(readable) : await addRecords(decided, readable, keep);
  if (!response.bodyUsed) await response.body?.cancel();
  const setCookies = response.headers.getSetCookie().slice(0, MAX_SET_COOKIES);
  return { ...result, ...(setCookies.length === 0 ? {} : { setCookies }), bodyBytes: received.bytes };
}

/** Gives a challenge and a price their own reasons. Others stay as they are. */
async function nameRefusal(
  rejected: PageRejected | null,
  readable: Readable,
  isKept: boolean,
  now: number,
): Promise<PageRejected | null> {
  const refused = await findRefusal(readable, rejected !== null, isKept);
  if (refused === null) return rejected;
  const { status, headers } = readable.response;
  const waitMs = retryAfterMs(headers.get("retry-after"), now);
  return reject(refused.reason, refused.detail, {
    httpStatus: status,
    contentType: headers.get("content-type"),
    durationMs: readable.deadline.elapsed(),
    retryAfterMs: waitMs,
    // A challenge with 429 or 503 is no sign of an overload, unless it says when to come back.
    hostFailed: waitMs !== null && OVERLOAD.has(status),
  });
}

async function addRecords<T extends PageRedirected | PageRejected>(
  decided: T,
  readable: Readable,
  keep?: (readable: Readable) => Promise<Capture | null>,
): Promise<T> {
  const capture = (await keep?.(readable)) ?? null;
  return capture === null ? decided : { ...decided, capture, durationMs: readable.deadline.elapsed() };
}

/** The headers by which a crawl presents itself. */
export function identityOf(sender: Pick<Sender, "userAgent"> & Partial<Sender>): Record<string, string> {
  return { ...languageHeader(sender), ...nameOfSender(sender) };
}

/** The headers that say who asks. */
function nameOfSender({ userAgent, from = "" }: Pick<Sender, "userAgent"> & Partial<Sender>): Record<string, string> {
  return { "user-agent": userAgent, ...(from === "" ? {} : { from }) };
}

function languageHeader({ acceptLanguage = "" }: Partial<Sender>): Record<string, string> {
  return acceptLanguage === "" ? {} : { "accept-language": acceptLanguage };
}

/**
 * Decides whether a failure is one of the host or of this URL alone. A host that has sent headers is up: a body that
 * does not end or cannot be decoded is a fault of the page, and so is an answer that a lenient reader could not read.
 * Silence, a refused connection, an unknown name and a failed TLS handshake are faults of the host. What is left, a
 * dropped connection or a malformed answer, can be either.
 */
export function blameFor(
  { reason, isUndecided }: Pick<NetworkFailure, "reason" | "isUndecided">,
  hasAnswered: boolean,
): Pick<PageRejected, "hostFailed" | "dropped"> {
  const isUp = hasAnswered || reason === "parse";
  const dropped = !isUp && isUndecided && (reason === "connection" || reason === "network");
  return { hostFailed: !isUp && !dropped, dropped };
}

/**
 * The Location header. The runtime decodes headers as UTF-8, which loses other bytes. Node does not: on this machine
 * the diagnosis service says which bytes they are. On Cloudflare nobody can.
 */
export async function locationOf({ headers }: Response, { DIAGNOSIS }: FetchEnv): Promise<string | null> {
  // An empty one leads nowhere, as in browsers.
  const location = headers.get("location")?.trim() || null;
  if (DIAGNOSIS === undefined || !location?.includes("\ufffd")) return location;
  // A copy keeps the bytes as they are.
  const copy = new Headers(headers);
  for (const [name] of headers) if (name !== "location") copy.delete(name);
  return (await DIAGNOSIS.fetch("http://diagnosis/location", { headers: copy })).text();
}

/** Null if the status is 2xx. */
function decideStatus(
  response: Response,
  location: string | null,
  url: string,
  durationMs: number,
  now: number,
): PageRedirected | PageRejected | null {
  const { status, statusText, headers } = response;
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

/** The result of an answer for which something of our own was missing. */
export function givenBack(lacks: FetchGivenBack["lacks"], httpStatus: number, deadline: Deadline): FetchGivenBack {
  return { kind: "given-back", lacks, httpStatus, durationMs: deadline.elapsed(), retryAfterMs: null };
}
