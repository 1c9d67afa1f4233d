/**
 * Addresses of the replay:
 *
 *     /replay/CRAWL/URL                               the newest memento, or the one of Accept-Datetime
 *     /replay/CRAWL/YYYYMMDDhhmmss/URL                the memento of this time
 *     /replay/CRAWL/timemap/link/URL                  the list of mementos; timemap/json/URL too
 *     /replay/CRAWL/timemap/link/YYYYMMDDhhmmss/URL   the list from this time on
 *
 * Each may have a key after the crawl: /replay/CRAWL/KEY/URL.
 */

export type TimeMapFormat = "link" | "json";

/** The start of the addresses: all of it but the mirrored URL. */
export interface ReplayPlace {
  crawl: string;
  key: string | null;
  /** Null for a page. */
  timeMap: TimeMapFormat | null;
  /** The digits of a time; null without one. */
  digits: string | null;
}

/** `url`: the mirrored URL as written, with its query. */
export interface ReplayAddress extends ReplayPlace {
  url: string;
}

const ADDRESS = /^\/replay\/([^/]+)\/(?:(\d+\.[0-9a-f]+)\/)?(?:timemap\/(link|json)\/)?(?:(\d+)\/)?(.+)$/;

/** null for all other addresses. Restores the slashes after the scheme, which a proxy may have merged. */
export function readReplayAddress(address: string): ReplayAddress | null {
  const { pathname, search } = new URL(address);
  const found = ADDRESS.exec(pathname);
  if (found === null) return null;
  const [, crawl = "", key = null, timeMap = null, digits = null, rest = ""] = found;
  const url = rest.replace(/^(https?):\/*/i, "$1://") + search;
  return { crawl, key, timeMap: timeMap as TimeMapFormat | null, digits, url };
}

/** The path before the mirrored URL. */
export function replayPrefix({ crawl, key, timeMap, digits }: ReplayPlace): string {
  const parts = [crawl, key, timeMap === null ? null : `timemap/${timeMap}`, digits].filter((part) => part !== null);
  return `/replay/${parts.join("/")}/`;
}

/** The path of one memento, for everybody who may read the crawl. `digits`: of its time. */
export function mementoPath(crawl: string, digits: string, url: string): string {
  return replayPrefix({ crawl, key: null, timeMap: null, digits }) + url;
}
