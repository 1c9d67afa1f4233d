import { clockOf, systemClock } from "../core/clock.ts";
import { blameFor, identityOf, locationOf } from "../fetch/answer/answer.ts";
import { edgeErrorOf } from "../fetch/answer/edge-error.ts";
import { retryAfterMs } from "../fetch/answer/retry-after.ts";
import { getLeniently } from "../fetch/transport/get-leniently.ts";
import { ACCEPT_ENCODING, type FetchEnv, get, NetworkFailure } from "../fetch/transport/http.ts";
import { readBody, unknownCoding } from "../fetch/transport/read-body.ts";
import { MAX_ROBOTS_BYTES } from "../robots/parse.ts";
import {
  decideRobotsPolicy,
  isGivenUp,
  isSameRow,
  MAX_ROBOTS_REDIRECTS,
  ROBOTS_GIVE_UP_MS,
  robotsRetryDelayMs,
} from "../robots/policy.ts";
import { readRobots } from "../robots/read-robots.ts";
import { MAX_URL_LENGTH } from "../url/canonicalize.ts";
import type { RobotsExchange, RobotsFile, Silence } from "./robots-state.ts";

/** Fetches an origin's robots.txt and remembers the result (RFC 9309, section 2.3). */

const ACCEPT = "text/plain,*/*;q=0.1";

export interface RobotsRead {
  file: RobotsFile;
  /** Duration of the last request, in real time. */
  durationMs: number;
  /** Size of its body. */
  bodyBytes?: number;
  /** Whether the host sent any answer. */
  answered: boolean;
  /** The answers, redirects first; absent if the last request brought no answer. */
  exchanges?: RobotsExchange[];
}

export interface RobotsRequest {
  userAgent: string;
  from?: string;
  timeoutMs: number;
  /** `URL.host` values that may be private: the origin's own, and targets of redirects. */
  privateHosts: readonly string[];
  /** Whether the host has ever sent an answer to anything. */
  answeredBefore: boolean;
  /** Waits until this URL may be requested, on this host or another. Throws HostBusy when that takes too long. */
  holdHost(url: string): Promise<HostHold>;
}

/** Permission for one request. The host is held until `release`. */
export interface HostHold {
  release(durationMs: number, answered: boolean, bodyBytes?: number): Promise<void>;
}

/** A redirect leads to a host that may not be requested before `retryAt`. */
export class HostBusy extends Error {
  readonly retryAt: number;

  constructor(host: string, retryAt: number) {
    super(`robots.txt leads to ${host}, which is not to be asked for a while`);
    this.retryAt = retryAt;
  }
}

/** `before` is the result of the last request, which counts failures in a row. Never throws for what a server does. */
export async function fetchRobots(
  origin: string,
  request: RobotsRequest,
  before: RobotsFile | undefined,
  env: FetchEnv,
): Promise<RobotsRead> {
  const clock = clockOf(env);
  const lastHop = { durationMs: 0, bodyBytes: 0, answered: false };
  try {
    const answer = await followRedirects(`${origin}/robots.txt`, request, lastHop, env);
    const now = clock.now();
    const retryAfter = retryAfterMs(answer.headers.get("retry-after"), now);
    const { exchanges } = answer;
    return { file: fileOf(answer, retryAfter, before, now), ...lastHop, answered: true, exchanges };
  } catch (error) {
    const now = clock.now();
    if (error instanceof HostBusy) {
      return { file: silentFile(before, error.message, error.retryAt - now, now), durationMs: 0, answered: true };
    }
    if (!(error instanceof NetworkFailure)) throw error;
    // An answer came, but it cannot be read to its end.
    if (error.reason === "parse" || lastHop.answered)
      return { file: silentFile(before, unreadable(error.message), null, now), ...lastHop, answered: true };
    const silence = silenceOf(before, error.message, null, now);
    const { failures, firstAt } = silence;
    // A host that has never answered and drops the connection is given up like one that refuses it.
    const isRefused = error.reason === "connection";
    const isUndecided = error.isUndecided && !isRefused;
    const trouble = { isUndecided, isRefused, failures, unreachableMs: now - firstAt };
    const isForbidden = error.reason === "private-address" || error.reason === "ip-address";
    const final = isForbidden || isGivenUp({ ...trouble, answeredBefore: request.answeredBefore });
    const isFinalForNew = final || isGivenUp({ ...trouble, answeredBefore: false });
    const named = error.reason === "private-address" ? { named: request.privateHosts } : {};
    const file: RobotsFile = { state: "unreachable", reason: error.reason, final, isFinalForNew, ...named, ...silence };
    return { file, ...lastHop, answered: false };
  }
}

type Answer = Pick<Response, "status" | "headers"> & {
  bytes: Uint8Array;
  /** A content-encoding that was not undone; null if there is none. */
  coding: string | null;
};

/** The last request: its real duration, without the rest before it, and the size of its body. */
interface LastHop {
  durationMs: number;
  bodyBytes: number;
  /** Whether headers came. */
  answered: boolean;
}

/** One request of a robots.txt. */
interface Hop {
  url: string;
  /** Whether a redirect is followed. */
  isFollowed: boolean;
  request: RobotsRequest;
  lastHop: LastHop;
  /** Gets what came. */
  exchanges: RobotsExchange[];
  env: FetchEnv;
}

