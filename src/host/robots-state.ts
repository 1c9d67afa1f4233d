import type { Reason } from "../crawl/reason.ts";
import type { Robots } from "../robots/parse.ts";
import { ROBOTS_MAX_AGE_MS } from "../robots/policy.ts";

/** What is known of an origin's robots.txt. Stored as it is by the host gate. */

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

export interface Silence {
  detail: string;
  firstAt: number;
  failures: number;
  retryAt: number;
}

export function isFresh(file: RobotsFile, now: number): boolean {
  return "fetchedAt" in file ? now - file.fetchedAt < ROBOTS_MAX_AGE_MS : file.retryAt > now;
}
