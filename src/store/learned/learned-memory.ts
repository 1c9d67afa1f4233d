import { LRUCache } from "lru-cache"; // the usual LRU of the npm world, no dependencies

/**
 * What an isolate has read or written of hosts (learned.ts), between batches. The row of a large host has 100 kB, and a
 * batch would read it twice. Others may write meanwhile, so a version is compared before it is used.
 */

/** Characters of JSON; the objects take up to three times as many bytes. */
const MAX_CHARACTERS = 4_000_000;

export interface Stored<Learned> {
  learned: Learned;
  /** Counts the writes: 0 before the first. */
  version: number;
  /** The characters of its JSON. */
  length: number;
}

export class LearnedMemory {
  readonly #rows = new LRUCache<string, Stored<unknown>>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ length }) => Math.max(length, 1),
  });

  get<Learned>(key: string): Stored<Learned> | undefined {
    return this.#rows.get(key) as Stored<Learned> | undefined;
  }

  set(key: string, stored: Stored<unknown>): void {
    this.#rows.set(key, stored);
  }
}
