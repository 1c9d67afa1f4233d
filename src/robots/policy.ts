import { HOUR_MS } from "../core/clock.ts";

/**
 * Decides what the answer to a request for robots.txt permits, and when to ask again (RFC 9309, sections 2.3.1 and
 * 2.4).
 */

/** A copy older than this is not used (section 2.4). */
export const ROBOTS_MAX_AGE_MS = 24 * HOUR_MS;

/**
 * The maximum number of redirects in a row, to other hosts too. The rules apply to the host asked first (section
 * 2.3.1.2).
 */
export const MAX_ROBOTS_REDIRECTS = 5;

/**
 * A robots.txt that was unreachable for this long is given up, and with it the URLs that wait for it. They are never
 * fetched without one: section 2.3.1.4 would allow that after "a reasonably long period of time (for example, 30
 * days)", which is longer than a crawl waits. The period is one of failures in a row, see `isSameRow`.
 */
export const ROBOTS_GIVE_UP_MS = 24 * HOUR_MS;

/** The longest delay between two requests: Retry-After counts up to a day. */
export const MAX_ROBOTS_RETRY_DELAY_MS = 24 * HOUR_MS;

/**
 * A host that has never answered anything is given up after as many failures. That takes two and a half minutes, or
 * five where each failure takes its whole time. A host that has answered is given up after as many refused
 * connections: a server that is replaced is back by then.
 */
export const FAILURES_OF_LOST_HOST = 5;

/** A row of failures ends where nobody asked again for this long after it was time to. */
const MAX_ROW_GAP_MS = 2 * HOUR_MS;

const MIN_RETRY_DELAY_MS = 10_000;
const MAX_RETRY_DELAY_MS = HOUR_MS;

type RobotsPolicy =
  /** Parse the body and follow it. */
  | "read"
  /** There is no robots.txt: any URL may be fetched. */
  | "allow-all"
  /** Fetch nothing; ask again after `robotsRetryDelayMs`. */
  | "forbid-for-now";

/**
 * `httpStatus` is that of the last answer, after redirects; null if there was none (DNS, connection, timeout).
 *
 * 429 is the only 4xx that forbids. Section 2.3.1.3 permits, but does not require, that a 4xx allows all, and a host
 * that says "too many requests" is overloaded, not without rules. Google does the same.
 *
 * A 3xx here was not followed: it came after `MAX_ROBOTS_REDIRECTS`, or its target is missing or too long. That is
 * "unavailable" (section 2.3.1.2).
 */
export function decideRobotsPolicy(httpStatus: number | null): RobotsPolicy {
  if (httpStatus === null || httpStatus === 429) return "forbid-for-now";
  if (httpStatus >= 200 && httpStatus < 300) return "read";
  if (httpStatus >= 300 && httpStatus < 500) return "allow-all";
  return "forbid-for-now";
}

/**
 * Milliseconds from the last of `failures` in a row to the next request: 10 s after the first, then doubled each time,
 * up to an hour.
 */
export function robotsRetryDelayMs(failures: number): number {
  return Math.min(MAX_RETRY_DELAY_MS, MIN_RETRY_DELAY_MS * 2 ** Math.max(0, failures - 1));
}

/**
 * Whether a failure now continues the row of an earlier one, after which the next request was due at `retryAt`. A
 * failure that is long past says nothing about the time since: a file that fails today may have been fine all month.
 */
export function isSameRow(retryAt: number, now: number): boolean {
  return now - retryAt <= MAX_ROW_GAP_MS;
}

/** Facts about a robots.txt that got no answer. */
interface NetworkTrouble {
  /** Whether the host has ever answered anything. */
  answeredBefore: boolean;
  /** Whether the failure may be anybody's, such as a timeout, and not surely the host's, such as an unknown name. */
  isUndecided: boolean;
  /** Whether the host refused or dropped the connection. */
  isRefused: boolean;
  failures: number;
  /** Milliseconds since the first failure in the row. */
  unreachableMs: number;
}

/** Whether a robots.txt that got no answer is given up. Until then its URLs wait, and lose no try. */
export function isGivenUp(trouble: NetworkTrouble): boolean {
  const { answeredBefore, isUndecided, isRefused, failures, unreachableMs } = trouble;
  const isLost = failures >= FAILURES_OF_LOST_HOST;
  if (answeredBefore) return (isRefused && isLost) || unreachableMs >= ROBOTS_GIVE_UP_MS;
  return !isUndecided || isLost;
}
