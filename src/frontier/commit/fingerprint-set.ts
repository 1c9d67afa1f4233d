/**
 * A set of URLs that stores a fingerprint of 64 bits for each, as the seen-URL tests of the first large crawlers did
 * with MD5, and Mercator with Rabin fingerprints (Heydon and Najork 1999, section 3.6). A URL takes 8 bytes, however
 * long it is; a string in a Map takes a hundred and more, and is interned at every look.
 *
 * The table grows with its URLs, in 16 shards, so that it never holds much more than one copy of itself. Each URL may
 * lie in one of two buckets of eight, and is put into the emptier one, so a table is over nine tenths full before it
 * must grow. Once it may not grow, a full bucket forgets its least recently asked URL.
 *
 * `has` is right about every URL that was added and not forgotten. It is wrong about another URL with a chance of
 * 2⁻⁶⁴ for each URL in the set, so a crawl of a million pages loses a page to it once in 37 million crawls: half of
 * (10⁶)² × 2⁻⁶⁴. A fingerprint is two lanes of multiply, xor and shift, seeded with random numbers, so that nobody can
 * construct two URLs that collide.
 */

/** What a set may take, in bytes. */
export interface Memory {
  /** False if there is not so much. */
  take(bytes: number): boolean;
  release(bytes: number): void;
}

const WORDS = 2;
const WAYS = 8;
const BUCKET = WORDS * WAYS;
const BUCKET_BYTES = BUCKET * Uint32Array.BYTES_PER_ELEMENT;
/** The highest four bits of the first word select it. */
const SHARDS = 16;
const SHARD_BITS = 4;
const FIRST_BUCKETS = 4;
/** Small steps leave few places empty. */
const GROWTH = 1.25;

export class FingerprintSet {
  readonly #shards = Array.from({ length: SHARDS }, () => new Uint32Array());
  readonly #maxBuckets: number;
  readonly #memory: Memory;
  readonly #onForgotten: (fingerprint: Uint32Array<ArrayBuffer>) => void;
  readonly #seeds = crypto.getRandomValues(new Uint32Array(WORDS));
  /** The fingerprint of the URL that was asked last. */
  readonly #print = new Uint32Array(WORDS);

  /** `maxBytes` of its tables, if `memory` has them. `onForgotten` must not keep the array. */
  constructor(maxBytes: number, memory: Memory, onForgotten: (fingerprint: Uint32Array<ArrayBuffer>) => void) {
    this.#maxBuckets = Math.floor(maxBytes / SHARDS / BUCKET_BYTES);
    this.#memory = memory;
    this.#onForgotten = onForgotten;
  }

  get bytes(): number {
    return this.#shards.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  has(url: string): boolean {
    this.#fingerprint(url);
    const a = this.#print[0] ?? 0;
    const b = this.#print[1] ?? 0;
    const table = this.#shards[a >>> (32 - SHARD_BITS)] as Uint32Array;
    return touch(table, firstBucket(table, a), a, b) || touch(table, secondBucket(table, b), a, b);
  }

