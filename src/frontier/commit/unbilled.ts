import { LRUCache } from "lru-cache"; // the usual LRU of the npm world, no dependencies
import { addUsage, shareOf, type Usage } from "../../crawl/bounds/usage.ts";
import type { Hint } from "../batch/message.ts";

/**
 * Usage that no commit has billed yet: what batches use after their commits, and what failed batches use. It is kept by
 * crawl until that crawl's next commit. Each isolate has its own, and usage that an isolate loses is not billed.
 */
export class Unbilled {
  readonly #byCrawl = new LRUCache<string, Usage>({ max: 100 });

  /** Divides the rest of a batch's usage between its crawls, by their URLs. */
  add(hints: readonly Hint[], rest: Usage): void {
    for (const [crawl, group] of Map.groupBy(hints, (hint) => hint.crawl))
      this.giveBack(crawl, shareOf(rest, group.length / hints.length));
  }

  /** Keeps what the crawl was not billed for after all. */
  giveBack(crawl: string, usage: Usage): void {
    const kept = this.#byCrawl.get(crawl) ?? {};
    addUsage(kept, usage);
    this.#byCrawl.set(crawl, kept);
  }

  /** Returns what the crawl has not been billed for, and forgets it. */
  take(crawl: string): Usage {
    const usage = this.#byCrawl.get(crawl) ?? {};
    this.#byCrawl.delete(crawl);
    return usage;
  }
}
