/**
 * Finds the fingerprints that differ in at most 8 bits, in memory, after Manku, Jain and Das Sarma, "Detecting
 * Near-Duplicates for Web Crawling", 2007. Of eleven blocks of five to seven bits, eight differing bits leave three
 * equal. So for each of the 165 triples of blocks the fingerprints are sorted by those 17 bits or so, and only those
 * that share them are compared. One order is in memory at a time: at most 32 bytes for each fingerprint altogether.
 */

const MAX_DISTANCE = 8;
/** The bits of each block: six of the high word, and five of the low one. */
const HIGH_BLOCKS = [6, 6, 5, 5, 5, 5];
const LOW_BLOCKS = [7, 7, 6, 6, 6];
/** Up to so many fingerprints are compared each with each, which takes some 50 ms. */
const MAX_EACH_WITH_EACH = 4_096;
/** Fingerprints that share a key are compared with so many that follow. A random key of a million has 8. */
const MAX_COMPARED = 500;

interface Block {
  /** 0 for the high word, 1 for the low one. */
  word: 0 | 1;
  shift: number;
  bits: number;
}

type Triple = readonly [Block, Block, Block];

const BLOCKS: readonly Block[] = [...blocksOf(HIGH_BLOCKS, 0), ...blocksOf(LOW_BLOCKS, 1)];
const TRIPLES: readonly Triple[] = BLOCKS.flatMap((first, i) =>
  BLOCKS.slice(i + 1).flatMap((second, j) => BLOCKS.slice(i + j + 2).map((third): Triple => [first, second, third])),
);
/** The number of orders in which fingerprints are compared. */
export const ORDERS = TRIPLES.length;

export class Fingerprints {
  #words = new Uint32Array(2_048);
  #nodes = new Uint32Array(1_024);
  #length = 0;
  readonly #maxEachWithEach: number;

  /** `maxEachWithEach`: up to so many fingerprints are compared each with each, without blocks. */
  constructor(maxEachWithEach = MAX_EACH_WITH_EACH) {
    this.#maxEachWithEach = maxEachWithEach;
  }

  /** `fingerprint`: 16 hex digits. Each node once. */
  add(node: number, fingerprint: string): void {
    this.#add(node, Number.parseInt(fingerprint.slice(0, 8), 16), Number.parseInt(fingerprint.slice(8), 16));
  }

  #add(node: number, high: number, low: number): void {
    if (this.#length === this.#nodes.length) {
      this.#words = grow(this.#words);
      this.#nodes = grow(this.#nodes);
    }
    this.#words[2 * this.#length] = high;
    this.#words[2 * this.#length + 1] = low;
    this.#nodes[this.#length++] = node;
  }

  /** The nodes and the words of the fingerprints, for `addArrays`. */
  toArrays(): [nodes: Uint32Array, words: Uint32Array] {
    return [this.#nodes.subarray(0, this.#length), this.#words.subarray(0, 2 * this.#length)];
  }

  addArrays(nodes: Uint32Array, words: Uint32Array): void {
    for (let i = 0; i < nodes.length; i++) this.#add(part(nodes, i), part(words, 2 * i), part(words, 2 * i + 1));
  }

  get length(): number {
    return this.#length;
  }

  /**
   * Gives each pair of nodes once whose fingerprints differ in at most 8 bits, in an order that depends on the nodes
   * added alone. Of nodes with equal fingerprints, only the first is compared with others, and each other with the
   * first. `from` and `to`: only the pairs that these orders find; equal ones come with order 0. Returns how many
   * comparisons were left out because too many share a key.
   */
  findPairs(visit: (node: number, other: number) => void, from = 0, to = ORDERS): number {
    const nodes = this.#nodes;
    const kept = this.#dropEqual((first, other) => {
      if (from === 0) visit(nodes[first] as number, nodes[other] as number);
    });
    if (kept.length <= this.#maxEachWithEach) {
      if (from === 0) this.#compareAll(kept, visit);
      return 0;
    }
    let leftOut = 0;
    for (let order = from; order < to; order++) leftOut += this.#compare(kept, order, visit);
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

  #compareAll(places: Uint32Array, visit: (node: number, other: number) => void): void {
    for (let i = 0; i < places.length; i++)
      for (let j = i + 1; j < places.length; j++) {
        const [one, other] = [part(places, i), part(places, j)];
        if (this.#distance(one, other) <= MAX_DISTANCE) visit(part(this.#nodes, one), part(this.#nodes, other));
      }
  }

  #distance(one: number, other: number): number {
    const words = this.#words;
    return (
      countBits(part(words, 2 * one) ^ part(words, 2 * other)) +
      countBits(part(words, 2 * one + 1) ^ part(words, 2 * other + 1))
    );
  }

  #compare(places: Uint32Array, order: number, visit: (node: number, other: number) => void): number {
    const words = this.#words;
    const [first, second, third] = TRIPLES[order] as Triple;
    const keyOf = (place: number) =>
      (((blockOf(words, place, first) << second.bits) | blockOf(words, place, second)) << third.bits) |
      blockOf(words, place, third);
    // Counting sort.
    const keys = 1 << (first.bits + second.bits + third.bits);
    const ends = new Uint32Array(keys + 1);
    for (const place of places) {
      const after = keyOf(place) + 1;
      ends[after] = part(ends, after) + 1;
    }
    for (let key = 0; key < keys; key++) ends[key + 1] = part(ends, key + 1) + part(ends, key);
    const sorted = new Uint32Array(places.length);
    for (const place of places) {
      const key = keyOf(place);
      sorted[part(ends, key)] = place;
      ends[key] = part(ends, key) + 1;
    }
    // Now each end is that of its own key.
    let leftOut = 0;
    let start = 0;
    for (let key = 0; key < keys; key++) {
      const end = part(ends, key);
      for (let i = start; i < end; i++) {
        const last = Math.min(end, i + 1 + MAX_COMPARED);
        leftOut += end - last;
        for (let j = i + 1; j < last; j++) this.#compareTwo(part(sorted, i), part(sorted, j), order, visit);
      }
      start = end;
    }
    return leftOut;
  }

  #compareTwo(one: number, other: number, order: number, visit: (node: number, other: number) => void): void {
    if (this.#distance(one, other) > MAX_DISTANCE) return;
    const high = part(this.#words, 2 * one) ^ part(this.#words, 2 * other);
    const low = part(this.#words, 2 * one + 1) ^ part(this.#words, 2 * other + 1);
    // Pairs that share further blocks come once, with the first three.
    if (!areFirstEqual(high, low, TRIPLES[order] as Triple)) return;
    visit(part(this.#nodes, one), part(this.#nodes, other));
  }
}

function blocksOf(sizes: readonly number[], word: 0 | 1): Block[] {
  let shift = 32;
  return sizes.map((bits) => {
    shift -= bits;
    return { word, shift, bits };
  });
}

function blockOf(words: Uint32Array, place: number, { word, shift, bits }: Block): number {
  return (part(words, 2 * place + word) >>> shift) & ((1 << bits) - 1);
}

/** Whether two fingerprints that are equal in three blocks are equal in none before them. */
function areFirstEqual(high: number, low: number, triple: Triple): boolean {
  for (const block of BLOCKS) {
    if (block === triple[2]) return true;
    if (block === triple[0] || block === triple[1]) continue;
    if ((((block.word === 0 ? high : low) >>> block.shift) & ((1 << block.bits) - 1)) === 0) return false;
  }
  return true;
}

function part(words: Uint32Array, at: number): number {
  return words[at] as number;
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
