// Well maintained, pure JavaScript, runs in workerd. Slow on strings, so it gets fingerprints.
import { BloomFilter, Hashing } from "bloom-filters";
import { LRUCache } from "lru-cache"; // the usual LRU of the npm world, no dependencies
import { FingerprintSet, type Memory } from "./fingerprint-set.ts";

/**
 * The seen-URL test of one consumer isolate: fingerprints of links, a Bloom filter of the fingerprints that were
 * forgotten for lack of memory, and behind both the ledger, which decides:
 *
 * - Fingerprints say seen: trusted. A commit of this isolate has put these URLs into the ledger, or found them there.
 * - Neither knows the URL: new, for this isolate. A Bloom filter has no false negatives, so this isolate never
 *   committed the URL. Another isolate may have, and the ledger's insert ignores a row that is there.
 * - Bloom says seen: not trusted. It may be a false positive, so the ledger is asked, and no page is lost.
 *
 * URLs are remembered after their commit, never before: a commit that fails leaves no trace here.
 */

/**
 * For all crawls of an isolate, in bytes. A Worker has 128 MB for everything:
 * https://developers.cloudflare.com/workers/platform/limits/#memory
 */
const BUDGET_BYTES = 16_000_000;
/** Fingerprints of one crawl: some 1.4 million URLs. */
const MAX_FINGERPRINT_BYTES = 12_000_000;
/** Forgotten URLs. The filter takes 1.8 MB for them; with more it says "maybe" more often, and each costs a read. */
const FORGOTTEN_CAPACITY = 1_500_000;
const ERROR_RATE = 0.01;
/** Each takes memory as it needs it. */
const MAX_CRAWLS = 64;

export class SeenFilter {
  readonly #memory: Memory;
  readonly #recent: FingerprintSet;
  readonly #forgottenCapacity: number;
  #forgotten: BloomFilter | undefined;
  #forgottenBytes = 0;
  /** Whether some URL is in neither of the two. */
  #hasLost = false;

  constructor(memory: Memory, maxBytes = MAX_FINGERPRINT_BYTES, forgottenCapacity = FORGOTTEN_CAPACITY) {
    this.#memory = memory;
    this.#forgottenCapacity = forgottenCapacity;
    this.#recent = new FingerprintSet(maxBytes, memory, (fingerprint) => this.#forget(fingerprint));
  }

  get bytes(): number {
    return this.#recent.bytes + this.#forgottenBytes;
  }

  /** Whether the URL is known for sure. */
  isRecent(url: string): boolean {
    return this.#recent.has(url);
  }

  /** Asks about a URL that is not recent. */
  ask(url: string): "new" | "maybe" {
    if (this.#hasLost) return "maybe";
    if (this.#forgotten === undefined) return "new";
    return this.#forgotten.has(this.#recent.fingerprintOf(url).buffer) ? "maybe" : "new";
  }

  /** The ledger holds this URL now. */
  remember(url: string): void {
    this.#recent.add(url);
  }

  /** Releases all memory. From then on the ledger is asked about each URL that comes. */
  clear(): void {
    this.#recent.clear();
    this.#memory.release(this.#forgottenBytes);
    this.#forgotten = undefined;
    this.#forgottenBytes = 0;
    this.#hasLost = true;
  }

  #forget(fingerprint: Uint32Array<ArrayBuffer>): void {
    if (this.#hasLost) return;
    this.#forgotten ??= this.#makeBloomFilter();
    if (this.#forgotten === undefined) this.#hasLost = true;
    else this.#forgotten.add(fingerprint.buffer);
  }

  #makeBloomFilter(): BloomFilter | undefined {
    const filter = BloomFilter.create(this.#forgottenCapacity, ERROR_RATE);
    const bytes = Math.ceil(filter.size / 8);
    if (!this.#memory.take(bytes)) return undefined;
    filter._hashing = new FingerprintHashing();
    this.#forgottenBytes = bytes;
    return filter;
  }
}

/** A fingerprint is two hashes already. */
class FingerprintHashing extends Hashing {
  override hashTwice(fingerprint: Parameters<Hashing["hashTwice"]>[0]): { first: number; second: number } {
    const [first = 0, second = 0] = new Uint32Array(fingerprint as ArrayBuffer);
    return { first, second };
  }
}

/**
 * The filters of one isolate, by crawl, within one budget of bytes. When it is used up, a crawl that has less than its
 * share gets memory from the crawl that was asked about least recently and has more than its share: that one starts
 * anew. A crawl that has its share forgets its own URLs.
 */
export class SeenFilters {
  readonly #byCrawl = new LRUCache<string, SeenFilter>({ max: MAX_CRAWLS, dispose: (filter) => filter.clear() });
  readonly #budget: number;
  readonly #make: (memory: Memory) => SeenFilter;
  #used = 0;

  constructor(budget = BUDGET_BYTES, make: (memory: Memory) => SeenFilter = (memory) => new SeenFilter(memory)) {
    this.#budget = budget;
    this.#make = make;
  }

  /** Bytes of all filters; never more than the budget. */
  get bytes(): number {
    return this.#used;
  }

  of(crawl: string): SeenFilter {
    const known = this.#byCrawl.get(crawl);
    if (known !== undefined) return known;
    const made: SeenFilter = this.#make({
      // A batch may still hold a filter that others have displaced.
      take: (bytes) => this.#byCrawl.peek(crawl) === made && this.#take(bytes, made),
      release: (bytes) => {
        this.#used -= bytes;
      },
    });
    this.#byCrawl.set(crawl, made);
    return made;
  }

  #take(bytes: number, taker: SeenFilter): boolean {
    if (this.#used + bytes > this.#budget) this.#makeRoom(bytes, taker);
    if (this.#used + bytes > this.#budget) return false;
    this.#used += bytes;
    return true;
  }

  #makeRoom(bytes: number, taker: SeenFilter): void {
    const share = this.#budget / this.#byCrawl.size;
    if (taker.bytes + bytes > share) return;
    for (const filter of [...this.#byCrawl.rvalues()] as SeenFilter[]) {
      if (filter !== taker && filter.bytes > share) filter.clear();
      if (this.#used + bytes <= this.#budget) return;
    }
  }
}
