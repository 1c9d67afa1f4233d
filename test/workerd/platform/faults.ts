import type { Random } from "./random.ts";

/**
 * Decides which faults happen, from the platform's seed. A budget bounds their number, so every run can end; it also
 * bounds those that lose a lane, because a URL whose lane was lost three times is given up as poison.
 */

export interface FaultPlan {
  /** Probability of a fault for each call and each message. */
  rate: number;
  /** Maximum number of faults. */
  budget: number;
  /** Maximum number of faults that lose a lane: a killed or delayed invocation, or a call whose loss does. */
  kills: number;
}

export const NO_FAULTS: FaultPlan = { rate: 0, budget: 0, kills: 0 };

/** Calls of a gate whose loss loses a lane: the gate has granted one, or did not learn that it ended. */
const LOSES_LANE = new Set(["gate.admit after", "gate.settle before", "gate.lend after", "gate reset"]);

export class Faults {
  readonly counts: Record<string, number> = {};
  /** No fault happens while this is false. */
  isOn = true;
  readonly #random: Random;
  readonly #rate: number;
  #left: number;
  #killsLeft: number;

  constructor({ rate, budget, kills }: FaultPlan, random: Random) {
    this.#random = random;
    this.#rate = rate;
    this.#left = budget;
    this.#killsLeft = kills;
  }

  /** Whether a fault of this kind happens now. Counts it. `factor` makes it rarer or more frequent than others. */
  strikes(kind: string, factor = 1): boolean {
    if (!this.isOn || this.#left === 0) return false;
    const losesLane = kind.startsWith("kill") || LOSES_LANE.has(kind);
    if (losesLane && this.#killsLeft === 0) return false;
    if (!this.#random.chance(this.#rate * factor)) return false;
    this.#left -= 1;
    if (losesLane) this.#killsLeft -= 1;
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    return true;
  }

  /** Invocations that were ended, or held up so long that a lane was lost. */
  get kills(): number {
    return Object.entries(this.counts).reduce((sum, [kind, n]) => sum + (kind.startsWith("kill") ? n : 0), 0);
  }

  get total(): number {
    return Object.values(this.counts).reduce((sum, n) => sum + n, 0);
  }
}
