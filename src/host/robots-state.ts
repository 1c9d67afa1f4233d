import type { PageHeaders } from "../crawl/page/outcome.ts";
import type { Reason } from "../crawl/page/reason.ts";
import type { Robots } from "../robots/parse.ts";
import { MAX_ROBOTS_RETRY_DELAY_MS, ROBOTS_MAX_AGE_MS } from "../robots/policy.ts";

/** The result of the last request for an origin's robots.txt, as the host gate stores it. */

export type RobotsFile =
  | { state: "read"; robots: Robots; fetchedAt: number }
  /** The origin has no robots.txt. */
  | { state: "allow-all"; fetchedAt: number }
  /** An answer that forbids for now (5xx, 429), or that cannot be read. */
  | ({ state: "silent" } & Silence)
  /**
   * No answer. `final`: given up, so the URLs that wait for it end with this reason. `isFinalForNew`: given up by
   * crawls that have had no answer from anywhere yet; a file of an older version does not say. `named`: the hosts
   * that might be private, where another was.
   */
  | ({
      state: "unreachable";
      reason: Reason;
      final: boolean;
      isFinalForNew?: boolean;
      named?: readonly string[];
    } & Silence)
  /** An answer that forbids, for a day or longer. */
  | ({ state: "given-up" } & Silence);

export interface Silence {
  detail: string;
  /** The first failure in a row. */
  firstAt: number;
  failures: number;
  /** The last failure; absent in a file of an older version. */
  lastAt?: number;
  retryAt: number;
}

/** An answer to a request for robots.txt, as it came. The host gate stores it for the archives of crawls. */
export interface RobotsExchange {
  /** The URL that was asked: that of the file, or the target of a redirect. */
  url: string;
  /** When the request began: milliseconds since the Unix epoch. */
  date: number;
  durationMs: number;
  requestHeaders: PageHeaders;
  status: number;
  statusText: string;
  headers: PageHeaders;
  /** Decoded; empty for a redirect. */
  body: Uint8Array;
  /** Whether this is the entire body. */
  complete: boolean;
}

/** A file that the clock says was read later than now is not fresh: the clock was set back. */
export function isFresh(file: RobotsFile, now: number): boolean {
  if (!("fetchedAt" in file)) return file.retryAt > now;
  return file.fetchedAt <= now && now - file.fetchedAt < ROBOTS_MAX_AGE_MS;
}

/** Whether it was not asked because of a private address, for a crawl that named fewer hosts. */
export function isRefusedToOthers(file: RobotsFile, privateHosts: readonly string[]): boolean {
  if (file.state !== "unreachable" || file.reason !== "private-address") return false;
  return privateHosts.some((host) => !file.named?.includes(host));
}

/** Corrects the times of a failure after the clock was set back: the file is due as soon as it would have been. */
export function limitRetry(file: RobotsFile, now: number): RobotsFile {
  if ("fetchedAt" in file) return file;
  const backMs = Math.max(0, (file.lastAt ?? 0) - now);
  const retryAt = Math.min(file.retryAt - backMs, now + MAX_ROBOTS_RETRY_DELAY_MS);
  if (retryAt === file.retryAt) return file;
  return { ...file, retryAt, firstAt: Math.min(file.firstAt - backMs, now), lastAt: Math.min(file.lastAt ?? now, now) };
}

/** About when a robots.txt was last needed: it is read again where it is needed. */
export function neededAt(file: RobotsFile): number {
  return "fetchedAt" in file ? file.fetchedAt : file.retryAt;
}

/** The key of an origin's exchanges in the storage of its gate. */
export function exchangesKey(origin: string): string {
  return `exchanges:${origin}`;
}
