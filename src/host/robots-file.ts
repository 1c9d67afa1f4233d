import { type FetchEnv, get, NetworkFailure, readBody } from "../fetch/http.ts";
import { retryAfterMs } from "../fetch/retry-after.ts";
import { decodeRobots, MAX_ROBOTS_BYTES, parseRobots } from "../robots/parse.ts";
import { decideRobotsPolicy, MAX_ROBOTS_REDIRECTS, ROBOTS_GIVE_UP_MS, robotsRetryDelayMs } from "../robots/policy.ts";
import type { RobotsFile, Silence } from "./robots-state.ts";

/** Fetches an origin's robots.txt and remembers how that went (RFC 9309, section 2.3). */

const ACCEPT = "text/plain,*/*;q=0.1";

export interface RobotsRead {
  file: RobotsFile;
  durationMs: number;
  /** Whether the host sent any answer. */
  answered: boolean;
}

export interface RobotsRequest {
  userAgent: string;
  timeoutMs: number;
  /** Whether the host has ever sent an answer to anything. */
  answeredBefore: boolean;
  /** Waits until this URL may be asked for, be its host another one. Throws HostBusy where that is not soon. */
  turn(url: string): Promise<Turn>;
}

/** Leave for one request; its host is held until it is done. */
export interface Turn {
  done(durationMs: number, answered: boolean): Promise<void>;
}

/** A redirect leads to a host that cannot be asked before `retryAt`. */
export class HostBusy extends Error {
  readonly retryAt: number;

  constructor(host: string, retryAt: number) {
    super(`robots.txt leads to ${host}, which is not to be asked for a while`);
    this.retryAt = retryAt;
  }
}

/** `before` is what the last request brought, so that failures in a row are counted. Never throws for what a server does. */
export async function fetchRobots(
  origin: string,
  request: RobotsRequest,
  before: RobotsFile | undefined,
  env: FetchEnv,
): Promise<RobotsRead> {
  const times = { hopAt: Date.now() };
  try {
    const answer = await follow(`${origin}/robots.txt`, request, times, env);
    const now = Date.now();
    const file = fileOf(answer, before, now);
    return { file, durationMs: now - times.hopAt, answered: true };
  } catch (error) {
    const now = Date.now();
    if (error instanceof HostBusy) {
      const silence = silenceOf(before, error.message, error.retryAt - now, now);
      return { file: { state: "silent", ...silence }, durationMs: 0, answered: true };
    }
    if (!(error instanceof NetworkFailure)) throw error;
    const silence = silenceOf(before, error.message, null, now);
    const hopeless = !request.answeredBefore && !error.isUndecided;
    const file: RobotsFile = { state: "unreachable", reason: error.reason, final: hopeless, ...silence };
    return { file, durationMs: now - times.hopAt, answered: false };
  }
}

type Answer = { status: number; retryAfterMs: number | null; bytes: Uint8Array };

/** Each hop has the whole time of a fetch, and the rests between them are nobody's: `times.hopAt` is when the last one began. */
async function follow(url: string, request: RobotsRequest, times: { hopAt: number }, env: FetchEnv): Promise<Answer> {
  let at = url;
  for (let redirects = 0; ; redirects++) {
    const turn = await request.turn(at);
    times.hopAt = Date.now();
    let answered = false;
    try {
      const signal = AbortSignal.timeout(request.timeoutMs);
      const response = await get(at, { "user-agent": request.userAgent, accept: ACCEPT }, signal, env);
      answered = true;
      const location = response.headers.get("location");
      const isRedirect = response.status >= 300 && response.status < 400 && location !== null;
      if (!isRedirect || redirects === MAX_ROBOTS_REDIRECTS || !URL.canParse(location, at)) {
        const retry = retryAfterMs(response.headers.get("retry-after"), Date.now());
        // One byte more than is read, so that a cut line is known to be cut.
        const { bytes } = await readBody(response, MAX_ROBOTS_BYTES + 1, signal);
        return { status: response.status, retryAfterMs: retry, bytes };
      }
      await response.body?.cancel();
      at = new URL(location, at).href;
    } finally {
      await turn.done(Date.now() - times.hopAt, answered);
    }
  }
}

function fileOf(answer: Answer, before: RobotsFile | undefined, now: number): RobotsFile {
  switch (decideRobotsPolicy(answer.status)) {
    case "read":
      return { state: "read", robots: parseRobots(decodeRobots(answer.bytes)), fetchedAt: now };
    case "allow-all":
      return { state: "allow-all", fetchedAt: now };
    case "forbid-for-now": {
      const detail = `robots.txt answered ${answer.status}, so nothing of this host may be fetched before it answers otherwise`;
      const silence = silenceOf(before, detail, answer.retryAfterMs, now);
      return { state: now - silence.firstAt >= ROBOTS_GIVE_UP_MS ? "given-up" : "silent", ...silence };
    }
  }
}

function silenceOf(before: RobotsFile | undefined, detail: string, retryAfter: number | null, now: number): Silence {
  const silent = before !== undefined && "failures" in before ? before : null;
  const failures = (silent?.failures ?? 0) + 1;
  const delayMs = Math.max(robotsRetryDelayMs(failures), retryAfter ?? 0);
  return { detail, firstAt: silent?.firstAt ?? now, failures, retryAt: now + delayMs };
}
