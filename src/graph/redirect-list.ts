/**
 * Where redirects lead, by node: eight bytes and the URL for each, where a map of strings takes some 200 bytes. Nodes
 * are added in their order.
 */

const FIRST_BYTES = 65_536;

export class RedirectListSink {
  readonly #encoder = new TextEncoder();
  #nodes = new Uint32Array(1_024);
  #ends = new Uint32Array(1_024);
  #count = 0;
  #bytes = new Uint8Array(FIRST_BYTES);
  #length = 0;

  get count(): number {
    return this.#count;
  }

  add(node: number, target: string): void {
    if (this.#count === this.#nodes.length) {
      this.#nodes = twice(this.#nodes, Uint32Array);
      this.#ends = twice(this.#ends, Uint32Array);
    }
    // UTF-8 takes at most three bytes for a UTF-16 unit.
    while (this.#bytes.length - this.#length < 3 * target.length) this.#bytes = twice(this.#bytes, Uint8Array);
    this.#length += this.#encoder.encodeInto(target, this.#bytes.subarray(this.#length)).written;
    this.#nodes[this.#count] = node;
    this.#ends[this.#count++] = this.#length;
  }

  /** For `RedirectList`. */
  toArrays(): [nodes: Uint32Array, ends: Uint32Array, bytes: Uint8Array] {
    return [
      this.#nodes.subarray(0, this.#count),
      this.#ends.subarray(0, this.#count),
      this.#bytes.subarray(0, this.#length),
    ];
  }
}

function twice<A extends Uint8Array | Uint32Array>(array: A, kind: new (length: number) => A): A {
  const larger = new kind(array.length * 2);
  larger.set(array);
  return larger;
}

export class RedirectList {
  readonly #nodes: Uint32Array;
  readonly #ends: Uint32Array;
  readonly #bytes: Uint8Array;
  readonly #decoder = new TextDecoder();

  constructor(nodes: Uint32Array, ends: Uint32Array, bytes: Uint8Array) {
    this.#nodes = nodes;
    this.#ends = ends;
    this.#bytes = bytes;
  }

  /** The target of a redirect; undefined for any other node. */
  get(node: number): string | undefined {
    const place = findPlace(this.#nodes, node);
    return this.#nodes[place] === node ? this.#at(place) : undefined;
  }

  *values(): Generator<string, void> {
    for (let place = 0; place < this.#nodes.length; place++) yield this.#at(place);
  }

  #at(place: number): string {
    return this.#decoder.decode(this.#bytes.subarray(this.#ends[place - 1] ?? 0, this.#ends[place]));
  }
}

/** A set of nodes in a sorted array. */
export class SortedNodes {
  readonly #nodes: Uint32Array;

  constructor(nodes: Uint32Array) {
    this.#nodes = nodes;
  }

  has(node: number): boolean {
    return this.#nodes[findPlace(this.#nodes, node)] === node;
  }
}

/** The place of the first number that is not below this one. */
function findPlace(sorted: Uint32Array, number: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] as number) < number) from = middle + 1;
    else to = middle;
  }
  return from;
}
