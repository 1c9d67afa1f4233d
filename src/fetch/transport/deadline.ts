import { systemClock } from "../../core/clock.ts";

/**
 * The timeout and the duration of one fetch, in real time. Time that our own limits make it wait counts for neither.
 */
export class Deadline {
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #createdAt = systemClock.now();
  readonly #leaseMs: number;
  #leftMs: number;
  /** Time that was counted before the clock was last started. */
  #countedMs = 0;
  /** Null while the clock is stopped. */
  #startedAt: number | null = null;

  /** `leaseMs`: how long the lane's lease allows, from now. */
  constructor(timeoutMs: number, leaseMs: number | null = null) {
    this.#leaseMs = leaseMs ?? Number.POSITIVE_INFINITY;
    this.#leftMs = timeoutMs;
    this.#start();
  }

  /** Aborts when the time is up. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Counted time in milliseconds. */
  elapsed(): number {
    return this.#countedMs + (this.#startedAt === null ? 0 : systemClock.now() - this.#startedAt);
  }

  /**
   * How long the fetch may wait for our own limits now, in milliseconds, so that it can still take its whole timeout
   * before the lane's lease ends.
   */
  patienceMs(): number {
    const timeoutLeftMs = this.#leftMs - (this.#startedAt === null ? 0 : systemClock.now() - this.#startedAt);
    return Math.max(0, this.leaseLeftMs() - Math.max(0, timeoutLeftMs));
  }

  /** Real time until the lane's lease ends, in milliseconds; Infinity without one. */
  leaseLeftMs(): number {
    return this.#createdAt + this.#leaseMs - systemClock.now();
  }

  /** Waits for `work` without counting its time. */
  async exclude<T>(work: Promise<T>): Promise<T> {
    this.stop();
    try {
      return await work;
    } finally {
      this.#start();
    }
  }

  stop(): void {
    if (this.#startedAt === null) return;
    clearTimeout(this.#timer);
    const passed = systemClock.now() - this.#startedAt;
    this.#countedMs += passed;
    this.#leftMs -= passed;
    this.#startedAt = null;
  }

  #start(): void {
    this.#startedAt = systemClock.now();
    this.#timer = setTimeout(() => this.#controller.abort(), Math.max(0, this.#leftMs));
  }
}
