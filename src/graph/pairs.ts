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

  /** The pairs that were added, in their order. The array is the sink's own. */
  toPairs(): Uint32Array<ArrayBuffer> {
    return this.#pairs.subarray(0, this.#length);
  }
}

/** Distinct pairs, sorted. The first and the second number of each stand in turn. */
export type PairSet = Uint32Array<ArrayBuffer>;

/** Sorts pairs in place, and returns the distinct ones. */
export function toPairSet(pairs: Uint32Array<ArrayBuffer>): PairSet {
  sortPairs(pairs);
  return keepPairs(pairs, (at) => at === 0 || !isSame(pairs, at, at - 2));
}

/** The pairs that occur more than once, each once. Sorts in place. */
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

/** The pairs of a set that are not in the other one. */
export function subtractPairs(set: PairSet, other: PairSet): PairSet {
  return keepPairs(set, (at) => !hasPair(other, set[at] as number, set[at + 1] as number));
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

function keepPairs(pairs: Uint32Array, isKept: (at: number) => boolean): PairSet {
  const kept = new PairSink();
  for (let at = 0; at < pairs.length; at += 2) if (isKept(at)) kept.add(pairs[at] as number, pairs[at + 1] as number);
  return kept.toPairs().slice();
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
