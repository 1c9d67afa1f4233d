/** The fingerprints of what a crawl has read of a host: a bounded set that forgets what it has not met for longest. */

/** 64 kB, or 87 kB as base64 in the row of a host. */
const MAX_FINGERPRINTS = 16_384;

export class KnownWords {
  /** In the order in which they were last met. */
  readonly #met: Set<number>;

  private constructor(met: Set<number>) {
    this.#met = met;
  }

  /** `stored`: what `toString` has made. */
  static from(stored: string): KnownWords {
    const bytes = Uint8Array.from(atob(stored), (char) => char.charCodeAt(0));
    return new KnownWords(new Set(new Uint32Array(bytes.buffer)));
  }

  has(fingerprint: number): boolean {
    return this.#met.has(fingerprint);
  }

  add(fingerprint: number): void {
    this.#met.delete(fingerprint);
    this.#met.add(fingerprint);
    if (this.#met.size > MAX_FINGERPRINTS) for (const oldest of this.#met) return void this.#met.delete(oldest);
  }

  toString(): string {
    const bytes = new Uint8Array(Uint32Array.from(this.#met).buffer);
    let text = "";
    for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
    return btoa(text);
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
