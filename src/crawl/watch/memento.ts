import type { PackedPage } from "../page/outcome.ts";
import type { UrlKind } from "../page/url-kind.ts";

/** What a crawl stored of a URL at one time: a page or a redirect. It counts until the next memento (RFC 7089). */
export interface Memento {
  /** When it was fetched, in milliseconds since the Unix epoch. */
  time: number;
  httpStatus: number;
  kind: UrlKind;
  /** The canonical URL to which it redirects; null for a page. */
  redirectTo: string | null;
  /** The place of its record, and its media type; null if no pack holds any of it. */
  packed: (PackedPage & { contentType: string; sha256: string | null }) | null;
}

/** A memento, and those of the same URL around it. */
export interface MementoChoice {
  chosen: Memento;
  first: Memento;
  last: Memento;
  prev: Memento | null;
  next: Memento | null;
}

/** A time after all mementos. */
export const NEWEST = Number.MAX_SAFE_INTEGER;

/** An asset is fetched after the page that shows it: at most so much later, in milliseconds. */
const ASSET_LAG_MS = 600_000;

/**
 * Chooses the memento in force at `time`: the last one fetched until then, else the first one. For an asset it is the
 * one that follows within ten minutes, unless an asset was fetched in that very second: so a page of that time has the
 * styles and images that came with it. Null without mementos. `mementos`: in the order of their times.
 */
export function mementoAt(mementos: readonly Memento[], time: number): MementoChoice | null {
  const [first] = mementos;
  const last = mementos.at(-1);
  if (first === undefined || last === undefined) return null;
  const until = mementos.findLastIndex((each) => each.time <= time);
  const following = mementos[until + 1];
  const isExact = time - (mementos[until]?.time ?? Number.NEGATIVE_INFINITY) < 1_000;
  const isCaughtUp = !isExact && following?.kind === "asset" && following.time <= time + ASSET_LAG_MS;
  const index = Math.max(0, isCaughtUp ? until + 1 : until);
  return {
    chosen: mementos[index] ?? first,
    first,
    last,
    prev: mementos[index - 1] ?? null,
    next: mementos[index + 1] ?? null,
  };
}
