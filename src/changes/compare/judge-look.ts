import type { IgnoreRules } from "../ignore-rules.ts";
import { alignLooks } from "../noise/align-looks.ts";
import { inOrder, lookAt } from "../noise/block-order.ts";
import { noiseOn } from "../noise/compile-noise.ts";
import { findNoise } from "../noise/find-noise.ts";
import { isOfPage, noteNoise, noteSteady, turnedAgo } from "../noise/noise-place.ts";
import { hashOf, type PageVersion } from "../page-version.ts";
import type { HostTemplate } from "../template/host-template.ts";
import { noteLooked } from "../template/shared-rounds.ts";
import { type View, type ViewedPair, type ViewedVersion, viewOf, viewPair, viewVersion } from "../view-version.ts";
import { alignBlocks } from "./align-blocks.ts";
import { comparePair, compareVersions } from "./compare-versions.ts";
import { decide, MOST_WAITS } from "./decide-edits.ts";
import { isFleeting, isFleetingAround, noteFleeting } from "./fleeting-texts.ts";
import type { Found, Judged } from "./found-version.ts";
import { noteVisit } from "./note-visit.ts";
import { type SortedEdits, sortEdits, textsBetween } from "./sort-edits.ts";
import { suspicionOf } from "./suspicion.ts";

/** Judges a visit by a second look, moments later. */

/** Places of noise that one look tests again. */
const MOST_RETESTED = 5;

/** Whether a second look found an error or a log-in in place of the page, so that it says nothing of it. */
export function isOtherPage(after: PageVersion, look: PageVersion, view: View): boolean {
  return suspicionOf(after, look, viewPair(after, look, view).bare) !== null;
}

export function judgeLook(
  judged: Judged,
  { shared }: SortedEdits,
  rules: IgnoreRules,
  found: Found,
  look: PageVersion,
): Judged {
  const { url, before, after, now, everyMs } = found;
  const page = hashOf(url);
  // What all pages have, such as one of two menus, is no edit of this page.
  const isStored = shared.length === 0 && compareVersions(before, look, judged.view).kind === "unchanged";
  const places = findNoise(after, look, judged.view.template);
  const [made, noisy] = judged.template.looks ?? [0, 0];
  const looks = viewPair(after, look, judged.view);
  const has = [looks.before, looks.after].map(({ blocks }) => new Set(blocks.map(hashOf)));
  // What has another place alone is there at each look.
  const fleeting = [...textsBetween(looks)].filter((text) => !has.every((texts) => texts.has(text)));
  const texts = noteFleeting(judged.template, fleeting, [after, look], now);
  const isKnown = isKnownIn({ ...judged.template, fleetingAround: texts.fleetingAround }, now);
  const template: HostTemplate = {
    ...judged.template,
    noise: noteNoise(judged.template.noise ?? {}, places, { page, url, now, everyMs, isStored, isKnown }),
    ...texts,
    looks: [made + 1, noisy + (places.length > 0 ? 1 : 0)],
  };
  const noise = places.map(({ place }) => place).filter(isOfPage);
  const view = viewOf(template, rules, { ...found, noise: [...found.noise, ...noise] });
  const pair = viewPair(before, after, view);
  const comparison = comparePair(before, after, pair, view);
  const looked = { ...judged, comparison, view, template, noise };
  const isTurn = compareVersions(after, look, view).kind === "changed";
  if (isTurn && turnedAgo(template.noise ?? {}, places, page, now) === 0)
    return { ...looked, comparison: { kind: "unchanged" }, template: noteVisit(looked, [], found) };
  const sorted = comparison.kind === "unchanged" ? null : sortEdits(comparison, pair, template, found);
  if (isTurn && sorted !== null) {
    // Two looks at a page whose noise is not known in whole never find the same, and yet its own text has changed.
    const lasting = lastingEdits(sorted, pair, viewVersion(look, view), template, now);
    const decided = decide(looked, lasting, found);
    if (decided.comparison.kind === "changed") return { ...decided, waits: MOST_WAITS };
  }
  if (isTurn || sorted === null)
    return { ...looked, comparison: { kind: "unchanged" }, template: noteVisit(looked, [], found), isTurn };
  const decided = decide(looked, sorted, found);
  const steady = steadyPlaces(sorted, after, look, view);
  // Where a place differs in part, the rest may be the same by chance: the next visit looks again.
  const isUnsure = sorted.own.length > 0 && steady.length === 0;
  const waits = isUnsure ? Math.max(decided.waits, 1) : decided.waits;
  return { ...decided, waits, template: noteLooked(decided.template, sorted.shared, now), steady };
}

