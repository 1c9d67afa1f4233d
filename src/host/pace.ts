/**
 * The arithmetic of politeness: how long a host rests, and when the next request may start. It knows no storage and no
 * clock.
 *
 * The rule is Heritrix's: after a fetch the host rests for `delayFactor` times the duration of that fetch, within
 * bounds, and at least for its Crawl-delay. Crawl-delay is not part of RFC 9309, but sites use it, so it is obeyed up
 * to `MAX_CRAWL_DELAY_MS`.
 */

export interface Pace {
  minDelayMs: number;
  maxDelayMs: number;
  delayFactor: number;
  /** The Crawl-delay in robots.txt, or null. */
  crawlDelayMs: number | null;
  /** Bandwidth limit: bytes of bodies per second, on average over requests and rests. 0 or absent: no limit. */
  maxBytesPerSecond?: number;
}

const MAX_CRAWL_DELAY_MS = 300_000;
const MAX_TRANSFER_MS = 86_400_000;
const FIRST_BACKOFF_MS = 10_000;
const MAX_BACKOFF_MS = 3_600_000;

/**
 * The rest after a fetch that took `durationMs` of real time: whole milliseconds, because times are stored as integers.
 */
export function restMs(durationMs: number, pace: Pace): number {
  const adaptive = Math.min(Math.max(pace.delayFactor * durationMs, pace.minDelayMs), pace.maxDelayMs);
  // A minDelayMs of 0 turns the delay off, for one's own machines, however long a fetch took.
  const wanted = pace.minDelayMs === 0 ? 0 : Math.max(adaptive, pace.minDelayMs);
  return Math.ceil(Math.max(wanted, Math.min(pace.crawlDelayMs ?? 0, MAX_CRAWL_DELAY_MS)));
}

/** The time that a body of so many bytes takes at the bandwidth limit, at most a day; 0 without a limit. */
export function transferMs(bodyBytes: number, { maxBytesPerSecond = 0 }: Pace): number {
  return maxBytesPerSecond === 0 ? 0 : Math.min(Math.ceil((bodyBytes / maxBytesPerSecond) * 1_000), MAX_TRANSFER_MS);
}

/** The rest after a fetch: `restMs`, or what is left of its `transferMs` if that is longer. */
export function restAfter(durationMs: number, bodyBytes: number, pace: Pace): number {
  return Math.max(restMs(durationMs, pace), transferMs(bodyBytes, pace) - durationMs);
}

/** The rest after `failures` failures of the host in a row (at least one): 10 s, doubling, at most an hour. */
export function backoffMs(failures: number): number {
  return Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), MAX_BACKOFF_MS);
}

/** A page's request leaves so much later than its booked start, at most, because its fetcher is started first. */
const START_MS = 20;

/**
 * Paces the requests of one lane. With one connection, a request starts after the rest that follows the last fetch.
 * With several connections, starts are also at least the shortest rest apart.
 */
export class LanePacer {
  readonly #pace: Pace;
  #nextAt: number;
  /** When the bodies so far would have ended at the bandwidth limit, one after the other. */
  #transferredAt = 0;
  readonly #leastDelayMs: number;
  /** The last start. */
  #startedAt = 0;

  /** `leastDelayMs`: the least time between the starts of two requests, those of one visit too. */
  constructor(pace: Pace, startAt: number, leastDelayMs = 0) {
    this.#pace = pace;
    this.#nextAt = startAt;
    this.#leastDelayMs = leastDelayMs;
  }

  /** Books the next start, and returns its time: `now` or later. */
  start(now: number): number {
    const at = Math.max(now, this.#nextAt);
    this.#nextAt = at + restMs(0, this.#pace);
    this.#startedAt = at;
    return at;
  }

  /** The same for a request that belongs to a visit under way, before whose end the host does not rest. */
  startWithin(now: number): number {
    const at = this.#leastDelayMs === 0 ? now : Math.max(now, this.#startedAt + this.#leastDelayMs + START_MS);
    this.#nextAt = Math.max(this.#nextAt, at + this.#leastDelayMs);
    this.#startedAt = at;
    return at;
  }

  /** Records that a fetch of this lane ended at `now`, with a body of so many bytes. */
  finish(now: number, durationMs: number, bodyBytes = 0): void {
    this.#transferredAt = Math.max(this.#transferredAt, now - durationMs) + transferMs(bodyBytes, this.#pace);
    this.#nextAt = Math.max(this.#nextAt, now + restMs(durationMs, this.#pace), this.#transferredAt);
  }

  /** The earliest start of the next request to the host. */
  get nextAt(): number {
    return this.#nextAt;
  }
}

/** The pacer of a lane that a gate has granted. */
export function pacerOf(lane: { pace: Pace; startAt: number; leastDelayMs?: number }): LanePacer {
  return new LanePacer(lane.pace, lane.startAt, lane.leastDelayMs);
}
