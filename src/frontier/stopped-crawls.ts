import type { Crawl } from "../crawl/crawl.ts";

/** No lane of an earlier one is left. */
const MOST_STOPPED = 1_000;

/**
 * Crawls that were paused or cancelled through this isolate, so that lanes that are under way in it end with the page
 * that they fetch, and nobody at a terminal waits for the others. Lanes elsewhere go on to their end.
 */
export class StoppedCrawls {
  readonly #stopped = new Set<string>();

  /** A crawl that is resumed has another epoch. */
  add(crawl: Pick<Crawl, "id" | "epoch">): void {
    this.#stopped.add(keyOf(crawl));
    const [oldest] = this.#stopped;
    if (this.#stopped.size > MOST_STOPPED && oldest !== undefined) this.#stopped.delete(oldest);
  }

  has(crawl: Pick<Crawl, "id" | "epoch">): boolean {
    return this.#stopped.has(keyOf(crawl));
  }
}

function keyOf({ id, epoch }: Pick<Crawl, "id" | "epoch">): string {
  return `${id} ${epoch}`;
}
