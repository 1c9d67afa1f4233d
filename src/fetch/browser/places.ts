/**
 * Places for a few at once, first come, first served. A waiter whose patience ends is forgotten: no place is kept for
 * it.
 */
export class Places {
  readonly #total: number;
  /** In the order in which they came. */
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(total: number) {
    this.#total = total;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Resolves with whether there is a place, after `patienceMs` of real time at the latest. `release` gives it back. */
  async take(patienceMs: number): Promise<boolean> {
    if (this.#taken < this.#total) {
      this.#taken += 1;
      return true;
    }
    // A timer of 0 ms takes 1 ms at least.
    if (patienceMs <= 0) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => {
      this.#waiting.delete(serve);
      resolve(false);
    }, patienceMs);
    const serve = () => {
      clearTimeout(timer);
      resolve(true);
    };
    this.#waiting.add(serve);
    return promise;
  }

  /** Hands the place to whoever has waited longest. */
  release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
