import { systemClock } from "../core/clock.ts";

/**
 * The timeout and the duration of one fetch, in real time. Time that our own limits make it wait counts for neither.
 */
export class Deadline {
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #leftMs: number;
  /** Time that was counted before the clock was last started. */
  #countedMs = 0;
  /** Null while the clock is stopped. */
  #startedAt: number | null = null;

  constructor(timeoutMs: number) {
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
