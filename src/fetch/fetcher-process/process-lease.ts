/**
 * Whether pages go to the fetcher process. It is started by the first load that one core may not bear, and is used as
 * long as the machine says that it runs: it holds some 100 MB.
 */

/** So many pages within LOAD_MS are a load: one core fetches and reads a few hundred small pages a second. */
const LOAD_PAGES = 100;
const LOAD_MS = 2_000;
/**
 * With fewer batches at the same time, nothing is gained: what a batch has fetched is written and committed before its
 * host has the next one, and while that is done nothing is fetched.
 */
const LOAD_BATCHES = 3;
/** After a loss, or where there is no such process, nobody asks again for so long. */
const PROCESS_PAUSE_MS = 10_000;

interface Taken {
  isHeld: boolean;
  asking: Promise<void> | null;
}

/** All times are real, in milliseconds. */
export class ProcessLease {
  #countedFrom = 0;
  #pages = 0;
  #heldUntil = 0;
  #askAgainAt = 0;

  /**
   * Counts a page that is fetched `now`, beside so many `batches`, its own included. `isHeld`: the process takes it.
   * `asking`: to be awaited with it, because an invocation that has ended gets no answers. `ask` starts the process, or
   * has it stay: it says for how long it then runs at least, null for a machine that has none. `isAlways`: any load is
   * enough.
   */
  take(now: number, batches: number, ask: () => Promise<number | null>, isAlways = false): Taken {
    if (now - this.#countedFrom >= LOAD_MS) {
      this.#countedFrom = now;
      this.#pages = 0;
    }
    if (batches >= LOAD_BATCHES) this.#pages += 1;
    const isHeld = now < this.#heldUntil;
    const isBusy = isAlways || this.#pages >= LOAD_PAGES;
    if (!isBusy || now < this.#askAgainAt) return { isHeld, asking: null };
    this.#askAgainAt = now + PROCESS_PAUSE_MS;
    const asking = ask().then(
      (ms) => {
        if (ms !== null) this.#heldUntil = now + ms;
      },
      // Pages are fetched as before.
      () => undefined,
    );
    return { isHeld, asking };
  }

  /** The process has not answered. Pages do without it until the machine has started it again. */
  lose(): void {
    this.#heldUntil = 0;
  }
}
