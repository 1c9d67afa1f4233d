import type { CrawlUrl } from "../crawl.ts";

/** A crawl's rows counted by code, type, depth, reason and host. Times are milliseconds since the Unix epoch. */
export interface Report {
  /** URLs by the status of the last answer. */
  codes: Record<string, number>;
  /** URLs by media type, without parameters. */
  types: Record<string, number>;
  depths: Record<string, number>;
  reasons: Record<string, number>;
  /** Hosts with most URLs first. */
  hosts: HostCount[];
  newest: CrawlUrl[];
  errors: CrawlUrl[];
  history: HistoryStep[];
}

export interface HostCount {
  /** `URL.host`. */
  host: string;
  urls: number;
  completed: number;
  bytes: number;
}

/** Pages stored in one interval. */
export interface HistoryStep {
  at: number;
  pages: number;
  bytes: number;
}

/** Intervals of a history. */
const MOST_STEPS = 120;
/** Lengths that a person reads easily, in seconds; beyond a day, whole days. */
const LENGTHS_S = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400];

/** Length of an interval, in milliseconds, so that at most `MOST_STEPS` of them cover the time. */
export function historyStepMs(from: number, to: number): number {
  const least = (to - from + 1) / MOST_STEPS / 1000;
  const seconds = LENGTHS_S.find((length) => length >= least) ?? Math.ceil(least / 86_400) * 86_400;
  return seconds * 1000;
}

/** Every interval from the first to the last, including empty ones. */
export function fillHistory(steps: HistoryStep[], from: number, to: number, stepMs: number): HistoryStep[] {
  const known = new Map(steps.map((step) => [step.at, step]));
  const count = Math.max(0, Math.floor((to - from) / stepMs)) + 1;
  return Array.from({ length: count }, (_, i) => {
    const at = from + i * stepMs;
    return known.get(at) ?? { at, pages: 0, bytes: 0 };
  });
}
