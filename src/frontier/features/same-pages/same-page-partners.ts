import { LRUCache } from "lru-cache"; // the usual LRU of the npm world, no dependencies
import type { UrlPart } from "../../../scope/same-page-parts.ts";
import type { SamePageRule } from "../../../scope/same-page-rules.ts";

/**
 * For URLs whose reduced form the crawl does not know, such as those of sessions: a URL that was fetched with another
 * value of the part. An isolate keeps them between batches; what it loses costs an example, or a fetch.
 */

type Key = Pick<UrlPart, "part" | "reduced">;

/** The key of a URL from which rules leave out all that they can. */
export function wholeOf({ reduced }: { reduced: string }): Key {
  return { part: "", reduced };
}

const MAX_PARTNERS = 20_000;

export class SamePagePartners {
  readonly #urls = new LRUCache<string, string>({ max: MAX_PARTNERS });

  of(crawl: string, part: Key): string | null {
    return this.#urls.get(keyOf(crawl, part)) ?? null;
  }

  /** URLs that may be reduced to the same form: the caller must check their status, and that rules reduce them. */
  twinsOf(crawl: string, { reduced, rules }: { reduced: string; rules: readonly SamePageRule[] }): string[] {
    const keys = [wholeOf({ reduced }), ...rules.map(({ part }) => ({ part, reduced }))];
    return [...new Set(keys.flatMap((key) => this.of(crawl, key) ?? []))];
  }

  /** The first one stays, so that pages are compared with one that is stored by then. */
  add(crawl: string, part: Key, url: string): void {
    const key = keyOf(crawl, part);
    if (!part.part.startsWith("/") && !this.#urls.has(key)) this.#urls.set(key, url);
  }
}

function keyOf(crawl: string, { part, reduced }: Key): string {
  return `${crawl} ${part} ${reduced}`;
}
