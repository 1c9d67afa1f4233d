/** Random choices that are the same in each run. */
import { randomFrom } from "../freshness/random.ts";

export class Dice {
  readonly next: () => number;

  constructor(seed: number) {
    this.next = randomFrom(seed);
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** Throws for an empty list. */
  one<T>(list: readonly T[]): T {
    const value = list[this.below(list.length)];
    if (value === undefined) throw new Error("there is nothing to choose from");
    return value;
  }

  some<T>(list: readonly T[], count: number): T[] {
    const left = [...list];
    return Array.from({ length: Math.min(count, list.length) }, () => left.splice(this.below(left.length), 1)[0] as T);
  }

  shuffle<T>(list: readonly T[]): T[] {
    const shuffled = [...list];
    for (let i = shuffled.length - 1; i > 0; i--) {
      const k = this.below(i + 1);
      [shuffled[i], shuffled[k]] = [shuffled[k] as T, shuffled[i] as T];
    }
    return shuffled;
  }
}
