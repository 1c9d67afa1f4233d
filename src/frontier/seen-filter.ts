// Well maintained, pure JavaScript, runs in workerd. Slow, so it is asked only about distinct links.
import { BloomFilter } from "bloom-filters";
import { LRUCache } from "lru-cache"; // the usual LRU of the npm world, no dependencies
import { FingerprintSet } from "./fingerprint-set.ts";

/**
 * The seen-URL test of one consumer isolate: fingerprints of recent links, a Bloom filter of all links, and behind both
 * the ledger, which decides:
 *
 * - Fingerprints say seen: trusted. A commit of this isolate has put these URLs into the ledger, or found them there.
 * - Bloom says new: trusted for this isolate. A Bloom filter has no false negatives, so this isolate never committed
 *   the URL. Another isolate may have, and the ledger's insert ignores a row that is there.
 * - Bloom says seen: not trusted. It may be a false positive, so the ledger is asked, and no page is lost.
 *
 * URLs are remembered after their commit, never before: a commit that fails leaves no trace here.
 */

/**
 * 32 bits a URL give 2×10⁻⁷ false positives; past its capacity the filter says "maybe" more often, and costs a read
 * each time.
 */
const CAPACITY = 1_000_000;
const ERROR_RATE = 2e-7;
/**
 * 8 MiB. A page asks about all its links, and asking about a URL that is not among these costs a hundred times as much.
 */
const RECENT = 524_288;
/** Crawls whose filters one isolate keeps at once. */
const MAX_CRAWLS = 4;

export class SeenFilter {
  readonly #recent: FingerprintSet;
  readonly #all: BloomFilter;

  constructor(recent = RECENT, capacity = CAPACITY, errorRate = ERROR_RATE) {
    this.#recent = new FingerprintSet(recent);
    this.#all = BloomFilter.create(capacity, errorRate);
  }

  /** Whether the URL is known for sure, without asking the Bloom filter: cheap enough for every link of a page. */
  isRecent(url: string): boolean {
    return this.#recent.has(url);
  }

  /** Asks the Bloom filter, for a URL that is not recent. */
  ask(url: string): "new" | "maybe" {
    return this.#all.has(url) ? "maybe" : "new";
  }

  /** The ledger holds this URL now. */
  remember(url: string): void {
    if (this.#recent.add(url)) this.#all.add(url);
  }
}

/** The filters of one isolate, by crawl. */
export class SeenFilters {
  readonly #byCrawl: LRUCache<string, SeenFilter>;
  readonly #make: () => SeenFilter;

  constructor(make: () => SeenFilter = () => new SeenFilter()) {
    this.#byCrawl = new LRUCache({ max: MAX_CRAWLS });
    this.#make = make;
  }

  of(crawl: string): SeenFilter {
    const known = this.#byCrawl.get(crawl);
    if (known !== undefined) return known;
    const made = this.#make();
    this.#byCrawl.set(crawl, made);
    return made;
  }
}
