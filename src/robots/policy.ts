/** What the answer to a request for robots.txt permits, and when to ask again (RFC 9309, sections 2.3.1 and 2.4). */

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;

/** A copy older than this is not used (section 2.4). */
export const ROBOTS_MAX_AGE_MS = 24 * HOUR_MS;

/** Redirects in a row that are followed, to other hosts too; the rules hold for the host first asked (section 2.3.1.2). */
export const MAX_ROBOTS_REDIRECTS = 5;

/**
 * A robots.txt that has been unreachable for this long is given up, and with it the URLs that wait for it. It never turns into leave
 * to fetch them: section 2.3.1.4 has 30 days in mind for that, and no crawl of ours waits so long.
 */
export const ROBOTS_GIVE_UP_MS = 24 * HOUR_MS;

const MIN_RETRY_DELAY_MS = 10 * SECOND_MS;
const MAX_RETRY_DELAY_MS = HOUR_MS;

export type RobotsPolicy =
  /** Parse the body and follow it. */
  | "read"
  /** There is no robots.txt: any URL may be fetched. */
  | "allow-all"
  /** Fetch nothing; ask again after `robotsRetryDelayMs`. */
  | "forbid-for-now";

/**
 * `httpStatus` is that of the last answer, redirects followed; null where there was none (DNS, connection, timeout).
 *
 * 429 is the one 4xx that forbids: section 2.3.1.3 lets "unavailable" mean that all is allowed but does not ask for it, and a host
 * that says "too many requests" is overloaded, not without rules. Google reads it so too.
 *
 * A 3xx that reaches this function is one that was not followed: more than `MAX_ROBOTS_REDIRECTS`, or to nowhere. That is
 * "unavailable" (section 2.3.1.2).
 */
export function decideRobotsPolicy(httpStatus: number | null): RobotsPolicy {
  if (httpStatus === null || httpStatus === 429) return "forbid-for-now";
  if (httpStatus >= 200 && httpStatus < 300) return "read";
  if (httpStatus >= 300 && httpStatus < 500) return "allow-all";
  return "forbid-for-now";
}

/** Milliseconds until the next request after `failures` in a row: 10 s after the first, then twice as long each time, up to an hour. */
export function robotsRetryDelayMs(failures: number): number {
  return Math.min(MAX_RETRY_DELAY_MS, MIN_RETRY_DELAY_MS * 2 ** Math.max(0, failures - 1));
}