async function followRedirects(
  url: string,
  request: RobotsRequest,
  lastHop: LastHop,
  env: FetchEnv,
): Promise<Answer & { exchanges: RobotsExchange[] }> {
  const exchanges: RobotsExchange[] = [];
  let at = url;
  for (let redirects = 0; ; redirects++) {
    const isFollowed = redirects < MAX_ROBOTS_REDIRECTS;
    const answer = await askExplained({ url: at, isFollowed, request, lastHop, exchanges, env });
    if (typeof answer !== "string") return { ...answer, exchanges };
    at = answer;
  }
}

/** An answer that the runtime refuses without a word is asked for again, where somebody can tell what it is. */
async function askExplained(hop: Hop): Promise<Answer | string> {
  const { url, env, request } = hop;
  const mayBePrivate = request.privateHosts.includes(new URL(url).host);
  const headers = { accept: ACCEPT, ...identityOf(request) };
  const { DIAGNOSIS } = env;
  try {
    return await askInTurn(hop, headers, (signal) => get({ url, headers, mayBePrivate }, signal, env));
  } catch (error) {
    const isUnexplained = error instanceof NetworkFailure && blameFor(error, false).dropped;
    if (DIAGNOSIS === undefined || !isUnexplained) throw error;
    return askInTurn(hop, headers, async (signal) => {
      const { timeoutMs } = request;
      const asked = { url, headers, timeoutMs, mayBePrivate };
      return (await getLeniently(asked, signal, env, DIAGNOSIS)).response;
    });
  }
}

/** Sends one request when its host is free, with the full timeout. Returns the target of a redirect to follow. */
async function askInTurn(
  { url, isFollowed, request, lastHop, exchanges, env }: Hop,
  sent: Record<string, string>,
  send: (signal: AbortSignal) => Promise<Response>,
): Promise<Answer | string> {
  const hold = await request.holdHost(url);
  const startedAt = systemClock.now();
  const date = clockOf(env).now();
  lastHop.answered = false;
  lastHop.bodyBytes = 0;
  try {
    const signal = AbortSignal.timeout(request.timeoutMs);
    const response = await send(signal);
    lastHop.answered = true;
    const { status, statusText, headers } = response;
    const note = (body: Uint8Array, complete: boolean) => {
      const durationMs = systemClock.now() - startedAt;
      const head = { status, statusText, headers: [...headers] };
      const requestHeaders = Object.entries({ ...ACCEPT_ENCODING, ...sent });
      exchanges.push({ url, date, durationMs, requestHeaders, ...head, body, complete });
    };
    const location = await locationOf(response, env);
    const target = location === null ? null : URL.parse(location, url);
    if (isFollowed && status >= 300 && status < 400 && target !== null && target.href.length <= MAX_URL_LENGTH) {
      await response.body?.cancel();
      note(new Uint8Array(0), false);
      return target.href;
    }
    // One byte more than is parsed shows that a line was cut.
    const { bytes, complete } = await readBody(response, MAX_ROBOTS_BYTES + 1, signal);
    note(bytes, complete);
    lastHop.bodyBytes = bytes.byteLength;
    return { status, headers, bytes, coding: unknownCoding(response) };
  } finally {
    lastHop.durationMs = systemClock.now() - startedAt;
    await hold.release(lastHop.durationMs, lastHop.answered, lastHop.bodyBytes);
  }
}

function fileOf(answer: Answer, retryAfter: number | null, before: RobotsFile | undefined, now: number): RobotsFile {
  const { status, bytes, coding } = answer;
  // Cloudflare's own 403 is not the site's, so it does not mean that there is no robots.txt.
  const edgeError = edgeErrorOf(answer, bytes);
  switch (edgeError === null ? decideRobotsPolicy(status) : "forbid-for-now") {
    case "read": {
      const robots = readRobots(bytes, coding !== null);
      if (robots !== null) return { state: "read", robots, fetchedAt: now };
      const why = coding === null ? "it is not text" : `its content-encoding is ${coding}`;
      return silentFile(before, unreadable(why), retryAfter, now);
    }
    case "allow-all":
      return { state: "allow-all", fetchedAt: now };
    case "forbid-for-now": {
      const said = edgeError === null ? `${status}` : `Cloudflare's error ${edgeError}`;
      const detail = `robots.txt answered ${said}, so nothing of this host may be fetched before it answers otherwise`;
      return silentFile(before, detail, retryAfter, now);
    }
  }
}

function unreadable(why: string): string {
  return `robots.txt cannot be read (${why}), so nothing of this host may be fetched before it can`;
}

function silentFile(
  before: RobotsFile | undefined,
  detail: string,
  retryAfter: number | null,
  now: number,
): RobotsFile {
  const silence = silenceOf(before, detail, retryAfter, now);
  return { state: now - silence.firstAt >= ROBOTS_GIVE_UP_MS ? "given-up" : "silent", ...silence };
}

function silenceOf(before: RobotsFile | undefined, detail: string, retryAfter: number | null, now: number): Silence {
  const previous = before !== undefined && "failures" in before && isSameRow(before.retryAt, now) ? before : null;
  const failures = (previous?.failures ?? 0) + 1;
  const delayMs = Math.max(robotsRetryDelayMs(failures), retryAfter ?? 0);
  return { detail, firstAt: previous?.firstAt ?? now, failures, lastAt: now, retryAt: now + delayMs };
}