  /** Forgets nothing if the set already has the URL. */
  add(url: string): void {
    if (this.has(url)) return;
    const a = this.#print[0] ?? 0;
    const b = this.#print[1] ?? 0;
    const shard = a >>> (32 - SHARD_BITS);
    let hasRoom = true;
    while (hasRoom && !insert(this.#shards[shard] as Uint32Array, a, b)) hasRoom = this.#grow(shard);
    if (!hasRoom) this.#replace(shard, a, b);
  }

  /** The fingerprint of a URL, until the next call. */
  fingerprintOf(url: string): Uint32Array<ArrayBuffer> {
    this.#fingerprint(url);
    return this.#print;
  }

  /** Forgets all URLs, without a call of `onForgotten`, and releases its memory. */
  clear(): void {
    this.#memory.release(this.bytes);
    this.#shards.fill(new Uint32Array());
  }

  #fingerprint(url: string): void {
    let a = this.#seeds[0] ?? 0;
    let b = this.#seeds[1] ?? 0;
    for (let i = 0; i < url.length; i++) {
      const unit = url.charCodeAt(i);
      a = Math.imul(a ^ unit, 0x85ebca6b);
      b = Math.imul(b ^ unit, 0xc2b2ae35);
      a ^= a >>> 15;
      b ^= b >>> 13;
    }
    // Two zeros are an empty place.
    if ((a | b) === 0) b = 1;
    this.#print[0] = a;
    this.#print[1] = b;
  }

  /** False if the shard may not grow. Its URLs fit into a table of more buckets than `buckets`, if memory has one. */
  #grow(shard: number, buckets = (this.#shards[shard] as Uint32Array).length / BUCKET): boolean {
    const old = this.#shards[shard] as Uint32Array;
    const wanted = Math.min(Math.max(FIRST_BUCKETS, Math.ceil(buckets * GROWTH)), this.#maxBuckets);
    const bytes = wanted * BUCKET_BYTES;
    if (wanted <= buckets || !this.#memory.take(bytes)) return false;
    const table = new Uint32Array(wanted * BUCKET);
    const left = moveInto(table, old);
    if (left.length > 0) {
      // Both buckets of a URL are full already, which is rare.
      this.#memory.release(bytes);
      if (this.#grow(shard, wanted)) return true;
      if (!this.#memory.take(bytes)) return false;
    }
    this.#shards[shard] = table;
    for (const [a, b] of left) this.#replace(shard, a, b);
    this.#memory.release(old.byteLength);
    return true;
  }

  /** Puts a URL in the place of another. */
  #replace(shard: number, a: number, b: number): void {
    const table = this.#shards[shard] as Uint32Array;
    const bucket = firstBucket(table, a);
    const last = bucket + BUCKET - WORDS;
    this.#onForgotten(table.length === 0 ? Uint32Array.of(a, b) : new Uint32Array(table.subarray(last, last + WORDS)));
    if (table.length > 0) putFirst(table, bucket, WAYS - 1, a, b);
  }
}

/** The first word of a bucket, by the bits of the first word that do not select the shard. */
function firstBucket(table: Uint32Array, a: number): number {
  return scale((a << SHARD_BITS) >>> 0, table);
}

function secondBucket(table: Uint32Array, b: number): number {
  return scale(b, table);
}

/** Maps 32 bits to the buckets of a table of any size. */
function scale(bits: number, table: Uint32Array): number {
  return Math.floor((bits * (table.length / BUCKET)) / 2 ** 32) * BUCKET;
}

/** Whether the bucket has the fingerprint, which becomes its most recent one. */
function touch(table: Uint32Array, bucket: number, a: number, b: number): boolean {
  for (let way = 0; way < WAYS; way++) {
    const at = bucket + way * WORDS;
    if (table[at] !== a || table[at + 1] !== b) continue;
    if (way > 0) putFirst(table, bucket, way, a, b);
    return true;
  }
  return false;
}

/** Puts the URLs of a table into a larger one. Returns those for which it has no place. */
function moveInto(table: Uint32Array, old: Uint32Array): [a: number, b: number][] {
  const left: [a: number, b: number][] = [];
  // The most recently asked URL of a bucket comes last, so it is the first one in its new bucket.
  for (let at = old.length - WORDS; at >= 0; at -= WORDS) {
    const a = old[at] ?? 0;
    const b = old[at + 1] ?? 0;
    if ((a | b) !== 0 && !insert(table, a, b)) left.push([a, b]);
  }
  return left;
}

/** Puts it into the emptier of its buckets, or moves another one to its other bucket; false if all of them are full. */
function insert(table: Uint32Array, a: number, b: number): boolean {
  if (table.length === 0) return false;
  const first = firstBucket(table, a);
  const second = secondBucket(table, b);
  const inFirst = countUsed(table, first);
  const inSecond = countUsed(table, second);
  if (Math.min(inFirst, inSecond) === WAYS) return swap(table, first, a, b) || swap(table, second, a, b);
  if (inFirst <= inSecond) putFirst(table, first, inFirst, a, b);
  else putFirst(table, second, inSecond, a, b);
  return true;
}

/** Puts it into a full bucket from which another one can move. */
function swap(table: Uint32Array, bucket: number, a: number, b: number): boolean {
  for (let way = WAYS - 1; way >= 0; way--) {
    const at = bucket + way * WORDS;
    const c = table[at] ?? 0;
    const d = table[at + 1] ?? 0;
    const first = firstBucket(table, c);
    const other = first === bucket ? secondBucket(table, d) : first;
    const used = countUsed(table, other);
    if (used === WAYS) continue;
    table[other + used * WORDS] = c;
    table[other + used * WORDS + 1] = d;
    putFirst(table, bucket, way, a, b);
    return true;
  }
  return false;
}

/** The used places of a bucket come before its empty ones. */
function countUsed(table: Uint32Array, bucket: number): number {
  let used = WAYS;
  while (used > 0 && ((table[bucket + used * WORDS - 2] ?? 0) | (table[bucket + used * WORDS - 1] ?? 0)) === 0) used--;
  return used;
}

/** Moves the fingerprints before `way` on by one, over the one at `way`. */
function putFirst(table: Uint32Array, bucket: number, way: number, a: number, b: number): void {
  table.copyWithin(bucket + WORDS, bucket, bucket + way * WORDS);
  table[bucket] = a;
  table[bucket + 1] = b;
}
