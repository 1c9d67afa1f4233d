import { PairSink, sortPairs } from "./pairs.ts";

/**
 * Edges of the link graph as bytes. A node is the index of a URL, 0 to 2^32 - 2. A run holds edges in the order of
 * (source, target), each once, without edges from a node to itself: the link of a page to itself says nothing about the
 * site. Per source it has the gap to the source before plus one, the number of targets, the first target, and the gaps
 * between targets minus one, all as varints (LEB128). A zero ends the run, so runs can be joined by joining their
 * bytes. Sorted gaps are the usual code of web graphs: Boldi, Vigna, "The WebGraph Framework I", 2004.
 */

/** The targets are valid only during the call. */
export type VisitEdges = (source: number, targets: Uint32Array) => void;

const BUFFER_BYTES = 65_536;
/** A varint of 32 bits. */
const MAX_VARINT = 5;

/**
 * Encodes edges as one run. `pairs`: source and target in turn, in any order. The array is sorted in place. Takes 8
 * bytes of memory for each edge beside the result.
 */
export function encodeEdges(pairs: Uint32Array<ArrayBuffer>): Uint8Array {
  sortPairs(pairs);
  const bytes = new ByteSink();
  let before = 0;
  let at = 0;
  while (at < pairs.length) {
    const source = pairs[at] as number;
    const first = at;
    let kept = at;
    let last = -1;
    // Moves the distinct targets of the source to the front of its range.
    for (; at < pairs.length && pairs[at] === source; at += 2) {
      const target = pairs[at + 1] as number;
      if (target === last || target === source) continue;
      pairs[kept + 1] = target;
      last = target;
      kept += 2;
    }
    if (kept === first) continue;
    bytes.addVarint(source - before + 1);
    before = source;
    bytes.addVarint((kept - first) / 2);
    let next = 0;
    for (let i = first; i < kept; i += 2) {
      const target = pairs[i + 1] as number;
      bytes.addVarint(target - next);
      next = target + 1;
    }
  }
  bytes.addVarint(0);
  return bytes.toBytes();
}

/**
 * Divides edges by ranges of `nodesPerBucket` targets and turns them round, so that a run leads from each target to its
 * sources. Returns the runs by bucket.
 */
export function splitByTarget(pairs: Uint32Array, nodesPerBucket: number): Map<number, Uint8Array> {
  const buckets = new Map<number, PairSink>();
  for (let at = 0; at < pairs.length; at += 2) {
    const target = pairs[at + 1] as number;
    const bucket = Math.floor(target / nodesPerBucket);
    const sink = buckets.get(bucket) ?? new PairSink();
    buckets.set(bucket, sink);
    sink.add(target, pairs[at] as number);
  }
  return new Map([...buckets].map(([bucket, sink]) => [bucket, encodeEdges(sink.toPairs())]));
}

/** Decodes one or more runs that arrive in chunks, cut anywhere. Memory: 4 bytes for each target of one source. */
export class EdgeDecoder {
  readonly #visit: VisitEdges;
  #targets = new Uint32Array(1_024);
  /** The number of targets of the current source; 0 between sources. */
  #expected = 0;
  #found = 0;
  #source = 0;
  #next = 0;
  #state: "source" | "count" | "targets" = "source";
  #isInRun = false;
  /** The varint whose rest is in the next chunk. */
  #value = 0;
  #scale = 1;

  constructor(visit: VisitEdges) {
    this.#visit = visit;
  }

  /** Throws a RangeError for bytes that are no run. */
  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#state === "targets" && this.#scale === 1) {
        at = this.#readTargets(chunk, at);
        if (at === chunk.length) return;
      }
      const byte = chunk[at++] as number;
      this.#value += (byte & 127) * this.#scale;
      if (byte >= 128) {
        this.#scale *= 128;
        if (this.#scale > 2 ** 28) throw new RangeError("an edge run has a number above 32 bits");
        continue;
      }
      const value = this.#value;
      this.#value = 0;
      this.#scale = 1;
      this.#take(value);
    }
  }

  /** Throws a RangeError if the last run is cut off. */
  end(): void {
    if (this.#isInRun || this.#scale > 1) throw new RangeError("an edge run is cut off");
  }

  /** The quick way for most bytes. Returns where it stopped: at a varint that is cut off, or after the last target. */
  #readTargets(chunk: Uint8Array, start: number): number {
    const targets = this.#targets;
    const expected = this.#expected;
    const safe = chunk.length - MAX_VARINT;
    let at = start;
    let found = this.#found;
    let next = this.#next;
    while (found < expected && at <= safe) {
      let byte = chunk[at++] as number;
      let gap = byte & 127;
      for (let shift = 7; byte >= 128; shift += 7) {
        if (shift > 28) throw new RangeError("an edge run has a number above 32 bits");
        byte = chunk[at++] as number;
        gap = (gap | ((byte & 127) << shift)) >>> 0;
      }
      next += gap;
      targets[found++] = next++;
    }
    this.#found = found;
    this.#next = next;
    if (found === expected) this.#finishSource();
    return at;
  }

  #take(value: number): void {
    if (this.#state === "source") {
      this.#isInRun = value > 0;
      this.#source = value === 0 ? 0 : this.#source + value - 1;
      if (value > 0) this.#state = "count";
    } else if (this.#state === "count") {
      if (value === 0) throw new RangeError("an edge run has a source without targets");
      if (value > this.#targets.length) this.#targets = new Uint32Array(Math.max(value, this.#targets.length * 2));
      this.#expected = value;
      this.#found = 0;
      this.#next = 0;
      this.#state = "targets";
    } else {
      const target = this.#next + value;
      this.#targets[this.#found++] = target;
      this.#next = target + 1;
      if (this.#found === this.#expected) this.#finishSource();
    }
  }

  #finishSource(): void {
    this.#state = "source";
    this.#visit(this.#source, this.#targets.subarray(0, this.#expected));
  }
}

/** Bytes in buffers of 64 KiB. */
class ByteSink {
  readonly #full: Uint8Array[] = [];
  #buffer = new Uint8Array(BUFFER_BYTES);
  #length = 0;

  addVarint(value: number): void {
    if (this.#length + MAX_VARINT > BUFFER_BYTES) {
      this.#full.push(this.#buffer.subarray(0, this.#length));
      this.#buffer = new Uint8Array(BUFFER_BYTES);
      this.#length = 0;
    }
    let rest = value;
    while (rest >= 128) {
      this.#buffer[this.#length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#buffer[this.#length++] = rest;
  }

  toBytes(): Uint8Array {
    return Buffer.concat([...this.#full, this.#buffer.subarray(0, this.#length)]);
  }
}
