import type { PackedRow, PageStores } from "./read-mirror.ts";

/**
 * Pages whose places are looked up in one query: an invocation may make 50 on Workers Free, and a step of a pass reads
 * hundreds of pages. https://developers.cloudflare.com/d1/platform/limits/
 */
export const PLACES_AT_ONCE = 50;

/** The places of pages that will be read one after the other, looked up as they are needed, 50 at a time. */
export class PagePlaces {
  readonly #crawl: string;
  readonly #records: PageStores["records"];
  readonly #urls: readonly string[];
  readonly #indexes: Map<string, number>;
  readonly #found = new Map<number, Promise<Map<string, PackedRow>>>();

  /** `urls`: in the order in which they will be read. */
  constructor(crawl: string, urls: readonly string[], { records }: Pick<PageStores, "records">) {
    this.#crawl = crawl;
    this.#records = records;
    this.#urls = urls;
    this.#indexes = new Map(urls.map((url, at) => [url, Math.floor(at / PLACES_AT_ONCE)]));
  }

  /** Null for a page that no pack holds, and for a URL that is not among them. */
  async of(url: string): Promise<PackedRow | null> {
    const index = this.#indexes.get(url);
    if (index === undefined) return null;
    const from = index * PLACES_AT_ONCE;
    const found =
      this.#found.get(index) ?? this.#records.allPacked(this.#crawl, this.#urls.slice(from, from + PLACES_AT_ONCE));
    this.#found.set(index, found);
    return (await found).get(url) ?? null;
  }
}
