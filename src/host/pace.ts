/**
 * Politeness as arithmetic: how long a host rests, and when it may be asked again. Knows neither storage nor the time of day.
 *
 * The rule is Heritrix's: after a fetch the host rests for `delayFactor` times that fetch's duration, within bounds, and never less
 * than its Crawl-delay. Crawl-delay is no part of RFC 9309; sites use it all the same, so it is obeyed up to `MAX_CRAWL_DELAY_MS`.
 */

export interface Pace {
  minDelayMs: number;
  maxDelayMs: number;
  delayFactor: number;
  /** What robots.txt asks for, or null. */
  crawlDelayMs: number | null;
}

export const MAX_CRAWL_DELAY_MS = 300_000;
const FIRST_BACKOFF_MS = 10_000;
const MAX_BACKOFF_MS = 3_600_000;

/** The rest after a fetch that took `durationMs`: whole milliseconds, for times are stored as integers. */
export function restMs(durationMs: number, pace: Pace): number {
  const adaptive = Math.min(Math.max(pace.delayFactor * durationMs, pace.minDelayMs), pace.maxDelayMs);
  // A delay of nothing is an explicit wish for one's own machines: the duration of a fetch does not bring one back.
  const wanted = pace.minDelayMs === 0 ? 0 : Math.max(adaptive, pace.minDelayMs);
  return Math.ceil(Math.max(wanted, Math.min(pace.crawlDelayMs ?? 0, MAX_CRAWL_DELAY_MS)));
}

/** The rest after `failures` failures of the host in a row (at least one): 10 s, doubling, at most an hour. */
export function backoffMs(failures: number): number {
  return Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), MAX_BACKOFF_MS);
}

/**
 * Tells one lane when its next request may start. With one connection that is the end of the last fetch and its rest; with several,
 * starts also stand at least the shortest rest apart.
 */
export class LanePacer {
  readonly #pace: Pace;
  #nextAt: number;

  constructor(pace: Pace, startAt: number) {
    this.#pace = pace;
    this.#nextAt = startAt;
  }

  /** Books the next start, at `now` or later, and says when it is. */
  start(now: number): number {
    const at = Math.max(now, this.#nextAt);
    this.#nextAt = at + restMs(0, this.#pace);
    return at;
  }

  /** A fetch of this lane ended at `now`. */
  finish(now: number, durationMs: number): void {
    this.#nextAt = Math.max(this.#nextAt, now + restMs(durationMs, this.#pace));
  }

  /** No request to the host may start before this. */
  get nextAt(): number {
    return this.#nextAt;
  }
}
