/**
 * Whether a batch works or only waits: for a host's rest, for a slow answer, or for its other lanes. The local queue
 * delivers one batch at a time, so it goes on to the next one while this one waits (local-consumer.ts).
 */

/** Real time after which an answer is slow. */
const SLOW_MS = 500;

export class Activity {
  #working = 0;
  #idle: ReturnType<typeof setTimeout> | undefined;
  readonly #waiting = Promise.withResolvers<void>();

  /** Resolves when, for the first time, all work of the batch waits or has ended. */
  get waiting(): Promise<void> {
    return this.#waiting.promise;
  }

  /** Counts as work until it ends, except while it waits. */
  async work<T>(doing: () => Promise<T>): Promise<T> {
    this.#begin();
    try {
      return await doing();
    } finally {
      this.#pause();
    }
  }

  /** Waits inside `work`. */
  async wait<T>(event: Promise<T>): Promise<T> {
    this.#pause();
    try {
      return await event;
    } finally {
      this.#begin();
    }
  }

  /** Like `wait`, for an answer that usually comes at once: waiting begins when it is slow. */
  async waitIfSlow<T>(answer: Promise<T>): Promise<T> {
    const slow = Promise.withResolvers<"slow">();
    const timer = setTimeout(() => slow.resolve("slow"), SLOW_MS);
    try {
      const first = await Promise.race([answer.then(() => "answered"), slow.promise]);
      return await (first === "answered" ? answer : this.wait(answer));
    } finally {
      clearTimeout(timer);
    }
  }

  #begin(): void {
    this.#working += 1;
    clearTimeout(this.#idle);
  }

  /**
   * What ends often hands over to what waited for it, so the batch waits only if nothing has begun by the next task.
   * There is one timer at a time, because timers are late where the event loop never rests, and an invocation may have
   * 10,000 (a limit of workerd).
   */
  #pause(): void {
    this.#working -= 1;
    if (this.#working === 0) this.#idle = setTimeout(() => this.#waiting.resolve(), 0);
  }
}
