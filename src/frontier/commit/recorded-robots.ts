import { LRUCache } from "lru-cache";

/**
 * The origins whose robots.txt needs no record in a crawl's archive any more: the ledger has it, or the gate has no
 * answer. An isolate keeps this between batches; if it is lost, that costs reads.
 */
export class RecordedRobots {
  readonly #known = new LRUCache<string, true>({ max: 10_000 });

  has(crawl: string, origin: string): boolean {
    return this.#known.get(`${crawl} ${origin}`) ?? false;
  }

  add(crawl: string, origin: string): void {
    this.#known.set(`${crawl} ${origin}`, true);
  }
}
