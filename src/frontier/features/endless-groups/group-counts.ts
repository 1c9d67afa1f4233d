import { LRUCache } from "lru-cache"; // the usual LRU of the npm world, no dependencies
import { EMPTY_ENDLESS, type HostEndless, isKnownGroup } from "../../../scope/endless-groups.ts";
import { groupsOf } from "../../../scope/url-groups.ts";
import { hostOf } from "../../../url/host-key.ts";
import { GroupLooks } from "./group-looks.ts";

/**
 * How many pages of each group of URLs this isolate has fetched. An isolate keeps it between batches; what it loses is
 * counted anew, and until then the pages of the group are fetched as any others. So a crawl without a large group reads
 * and writes nothing for this.
 */

/** Pages of a group before what they say is read. */
const WATCHED_FROM = 50;
const MAX_GROUPS = 20_000;
export class GroupCounts {
  readonly #pages = new LRUCache<string, number>({ max: MAX_GROUPS });
  /** By crawl and host: those with a watched group. */
  readonly #watched = new LRUCache<string, true>({ max: MAX_GROUPS });
  /** By crawl: the hosts of groups by group. */
  readonly #quickened = new Map<string, Map<string, string>>();
  readonly looks = new GroupLooks();

  /** Counts a fetched page in its groups, up to the narrowest that is watched. */
  countPage(crawl: string, url: string): void {
    for (const group of groupsOf(url)) {
      const key = `${crawl} ${group}`;
      const count = this.#pages.get(key) ?? 0;
      if (count >= WATCHED_FROM) return;
      this.#pages.set(key, count + 1);
      if (count + 1 === WATCHED_FROM) this.#watched.set(`${crawl} ${hostOf(url)}`, true);
    }
  }

  /** Whether the isolate watches a group of the host (`URL.host`). */
  watches(crawl: string, host: string): boolean {
    return this.#watched.get(`${crawl} ${host}`) === true;
  }

  /** Notes that a group has its full speed again, for the commit that follows. */
  noteQuickened(crawl: string, host: string, group: string): void {
    const own = this.#quickened.get(crawl) ?? new Map<string, string>();
    this.#quickened.set(crawl, own.set(group, host));
  }

  takeQuickened(crawl: string): { group: string; host: string }[] {
    const own = this.#quickened.get(crawl);
    this.#quickened.delete(crawl);
    return [...(own ?? [])].map(([group, host]) => ({ group, host }));
  }

  /** The group by which the URL is judged: the narrowest that is watched. Null if none is. */
  groupOf(crawl: string, url: string, host: HostEndless = EMPTY_ENDLESS): string | null {
    return this.narrowest(crawl, groupsOf(url), host);
  }

  /** The group among those of a URL by which it is judged. */
  narrowest(crawl: string, groups: readonly string[], host: HostEndless): string | null {
    return groups.find((group) => isKnownGroup(host, group) || this.#isWatched(crawl, group)) ?? null;
  }

  #isWatched(crawl: string, group: string): boolean {
    return (this.#pages.get(`${crawl} ${group}`) ?? 0) >= WATCHED_FROM;
  }
}
