/**
 * A set of URLs that stores a fingerprint of 128 bits for each, as the seen-URL tests of the first large crawlers did
 * with MD5, and Mercator with Rabin fingerprints (Heydon and Najork 1999, section 3.6). A URL takes 16 bytes, however
 * long it is; a string in a Map takes a hundred and more, and is interned at every look.
 *
 * The table has a fixed size, in buckets of four. A full bucket forgets its least recently asked URL, which is unknown
 * from then on.
 *
 * `has` is right about every URL that was added and not forgotten. It is wrong about another URL with a chance of about
 * 2⁻¹⁰⁰: a fingerprint is four lanes of multiply, xor and shift, seeded with random numbers, so that nobody can
 * construct two URLs that collide.
 */

const WORDS = 4;
const WAYS = 4;

export class FingerprintSet {
  readonly #table: Uint32Array;
  readonly #lastBucket: number;
  readonly #seeds = crypto.getRandomValues(new Uint32Array(WORDS));
  /** The fingerprint of the URL that was asked last. */
  readonly #print = new Uint32Array(WORDS);

  /** Has room for at least `capacity` URLs, rounded up to a power of two; 16 bytes each. */
  constructor(capacity: number) {
    const buckets = 2 ** Math.max(0, Math.ceil(Math.log2(capacity / WAYS)));
    this.#table = new Uint32Array(buckets * WAYS * WORDS);
    this.#lastBucket = buckets - 1;
  }

  has(url: string): boolean {
    fingerprint(url, this.#seeds, this.#print);
    const bucket = this.#bucket;
    for (let way = 0; way < WAYS; way++) {
      if (!this.#isAt(bucket + way * WORDS)) continue;
      this.#putFirst(bucket, way);
      return true;
    }
    return false;
  }

  /** Returns false if the set already has the URL. */
  add(url: string): boolean {
    if (this.has(url)) return false;
    this.#putFirst(this.#bucket, WAYS - 1);
    return true;
  }

  /** The first word of the bucket of the last URL. */
  get #bucket(): number {
    return ((this.#print[0] ?? 0) & this.#lastBucket) * WAYS * WORDS;
  }

  #isAt(at: number): boolean {
    for (let word = 0; word < WORDS; word++) if (this.#table[at + word] !== this.#print[word]) return false;
    return true;
  }

  /** Moves the fingerprints before `way` on by one, over the one at `way`. */
  #putFirst(bucket: number, way: number): void {
    this.#table.copyWithin(bucket + WORDS, bucket, bucket + way * WORDS);
    this.#table.set(this.#print, bucket);
  }
}

/** Writes four words, never four zeros: those are an empty place. */
function fingerprint(url: string, seeds: Uint32Array, into: Uint32Array): void {
  let a = seeds[0] ?? 0;
  let b = seeds[1] ?? 0;
  let c = seeds[2] ?? 0;
  let d = seeds[3] ?? 0;
  for (let i = 0; i < url.length; i++) {
    const unit = url.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x85ebca6b);
    b = Math.imul(b ^ unit, 0xc2b2ae35);
    c = Math.imul(c ^ unit, 0x27d4eb2f);
    d = Math.imul(d ^ unit, 0x9e3779b1);
    a ^= a >>> 15;
    b ^= b >>> 13;
    c ^= c >>> 16;
    d ^= d >>> 14;
  }
  into[0] = a;
  into[1] = b;
  into[2] = c;
  into[3] = d | 1;
}
