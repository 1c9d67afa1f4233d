/** The fingerprints of what a crawl has read of a host: a bounded set that forgets what it has not met for longest. */

/** 64 kB, or 87 kB as base64 in the row of a host. */
const MAX_STORED = 16_384;
/** In memory. With one more, all are forgotten but the latest, those that would be stored. */
const MAX_FINGERPRINTS = 20_480;
/** A power of two. Places that stay empty keep the search for a fingerprint short. */
const PLACES = 32_768;
const LAST_PLACE = PLACES - 1;
const MAX_TIME = 2 ** 18;

/**
 * A table with open addressing: a page says thousands of words, and a Set takes several times as long for those that
 * it met before. Fingerprints are unsigned integers of 32 bits.
 */
export class KnownWords {
  readonly #prints = new Uint32Array(PLACES);
  /** When the fingerprint of a place was last met, counted from 1; 0 for an empty place. */
  readonly #met = new Uint32Array(PLACES);
  #size = 0;
  #time = 0;

  /** `stored`: what `toString` has made. */
  static from(stored: string): KnownWords {
    const known = new KnownWords();
    const bytes = Uint8Array.from(Buffer.from(stored, "base64"));
    for (const fingerprint of new Uint32Array(bytes.buffer)) known.add(fingerprint);
    return known;
  }

  has(fingerprint: number): boolean {
    return this.#met[this.#placeOf(fingerprint)] !== 0;
  }

  add(fingerprint: number): void {
    const place = this.#placeOf(fingerprint);
    if (this.#met[place] === 0) {
      this.#prints[place] = fingerprint;
      this.#size += 1;
    }
    this.#time += 1;
    this.#met[place] = this.#time;
    if (this.#size > MAX_FINGERPRINTS || this.#time > MAX_TIME) this.#forget();
  }

  toString(): string {
    return Buffer.from(this.#latest().buffer).toString("base64");
  }

  /** The place of the fingerprint, or the empty one where it would be. */
  #placeOf(fingerprint: number): number {
    let place = fingerprint & LAST_PLACE;
    while (this.#met[place] !== 0 && this.#prints[place] !== fingerprint) place = (place + 1) & LAST_PLACE;
    return place;
  }

  #forget(): void {
    const latest = this.#latest();
    this.#met.fill(0);
    this.#size = 0;
    this.#time = 0;
    for (const fingerprint of latest) this.add(fingerprint);
  }

  /** The last ones that were met, in this order. */
  #latest(): Uint32Array<ArrayBuffer> {
    const inOrder = new Uint32Array(this.#time + 1);
    for (let place = 0; place < PLACES; place++) inOrder[this.#met[place] ?? 0] = place;
    const latest = new Uint32Array(Math.min(this.#size, MAX_STORED));
    let left = latest.length;
    for (let time = this.#time; left > 0; time--) {
      const place = inOrder[time] ?? 0;
      if (this.#met[place] === time) latest[--left] = this.#prints[place] ?? 0;
    }
    return latest;
  }
}

/** FNV-1a, 32 bits, mixed. */
export function fingerprintOf(text: string): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x85eb_ca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
