import { LRUCache } from "lru-cache"; // the usual LRU of the npm world, no dependencies
import { type HostEndless, isNewsByNumbers, isSlowed, type JudgedPage } from "../../../scope/endless-groups.ts";
import type { KnownWords } from "../../../scope/known-words.ts";
import { changedShapes, type NumbersOfPage, numbersOf } from "../../../scope/number-shapes.ts";
import type { PageSayings } from "../../../scope/page-sayings.ts";

/**
 * Requests an earlier page of a group again, to find out which numbers are its own. What differs between two visits is
 * noise: the time that a page took, counters, clocks. What stays is what the page says.
 */

/** Groups of which this isolate keeps a page, 40 kB each at most. */
const MAX_GROUPS = 200;
/** Pages of a group that are news by their numbers alone, before the first look. */
const FIRST_AT = 4;

interface Kept {
  url: string;
  numbers: NumbersOfPage;
  /** Pages that were news by their numbers alone. */
  newsByNumbers: number;
  /** With so many of them, the next look is due. Each look doubles it. */
  nextAt: number;
}

/** What the URL says now. `gone`: it is no page any more. Null if it cannot be asked now. */
type Look = (url: string) => Promise<PageSayings | "gone" | null>;

export class GroupLooks {
  readonly #kept = new LRUCache<string, Kept>({ max: MAX_GROUPS });

  /**
   * The shapes whose numbers have changed. Looks at most once, if pages are news by their numbers alone: now and then,
   * and before such a page gives a slowed group its full speed again. Without an answer the numbers count.
   */
  async findNoise(
    crawl: string,
    url: string,
    page: JudgedPage,
    host: HostEndless,
    known: KnownWords,
    look: Look,
  ): Promise<number[]> {
    const { group, says } = page;
    const key = `${crawl} ${group}`;
    const kept = this.#kept.get(key) ?? { url, numbers: numbersOf(says), newsByNumbers: 0, nextAt: FIRST_AT };
    this.#kept.set(key, kept);
    if (!isNewsByNumbers(host, known, page)) return [];
    kept.newsByNumbers += 1;
    const dueAt = kept.nextAt;
    if (kept.newsByNumbers < dueAt && !isSlowed(host, group)) return [];
    kept.nextAt = Math.max(dueAt, kept.newsByNumbers) * 2;
    const { url: asked, numbers } = kept;
    const again = await look(asked);
    // What cannot be asked now is asked with the next such page.
    if (again === null) kept.nextAt = dueAt;
    const changed = again === null || again === "gone" ? [] : changedShapes(numbers, numbersOf(again));
    if (again !== null && changed.length === 0) Object.assign(kept, { url, numbers: numbersOf(says) });
    return changed;
  }
}