function isKnownIn(template: HostTemplate, now: number): (text: string) => boolean {
  return (text) => [isFleeting, isFleetingAround].some((isRecent) => isRecent([hashOf(text)], template, now));
}

/** The page's own changes with a text that both looks found, or that neither did, and that is not fleeting. */
function lastingEdits(
  sorted: SortedEdits,
  { before, after }: ViewedPair,
  look: ViewedVersion,
  template: HostTemplate,
  now: number,
): SortedEdits {
  const [had, has, hasAgain] = [before, after, look].map(({ blocks }) => new Set(blocks.map(hashOf))) as [
    Set<string>,
    Set<string>,
    Set<string>,
  ];
  const isLasting = (text: string) =>
    had.has(text) !== has.has(text) && has.has(text) === hasAgain.has(text) && !isFleeting([text], template, now);
  const lasts = (place: string) => [...(sorted.textsAt.get(place) ?? [])].some(isLasting);
  return { ...sorted, own: sorted.own.filter(lasts), shared: [] };
}

/** Those of the page's own places of change where the two looks found the same in all blocks. */
function steadyPlaces(
  { own, spans }: SortedEdits,
  after: PageVersion,
  look: PageVersion,
  { template }: View,
): string[] {
  const [one, other] = [after, look].map(({ blocks }) => inOrder(lookAt(blocks), template.noise).folded);
  const hunks = alignBlocks(one ?? [], other ?? []);
  return own.filter((place) => {
    const [start, end] = spans.get(place) ?? [0, -1];
    return !hunks.some(({ beforeStart: from, beforeEnd: to }) =>
      from === to ? start <= from && from <= end : from < end && start < to,
    );
  });
}

/** Noise may end: where the page differs in a place that was noise long ago, a second look tests that again. */
export function retest(judged: Judged, rules: IgnoreRules, found: Found): Judged {
  const { url, before, after, now, everyMs, look } = found;
  const noise = judged.template.noise ?? {};
  const page = hashOf(url);
  const tested = noiseOn(noise, page, now);
  const old = noiseOn(noise, page).filter((place) => !tested.includes(place));
  if (look === null || old.length === 0) return judged;
  const isChanged = (view: View): boolean => compareVersions(before, after, view).kind === "changed";
  if (!isChanged(viewOf(judged.template, rules, found, now))) return judged;
  if (look === undefined) return { ...judged, wantsLook: true };
  if (isOtherPage(after, look, judged.view)) return judged;
  const places = findNoise(after, alignLooks(after, look), judged.view.template);
  const isStill = new Set(places.map(({ place }) => place));
  const same = old.filter((place) => !isStill.has(place));
  // Two places may hide the same text, so each is judged as if there were none of the others.
  const editsWith = (kept: string | null) => {
    const left = Object.entries(noise).filter(([place]) => place === kept || !same.includes(place));
    return countEdits(before, after, viewOf({ ...judged.template, noise: Object.fromEntries(left) }, rules, found));
  };
  const all = editsWith(null);
  const steady = same.slice(0, MOST_RETESTED).filter((place) => editsWith(place) < all);
  const looked = { page, url, now, everyMs, isStored: false, isKnown: isKnownIn(judged.template, now) };
  const noted = noteSteady(noteNoise(noise, places, looked), steady, now);
  return { ...judged, template: { ...judged.template, noise: noted } };
}

/** The differences between two versions. */
function countEdits(before: PageVersion, after: PageVersion, view: View): number {
  const comparison = compareVersions(before, after, view);
  if (comparison.kind === "unchanged") return 0;
  const { title, canonical, content } = comparison;
  const { added = 0, removed = 0, modified = 0 } = content ?? {};
  return Number(title !== null) + Number(canonical !== null) + added + removed + modified;
}
