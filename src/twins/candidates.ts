/**
 * Finds the fingerprints that differ in at most 6 bits, in memory, after Manku, Jain and Das Sarma, "Detecting
 * Near-Duplicates for Web Crawling", 2007. Of eight blocks of eight bits, six differing bits leave two equal. So for
 * each of the 28 pairs of blocks the fingerprints are sorted by those 16 bits, and only those that share them are
 * compared. One order is in memory at a time: at most 32 bytes for each fingerprint altogether.
 */

const MAX_DISTANCE = 6;
const BLOCKS = 8;
const KEYS = 65_536;
/** Fingerprints that share a key are compared with so many that follow. A random key of a million has 15. */
const MAX_COMPARED = 500;

export class Fingerprints {
  #words = new Uint32Array(2_048);
  #nodes = new Uint32Array(1_024);
  #length = 0;

  /** `fingerprint`: 16 hex digits. Each node once. */
  add(node: number, fingerprint: string): void {
    if (this.#length === this.#nodes.length) {
      this.#words = grow(this.#words);
      this.#nodes = grow(this.#nodes);
    }
    this.#words[2 * this.#length] = Number.parseInt(fingerprint.slice(0, 8), 16);
    this.#words[2 * this.#length + 1] = Number.parseInt(fingerprint.slice(8), 16);
    this.#nodes[this.#length++] = node;
  }

  /**
   * Gives each pair of nodes once whose fingerprints differ in at most 6 bits, in an order that depends on the nodes
   * added alone. Of nodes with equal fingerprints, only the first is compared with others, and each other with the
   * first. Returns how many comparisons were left out because too many share a key.
   */
  findPairs(visit: (node: number, other: number) => void): number {
    const nodes = this.#nodes;
    const kept = this.#dropEqual((first, other) => visit(nodes[first] as number, nodes[other] as number));
    let leftOut = 0;
    for (let low = 0; low < BLOCKS; low++)
      for (let high = low + 1; high < BLOCKS; high++) leftOut += this.#compare(kept, low, high, visit);
    return leftOut;
  }

  /** Returns the places of the first of each fingerprint, in the order of fingerprints. */
  #dropEqual(visit: (first: number, other: number) => void): Uint32Array {
    const words = this.#words;
    const places = Uint32Array.from({ length: this.#length }, (_, i) => i);
    places.sort(
      (a, b) => part(words, 2 * a) - part(words, 2 * b) || part(words, 2 * a + 1) - part(words, 2 * b + 1) || a - b,
    );
    let kept = 0;
    for (const place of places) {
      const last = places[kept - 1];
      const isEqual =
        last !== undefined && words[2 * last] === words[2 * place] && words[2 * last + 1] === words[2 * place + 1];
      if (isEqual) visit(last, place);
      else places[kept++] = place;
    }
    return places.subarray(0, kept);
  }

  #compare(places: Uint32Array, low: number, high: number, visit: (node: number, other: number) => void): number {
    const words = this.#words;
    const keyOf = (place: number) => (blockOf(words, place, low) << 8) | blockOf(words, place, high);
    // Counting sort.
    const ends = new Uint32Array(KEYS + 1);
    for (const place of places) ends[keyOf(place) + 1] = part(ends, keyOf(place) + 1) + 1;
    for (let key = 0; key < KEYS; key++) ends[key + 1] = part(ends, key + 1) + part(ends, key);
    const sorted = new Uint32Array(places.length);
    for (const place of places) {
      const key = keyOf(place);
      sorted[part(ends, key)] = place;
      ends[key] = part(ends, key) + 1;
    }
    // Now each end is that of its own key.
    let leftOut = 0;
    let start = 0;
    for (let key = 0; key < KEYS; key++) {
      const end = part(ends, key);
      for (let i = start; i < end; i++) {
        const last = Math.min(end, i + 1 + MAX_COMPARED);
        leftOut += end - last;
        for (let j = i + 1; j < last; j++) this.#compareTwo(part(sorted, i), part(sorted, j), low, high, visit);
      }
      start = end;
    }
    return leftOut;
  }

  #compareTwo(one: number, other: number, low: number, high: number, visit: (node: number, other: number) => void) {
    const a = part(this.#words, 2 * one) ^ part(this.#words, 2 * other);
    const b = part(this.#words, 2 * one + 1) ^ part(this.#words, 2 * other + 1);
    if (countBits(a) + countBits(b) > MAX_DISTANCE) return;
    // Pairs that share further blocks come once, with the first two.
    for (let block = 0; block < high; block++) if (block !== low && blockOfDifference(a, b, block) === 0) return;
    visit(part(this.#nodes, one), part(this.#nodes, other));
  }
}

function part(words: Uint32Array, at: number): number {
  return words[at] as number;
}

function blockOf(words: Uint32Array, place: number, block: number): number {
  return blockOfDifference(part(words, 2 * place), part(words, 2 * place + 1), block);
}

function blockOfDifference(high: number, low: number, block: number): number {
  return ((block < 4 ? high : low) >>> (8 * (3 - (block & 3)))) & 255;
}

/** Warren, "Hacker's Delight", 2002, section 5-1. */
function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x5555_5555);
  bits = (bits & 0x3333_3333) + ((bits >>> 2) & 0x3333_3333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

function grow(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}
