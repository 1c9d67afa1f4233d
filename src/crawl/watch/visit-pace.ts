import { BEAT_MS } from "../../core/clock.ts";
import type { Politeness } from "../crawl-options.ts";

/** How often a watch can visit its pages. */

/** Visits of a watch that are under way at most. A heartbeat, which comes once a minute, sends more as they settle. */
export const MOST_UNDER_WAY = 1_000;

/**
 * The least mean interval between two visits of a page, in seconds, that `pages` pages on `hosts` hosts allow. It is a
 * lower bound: the busiest host has at least its share of the pages, and rests for `minDelayMs` or longer after each.
 */
export function leastEveryS(pages: number, hosts: number, { minDelayMs }: Pick<Politeness, "minDelayMs">): number {
  const byPace = (Math.ceil(pages / Math.max(hosts, 1)) * minDelayMs) / 1_000;
  const byRoom = (pages / MOST_UNDER_WAY) * (BEAT_MS / 1000);
  return Math.ceil(Math.max(byPace, byRoom));
}
