import type { Reason } from "../crawl/reason.ts";
import type { Robots } from "../robots/parse.ts";
import { ROBOTS_MAX_AGE_MS } from "../robots/policy.ts";

/** The result of the last request for an origin's robots.txt, as the host gate stores it. */

export type RobotsFile =
  | { state: "read"; robots: Robots; fetchedAt: number }
  /** The origin has no robots.txt. */
  | { state: "allow-all"; fetchedAt: number }
  /** An answer that forbids for now (5xx, 429). */
  | ({ state: "silent" } & Silence)
  /** No answer. `final`: the host has never answered, and another try in this crawl is hopeless. */
  | ({ state: "unreachable"; reason: Reason; final: boolean } & Silence)
  /** An answer that forbids, for a day or longer. */
  | ({ state: "given-up" } & Silence);

export interface Silence {
  detail: string;
  /** The first failure in a row. */
  firstAt: number;
  failures: number;
  retryAt: number;
}

export function isFresh(file: RobotsFile, now: number): boolean {
  return "fetchedAt" in file ? now - file.fetchedAt < ROBOTS_MAX_AGE_MS : file.retryAt > now;
}
