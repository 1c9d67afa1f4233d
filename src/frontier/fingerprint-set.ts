/**
 * A set of URLs that keeps of each a fingerprint of 128 bits, as the seen-URL tests of the first large crawlers did with MD5 and Mercator with
 * Rabin's (Heydon and Najork 1999, 3.6): 16 bytes a URL, however long it is, where a string in a Map takes a hundred and more, and no
 * string to be interned at every look.
 *
 * The table is fixed, in buckets of four. A full bucket forgets the URL that was least lately asked about: what is forgotten is met
 * again as if it were unknown.
 *
 * `has` is right of a URL that was added and not forgotten, and of any other but for a chance of about 2⁻¹⁰⁰: four lanes of multiply, xor and
 * shift, each begun with a number that the set drew, so that nobody can look for two URLs that meet.
 */

const WORDS = 4;
const WAYS = 4;

export class FingerprintSet {
  readonly #table: Uint32Array;
  readonly #lastBucket: number;
  readonly #seeds = crypto.getRandomValues(new Uint32Array(WORDS));
  /** Of the URL that was asked about last. */
  readonly #print = new Uint32Array(WORDS);

  /** Room for at least `capacity` URLs, 16 bytes each; a power of two. */
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

  /** False where it was there already. */
  add(url: string): boolean {
    if (this.has(url)) return false;
    this.#putFirst(this.#bucket, WAYS - 1);
    return true;
  }

  /** Where the bucket of the URL that was asked about last begins. */
  get #bucket(): number {
    return ((this.#print[0] ?? 0) & this.#lastBucket) * WAYS * WORDS;
  }

  #isAt(at: number): boolean {
    for (let word = 0; word < WORDS; word++) if (this.#table[at + word] !== this.#print[word]) return false;
    return true;
  }

  /** Those before `way` move on by one, over what stood there. */
  #putFirst(bucket: number, way: number): void {
    this.#table.copyWithin(bucket + WORDS, bucket, bucket + way * WORDS);
    this.#table.set(this.#print, bucket);
  }
}

/** Writes four words, never all nought: nought is an empty place. */
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
