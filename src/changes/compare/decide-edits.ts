import { noiseOn } from "../noise/compile-noise.ts";
import { findNoise } from "../noise/find-noise.ts";
import { type FoundPlace, isOfTitle, isPossible, turnedAgo } from "../noise/noise-place.ts";
import { hashOf, type PageVersion } from "../page-version.ts";
import { LOOK_COUNTS_MS } from "../template/own-places.ts";
import { ownOf } from "../template/shared-rounds.ts";
import { isFormer, isOtherEachTime } from "../told-versions.ts";
import { contentHash, type View } from "../view-version.ts";
import { isFleeting, isFleetingAround } from "./fleeting-texts.ts";
import type { Found, Judged } from "./found-version.ts";
import { noteVisit } from "./note-visit.ts";
import type { SortedEdits } from "./sort-edits.ts";

/** Decides what is told of edits: those of the page itself, now or later; of most pages at once; or nothing. */

/** The share of second looks that found noise, from which a change waits if there can be no look. */
const MUCH_NOISE = 0.2;
/** From this share on, it waits longer. */
const MOST_NOISE = 0.5;
/** The visits for which a change waits for those of other pages, and where most of these change again and again. */
const WAITS = 2;
export const MOST_WAITS = 3;
/** Where a look at the page itself has found the stored text. */
const TURN_WAITS = 4;
/** Where looks at other pages have found noise, and there can be none at this one. */
const BLIND_WAITS = 6;
/** A version that stood for less than so many intervals may be one that some caches lack. */
const QUICK_INTERVALS = 2;

/**
 * `isUnknown`: whether the change may be noise, and there can be no second look. `differing`: where the page differs
 * from what is stored, by the view of `judged`; absent where nobody has looked for that yet.
 */
export function decide(
  judged: Judged,
  sorted: SortedEdits,
  found: Found,
  { isUnknown = false, differing }: { isUnknown?: boolean; differing?: readonly FoundPlace[] } = {},
): Judged {
  const { own, shared } = sorted;
  const template = noteVisit(judged, shared, found);
  if (own.length > 0) {
    const places = differing ?? findNoise(found.before, found.after, judged.view.template);
    const isTurning = isAtTurn(judged, places, found, LOOK_COUNTS_MS);
    if (isTurning || isAtNoise(judged, sorted, places, found))
      return { ...judged, template, waits: isUnknown ? BLIND_WAITS : isTurning ? TURN_WAITS : MOST_WAITS };
    const [made, noisy] = template.looks ?? [0, 0];
    const isLikely = isUnknown && noisy > MUCH_NOISE * made;
    const waits = isLikely ? (noisy > MOST_NOISE * made ? MOST_WAITS : 1) : 0;
    return { ...judged, template, waits: isQuickReturn(judged.view, found) ? Math.max(waits, 1) : waits };
  }
  const left = ownOf(template, shared, found);
  if (left.own.length === 0) return { ...judged, template, comparison: { kind: "unchanged" } };
  const { texts } = sorted;
  const isOfAround = isFleetingAround(texts, template, found.now);
  if (isOfAround && isOtherEachTime(found.told, contentHash(found.after, judged.view)))
    return { ...judged, template, comparison: { kind: "unchanged" } };
  // Looks may have found the same by chance.
  if (isOfAround || isFleeting(texts, template, found.now))
    return { ...judged, template, waits: isUnknown ? BLIND_WAITS : MOST_WAITS };
  const isRotating = left.own.length < shared.length;
  return { ...judged, template, waits: left.isUnclear ? (isRotating ? MOST_WAITS : WAITS) : 0 };
}

/** Whether a page says what was told of it before. */
export function isReturn(after: PageVersion, view: View, { told }: Found): boolean {
  return told !== null && told.former.length > 0 && isFormer(told, contentHash(after, view));
}

/** Whether it returns so soon that not all caches of its host may have had the version in between. */
function isQuickReturn(view: View, found: Found): boolean {
  const { after, storedAt, now, everyMs } = found;
  return storedAt !== null && now - storedAt < QUICK_INTERVALS * everyMs && isReturn(after, view, found);
}

/** Whether all of the page's own change stands where a look at another page has lately found noise. */
function isAtNoise(
  { template }: Judged,
  { own }: SortedEdits,
  differing: readonly FoundPlace[],
  { url, now }: Found,
): boolean {
  if (own.some((place) => !place.includes(">") && place !== "title")) return false;
  const noise = template.noise ?? {};
  const known = new Set(noiseOn(noise, hashOf(url)));
  const places = differing.filter(({ place }) => !known.has(place) && (own.includes("title") || !isOfTitle(place)));
  return places.length > 0 && places.every((place) => isPossible(noise, place, now));
}

/** Whether looks at the page have lately found one of two texts where it has changed. */
export function isAtTurn(
  { template }: Judged,
  differing: readonly FoundPlace[],
  { url, now }: Found,
  lastsMs: number,
): boolean {
  return turnedAgo(template.noise ?? {}, differing, hashOf(url), now) < lastsMs;
}
