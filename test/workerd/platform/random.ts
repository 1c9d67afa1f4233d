/** Random numbers that a seed determines, so that a failing run repeats. */

export class Random {
  #state: number;

  constructor(seed: number) {
    // Neighbouring seeds give unlike sequences.
    this.#state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  }

  /** From 0 to below 1: Mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  oneOf<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new RangeError("there is nothing to choose from");
    return item;
  }

  shuffle<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, at: this.next() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
  }

  /** Like `crypto.getRandomValues`. */
  fill<T extends ArrayBufferView | null>(array: T): T {
    if (array === null) return array;
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let i = 0; i < bytes.length; i++) bytes[i] = this.between(0, 255);
    return array;
  }

  /** Like `crypto.randomUUID`. */
  uuid(): `${string}-${string}-${string}-${string}-${string}` {
    const hex = Array.from({ length: 8 }, () =>
      Math.floor(this.next() * 65_536)
        .toString(16)
        .padStart(4, "0"),
    );
    const [a, b, c, d, e, f, g, h] = hex;
    // Version 4, as from `crypto.randomUUID`: version 8 would name a ledger.
    return `${a}${b}-${c}-4${d?.slice(1)}-${e}-${f}${g}${h}`;
  }
}
