import type { Reason } from "../crawl/reason.ts";
import { get, NetworkFailure, readBody, retryAfterMs } from "../fetch/http.ts";
import { decodeRobots, MAX_ROBOTS_BYTES, parseRobots, type Robots } from "../robots/parse.ts";
import {
  decideRobotsPolicy,
  MAX_ROBOTS_REDIRECTS,
  ROBOTS_GIVE_UP_MS,
  ROBOTS_MAX_AGE_MS,
  robotsRetryDelayMs,
} from "../robots/policy.ts";

/** Fetches an origin's robots.txt and remembers how that went (RFC 9309, section 2.3). Stored as it is by the host gate. */

export type RobotsFile =
  | { state: "read"; robots: Robots; fetchedAt: number }
  /** There is none. */
  | { state: "allow-all"; fetchedAt: number }
  /** An answer that forbids for now (5xx, 429). */
  | ({ state: "silent" } & Silence)
  /** No answer; `final` where there never was one and another try within this crawl has no prospect. */
  | ({ state: "unreachable"; reason: Reason; final: boolean } & Silence)
  /** Silent for a day. */
  | ({ state: "given-up" } & Silence);

interface Silence {
  detail: string;
  firstAt: number;
  failures: number;
  retryAt: number;
}

export interface RobotsRead {
  file: RobotsFile;
  durationMs: number;
  /** Whether the host sent any answer. */
  answered: boolean;
}

export interface RobotsRequest {
  userAgent: string;
  timeoutMs: number;
  /** Rest between a redirect and its target, in milliseconds. */
  restMs: number;
  /** Whether the host has ever sent an answer to anything. */
  answeredBefore: boolean;
}

export function isFresh(file: RobotsFile, now: number): boolean {
  return "fetchedAt" in file ? now - file.fetchedAt < ROBOTS_MAX_AGE_MS : file.retryAt > now;
}

/** `before` is what the last request brought, so that failures in a row are counted. Never throws for what a server does. */
export async function fetchRobots(
  origin: string,
  request: RobotsRequest,
  before: RobotsFile | undefined,
  env: Pick<Env, "ALLOW_PRIVATE" | "DIAGNOSIS">,
): Promise<RobotsRead> {
  const times = { hopAt: Date.now() };
  try {
    const answer = await follow(`${origin}/robots.txt`, request, times, env);
    const now = Date.now();
    const file = fileOf(answer, before, now);
    return { file, durationMs: now - times.hopAt, answered: true };
  } catch (error) {
    if (!(error instanceof NetworkFailure)) throw error;
    const now = Date.now();
    const silence = silenceOf(before, error.message, null, now);
    const hopeless = !request.answeredBefore && error.reason !== "timeout" && error.reason !== "network";
    const file: RobotsFile = { state: "unreachable", reason: error.reason, final: hopeless, ...silence };
    return { file, durationMs: now - times.hopAt, answered: false };
  }
}

/** Each hop has the whole time of a fetch, and the rests between them are nobody's: `times.hopAt` is when the last one began. */
type Answer = { status: number; retryAfterMs: number | null; bytes: Uint8Array };

async function follow(
  url: string,
  request: RobotsRequest,
  times: { hopAt: number },
  env: Pick<Env, "ALLOW_PRIVATE" | "DIAGNOSIS">,
): Promise<Answer> {
  let at = url;
  for (let redirects = 0; ; redirects++) {
    times.hopAt = Date.now();
    const signal = AbortSignal.timeout(request.timeoutMs);
    const response = await get(at, { "user-agent": request.userAgent, accept: "text/plain,*/*;q=0.1" }, signal, env);
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
    await new Promise((resolve) => setTimeout(resolve, request.restMs));
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
