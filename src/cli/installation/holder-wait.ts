import type { StateInUse } from "../errors.ts";
import { START_TIMEOUT_MS } from "../machine/workerd.ts";

/** How long to wait, in milliseconds, for a process that has started and cannot be joined: it only reads, or ends. */
const WORKING_MS = 10_000;

/**
 * How long a command waits for whoever has its state folder. Each process that it meets there has its own time, and one
 * that has started has it anew: on a busy machine it does so between the refusal and the next attempt to join it.
 */
export class HolderWait {
  #met = "";
  #since = 0;

  /** Whether to try again after this refusal. `now`: in milliseconds. */
  goesOn({ holder, isStarting }: Pick<StateInUse, "holder" | "isStarting">, now: number): boolean {
    const met = `${holder} ${isStarting}`;
    if (met !== this.#met) {
      this.#met = met;
      this.#since = now;
    }
    return now - this.#since < (isStarting ? START_TIMEOUT_MS : WORKING_MS);
  }
}
