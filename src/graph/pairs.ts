/**
 * Pairs of 32-bit numbers in one array, the first and the second number of each in turn: eight bytes a pair, which an
 * object in R2 holds as they are.
 */

/** Pairs of numbers in an array that doubles. */
export class PairSink {
  #pairs = new Uint32Array(4_096);
  #length = 0;

  add(first: number, second: number): void {
    if (this.#length === this.#pairs.length) {
      const larger = new Uint32Array(this.#length * 2);
      larger.set(this.#pairs);
      this.#pairs = larger;
    }
    this.#pairs[this.#length++] = first;
    this.#pairs[this.#length++] = second;
  }

  /** The number of pairs. */
  get count(): number {
    return this.#length / 2;
  }

  /** The pairs that were added, in their order. The array is the sink's own. */
  toPairs(): Uint32Array<ArrayBuffer> {
    return this.#pairs.subarray(0, this.#length);
  }
}

/** Distinct pairs, sorted. The first and the second number of each stand in turn. */
export type PairSet = Uint32Array<ArrayBuffer>;

/** Sorts pairs in place, and returns the distinct ones: the first part of the same array. */
export function toPairSet(pairs: Uint32Array<ArrayBuffer>): PairSet {
  sortPairs(pairs);
  return keepPairs(pairs, (at) => at === 0 || !isSame(pairs, at, at - 2));
}

/** The pairs that occur more than once, each once: the first part of the same array, sorted in place. */
export function repeatedPairs(pairs: Uint32Array<ArrayBuffer>): PairSet {
  sortPairs(pairs);
  return keepPairs(pairs, (at) => isSame(pairs, at, at + 2) && (at === 0 || !isSame(pairs, at, at - 2)));
}

export function joinPairs(parts: readonly Uint32Array[]): Uint32Array<ArrayBuffer> {
  const all = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Pairs that wait until they are joined with a set of at most so many: 4 MB. */
const MOST_WAITING = 500_000;

/**
 * The union of many sets, of which the least `most` pairs are kept: whatever is added, it takes memory for twice as
 * many, and 12 MB.
 */
export class PairUnion {
  readonly #most: number;
  #set: PairSet = new Uint32Array();
  #waiting = new PairSink();
  #dropped = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(pairs: Uint32Array): void {
    for (let at = 0; at < pairs.length; at += 2) {
      this.#waiting.add(pairs[at] as number, pairs[at + 1] as number);
      if (this.#waiting.count >= MOST_WAITING) this.#join();
    }
  }

  /** The set, and the number of pairs that were too many. One that was added more than once may count again. */
  finish(): { pairs: PairSet; leftOut: number } {
    this.#join();
    return { pairs: this.#set, leftOut: this.#dropped };
  }

  #join(): void {
    const fresh = toPairSet(this.#waiting.toPairs());
    this.#waiting = new PairSink();
    const before = this.#set;
    const joined = new Uint32Array(Math.min(before.length + fresh.length, 2 * this.#most));
    let [own, other, kept] = [0, 0, 0];
    while (own < before.length || other < fresh.length) {
      const order = comparePairs(before, own, fresh, other);
      const [from, at] = order <= 0 ? [before, own] : [fresh, other];
      if (kept < joined.length) {
        joined[kept++] = from[at] as number;
        joined[kept++] = from[at + 1] as number;
      } else this.#dropped += 1;
      if (order <= 0) own += 2;
      if (order >= 0) other += 2;
    }
    this.#set = joined.subarray(0, kept);
  }
}

/** Negative if the pair of the first set comes first, 0 if both are the same. A place beyond the end comes last. */
function comparePairs(set: PairSet, at: number, other: PairSet, otherAt: number): number {
  if (at >= set.length) return 1;
  if (otherAt >= other.length) return -1;
  const byFirst = (set[at] as number) - (other[otherAt] as number);
  return byFirst === 0 ? (set[at + 1] as number) - (other[otherAt + 1] as number) : byFirst;
}

/** What of a set does not come. It takes a byte for each pair beside the set. */
export class MissingPairs {
  readonly #set: PairSet;
  readonly #isFound: Uint8Array;

  constructor(set: PairSet) {
    this.#set = set;
    this.#isFound = new Uint8Array(set.length / 2);
  }

  /** Pairs of the set, in any order. */
  take(pairs: Uint32Array): void {
    for (let at = 0; at < pairs.length; at += 2) {
      const [first, second] = [pairs[at] as number, pairs[at + 1] as number];
      const place = placeOf(this.#set, first, second);
      if (this.#set[place] === first && this.#set[place + 1] === second) this.#isFound[place / 2] = 1;
    }
  }

  /** The first part of the array of the set. */
  finish(): PairSet {
    return keepPairs(this.#set, (at) => this.#isFound[at / 2] === 0);
  }
}

export function hasPair(set: PairSet, first: number, second: number): boolean {
  const at = placeOf(set, first, second);
  return set[at] === first && set[at + 1] === second;
}

/** The second numbers of all pairs that begin with `first`. */
export function* secondsOf(set: PairSet, first: number): Generator<number, void> {
  for (let at = placeOf(set, first, 0); set[at] === first; at += 2) yield set[at + 1] as number;
}

/** Where the first pair begins that is not below this one. */
function placeOf(set: PairSet, first: number, second: number): number {
  let from = 0;
  let to = set.length / 2;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const found = set[2 * middle] as number;
    if (found < first || (found === first && (set[2 * middle + 1] as number) < second)) from = middle + 1;
    else to = middle;
  }
  return 2 * from;
}

/** Whether the pairs at two places are equal. A place beyond the end has none. */
function isSame(pairs: Uint32Array, at: number, other: number): boolean {
  return pairs[at] === pairs[other] && pairs[at + 1] === pairs[other + 1];
}

/** Moves what is kept to the front. `isKept` may look at the pairs before and after: they are in their places. */
function keepPairs(pairs: PairSet, isKept: (at: number) => boolean): PairSet {
  let kept = 0;
  for (let at = 0; at < pairs.length; at += 2) {
    if (!isKept(at)) continue;
    pairs[kept++] = pairs[at] as number;
    pairs[kept++] = pairs[at + 1] as number;
  }
  return pairs.subarray(0, kept);
}

/**
 * Sorts by (first, second). A pair is one 64-bit number to the runtime's own sort, which needs no function to compare.
 * All platforms of workerd and Node are little-endian, so the second number has to stand first.
 */
export function sortPairs(pairs: Uint32Array<ArrayBuffer>): void {
  swapHalves(pairs);
  new BigUint64Array(pairs.buffer, pairs.byteOffset, pairs.length / 2).sort();
  swapHalves(pairs);
}

function swapHalves(pairs: Uint32Array): void {
  for (let at = 0; at < pairs.length; at += 2) {
    const first = pairs[at] as number;
    pairs[at] = pairs[at + 1] as number;
    pairs[at + 1] = first;
  }
}
