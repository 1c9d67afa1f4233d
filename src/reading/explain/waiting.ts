import type { HostStatus, RobotsStatus } from "../../host/gate-protocol.ts";
import { timesInARow } from "../../host/host-failure.ts";
import { isSilent } from "../../host/robots-verdict.ts";

/** Why the URLs of a host wait, in words. */

interface Waiting {
  why: string;
  /** When the wait began; null when it is the host's usual pace. */
  since: number | null;
  /** The earliest start of the next request, which may be one for robots.txt. */
  until: number;
}

export function waitingOf(host: HostStatus, robots: RobotsStatus): Waiting {
  const { failures, failingSince, failureWhy, busy, crawlDelayMs, restMs, nextAt, before = [] } = host;
  const usual = { since: null, until: nextAt };
  if (isSilent(robots)) {
    const why = robots.detail ?? "robots.txt cannot be read";
    return { why, since: robots.silentSince, until: Math.max(nextAt, robots.retryAt ?? 0) };
  }
  if (failures > 0) {
    const why = `the host failed ${timesInARow(failures)}${failureWhy === null ? "" : ` (${failureWhy})`}, and gets no requests for now`;
    return { ...usual, why, since: failingSince };
  }
  if (robots.state === "later") {
    const why = "robots.txt has to be read first, and the host rests between two requests";
    return { ...usual, why, until: Math.max(nextAt, robots.retryAt ?? 0) };
  }
  if (before.length > 0) return { ...usual, why: `another crawl has its turn first (${before.join(", ")})` };
  if (busy) return { ...usual, why: "a crawl is fetching from the host now" };
  const isCrawlDelay = crawlDelayMs !== null && crawlDelayMs >= restMs;
  return { ...usual, why: isCrawlDelay ? "robots.txt asks for this delay" : "the usual rest between requests" };
}
