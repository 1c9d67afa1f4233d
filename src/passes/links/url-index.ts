import { SamePageNames } from "./same-page-names.ts";

/**
 * From a URL to its node: its place among the crawl's rows in the order of their URLs. Sorted 64-bit hashes, the node
 * of each, and for each node the member that has its links: 16 bytes a row. Two of a million URLs share a hash with a
 * chance of 3 in 100 million: half of (10⁶)² × 2⁻⁶⁴. The hash has no secret, because a pass must give the same bytes
 * again. The links to a URL whose hash another one has may count for that one.
 */

const BYTES_PER_NODE = 16;
/** The member of a row without links. */
export const NO_MEMBER = 0xffff_ffff;

export class UrlIndex {
  readonly #names: SamePageNames;
  readonly #hashes: Uint32Array;
  readonly #nodes: Uint32Array;
  readonly #members: Uint32Array;

  /** From the bytes that `UrlHashes.toIndex` made. */
  constructor(bytes: Uint8Array<ArrayBuffer>, names = new SamePageNames()) {
    this.#names = names;
    const nodes = bytes.length / BYTES_PER_NODE;
    this.#hashes = new Uint32Array(bytes.buffer, bytes.byteOffset, nodes * 2);
    this.#nodes = new Uint32Array(bytes.buffer, bytes.byteOffset + nodes * 8, nodes);
    this.#members = new Uint32Array(bytes.buffer, bytes.byteOffset + nodes * 12, nodes);
  }

  get nodes(): number {
    return this.#nodes.length;
  }

  /** The row of a URL, or of the one that stands for it. Null if there is none. */
  find(url: string): number | null {
    const own = this.findRow(url);
    if (own !== null) return this.#standingFor(own);
    const reduced = this.#names.reduce(url);
    if (reduced === null) return null;
    const node = this.findRow(reduced);
    return node === null ? this.#names.storedAs(reduced) : this.#standingFor(node);
  }

  /** The row of another URL that has the same page, by the rules of its host. Null if there is none. */
  findSame(url: string): number | null {
    const reduced = this.#names.reduce(url);
    return reduced === null ? null : this.findRow(reduced);
  }

  #standingFor(node: number): number {
    const url = this.#names.ofRow(node);
    return url === null ? node : (this.findRow(url) ?? node);
  }

  /** The row of this very URL. */
  findRow(url: string): number | null {
    const [low, high] = hashText(url);
    const place = findHash(this.#hashes, low, high);
    const isFound = this.#hashes[place * 2] === low && this.#hashes[place * 2 + 1] === high;
    return isFound ? (this.#nodes[place] as number) : null;
  }

  /** The number of the member that has the links of this node; NO_MEMBER if it has none. */
  memberOf(node: number): number {
    return this.#members[node] as number;
  }
}

/** Collects the hashes of URLs in the order of their nodes. */
export class UrlHashes {
  #hashes = new BigUint64Array(1_024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(url: string): void {
    if (this.#length === this.#hashes.length) {
      const larger = new BigUint64Array(this.#length * 2);
      larger.set(this.#hashes);
      this.#hashes = larger;
    }
    new Uint32Array(this.#hashes.buffer, this.#length * 8, 2).set(hashText(url));
    this.#length += 1;
  }

  /** The bytes of a UrlIndex. `memberOf`: the member of each node. */
  toIndex(memberOf: Uint32Array): Uint8Array<ArrayBuffer> {
    const nodes = this.#length;
    const bytes = new Uint8Array(nodes * BYTES_PER_NODE);
    const sorted = new BigUint64Array(bytes.buffer, 0, nodes);
    sorted.set(this.#hashes.subarray(0, nodes));
    sorted.sort();
    const places = new Uint32Array(bytes.buffer, nodes * 8, nodes);
    const words = new Uint32Array(sorted.buffer, 0, nodes * 2);
    const own = new Uint32Array(this.#hashes.buffer, 0, nodes * 2);
    for (let node = 0; node < nodes; node++)
      places[findHash(words, own[node * 2] as number, own[node * 2 + 1] as number)] = node;
    new Uint32Array(bytes.buffer, nodes * 12, nodes).set(memberOf.subarray(0, nodes));
    return bytes;
  }
}

/** The place of the first hash that is not below this one. No BigInt: they would take most of the time. */
export function findHash(words: Uint32Array, low: number, high: number): number {
  let from = 0;
  let to = words.length / 2;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const middleHigh = words[middle * 2 + 1] as number;
    if (middleHigh === high ? (words[middle * 2] as number) < low : middleHigh < high) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The low and the high word. Two lanes of multiply and xor (MurmurHash3's constants and final mix), as in cyrb53. */
export function hashText(url: string): [number, number] {
  let a = 0xdead_beef;
  let b = 0x41c6_ce57;
  for (let i = 0; i < url.length; i++) {
    const unit = url.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x9e37_79b1);
    b = Math.imul(b ^ unit, 0x5f35_6495);
    a ^= a >>> 15;
    b ^= b >>> 13;
  }
  a = Math.imul(a ^ (a >>> 16), 0x85eb_ca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2_ae35);
  b = Math.imul(b ^ (b >>> 16), 0x85eb_ca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2_ae35);
  return [a >>> 0, b >>> 0];
}
