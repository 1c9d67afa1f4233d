import { DAY_MS } from "../../core/clock.ts";

/**
 * Places beside the template where each page says something of its own, as the meal of the day below a heading that all
 * pages have. A change there need not wait for other pages: those before it were of one page each.
 */

export interface OwnPlace {
  /** Changes there that were of single pages. */
  singles: number;
  /** When the last of them was known: milliseconds since the epoch. */
  at: number;
  /** Second looks that found the same as the first ones, and when the last was. */
  looks: number;
  lookedAt: number;
}

/** By the hash of the masked block of the template that stands beside them. */
export type OwnPlaces = Readonly<Record<string, OwnPlace>>;

/** So many changes of single pages are no chance. */
const LEAST_SINGLES = 8;
/** So many second looks that found the same are none, either. */
const LEAST_LOOKS = 6;
/** So long a look counts. */
export const LOOK_COUNTS_MS = 14 * DAY_MS;
/** A place where no change was for so long is forgotten. */
const MAX_AGE_MS = 60 * DAY_MS;
const MAX_PLACES = 60;

const NOTHING: OwnPlace = { singles: 0, at: 0, looks: 0, lookedAt: 0 };

/** Whether a change at the place is of its page alone, as far as those before it tell. */
export function isOwnPlace(places: OwnPlaces | undefined, place: string | undefined, now: number): boolean {
  const known = place === undefined ? undefined : places?.[place];
  return known !== undefined && known.singles >= LEAST_SINGLES && now - known.at < MAX_AGE_MS;
}

/** Whether second looks there have lately found the same so often that no other one is needed. */
export function isSteadyPlace(places: OwnPlaces | undefined, place: string | undefined, now: number): boolean {
  const { looks, lookedAt } = places?.[place ?? ""] ?? NOTHING;
  return isOwnPlace(places, place, now) && looks >= LEAST_LOOKS && now - lookedAt < LOOK_COUNTS_MS;
}

/** A change at the place was of one page. */
export function noteSingle(places: OwnPlaces, place: string, now: number): OwnPlaces {
  const known = places[place] ?? NOTHING;
  return bounded({ ...places, [place]: { ...known, singles: known.singles + 1, at: now } }, now);
}

/** A second look found a change at the place, too. */
export function noteSteadyLook(places: OwnPlaces, place: string, now: number): OwnPlaces {
  const known = places[place];
  if (known === undefined) return places;
  return { ...places, [place]: { ...known, looks: known.looks + 1, lookedAt: now } };
}

/** A change at the place came to most pages at once: the next ones wait for other pages again. */
export function forgetPlace(places: OwnPlaces, place: string): OwnPlaces {
  const { [place]: _, ...others } = places;
  return others;
}

function bounded(places: OwnPlaces, now: number): OwnPlaces {
  const kept = Object.entries(places).filter(([, { at }]) => now - at < MAX_AGE_MS);
  return Object.fromEntries(kept.sort(([, a], [, b]) => b.at - a.at).slice(0, MAX_PLACES));
}
