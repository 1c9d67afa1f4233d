import type { IgnoreRules } from "../ignore-rules.ts";
import { alignLooks } from "../noise/align-looks.ts";
import { inOrder, lookAt } from "../noise/block-order.ts";
import { noiseOn } from "../noise/compile-noise.ts";
import { findNoise } from "../noise/find-noise.ts";
import {
  ANY_ORDER,
  type FoundPlace,
  isLikely,
  isOfPage,
  isPossible,
  noteNoise,
  noteSteady,
  OTHER_EDIT_MS,
  turnedAgo,
} from "../noise/noise-place.ts";
import { pageLines } from "../page-lines.ts";
import { hashOf, type PageVersion } from "../page-version.ts";
import type { HostTemplate } from "../template/host-template.ts";
import { isSteadyPlace, LOOK_COUNTS_MS } from "../template/own-places.ts";
import {
  hasOpenRound,
  hasSharedNumbers,
  isEverywhere,
  isSteadyRound,
  noteLooked,
  noteRound,
  ownOf,
  type SharedEdit,
} from "../template/shared-rounds.ts";
import { maskedHash, titleHash, titleParts } from "../template/template-hashes.ts";
import { isFormer, isOtherEachTime, noiseOfPage, type ToldVersions } from "../told-versions.ts";
import {
  contentHash,
  hashOfViewed,
  type View,
  type ViewedPage,
  type ViewedPair,
  type ViewedVersion,
  viewOf,
  viewPair,
  viewVersion,
} from "../view-version.ts";
import { withTimes } from "../with-times.ts";
import { alignBlocks } from "./align-blocks.ts";
import { type Comparison, comparePair, compareVersions } from "./compare-versions.ts";
import { type SortedEdits, sortEdits, textsBetween } from "./sort-edits.ts";
import { suspicionOf } from "./suspicion.ts";

/** Decides what a visit found: nothing new, noise, a change of most pages at once, or a change of the page. */

/** A page that is visited, and what is known of it. */
interface VisitedPage extends Pick<ViewedPage, "url" | "storedAt"> {
  /** Milliseconds since the epoch. */
  now: number;
  /** The mean time between two visits of a page. */
  everyMs: number;
  /** What is known of the page's versions; null before the first one. */
  told: ToldVersions | null;
}

export interface FoundVersion extends VisitedPage {
  before: PageVersion;
  after: PageVersion;
  /** What a second look found, moments later; null if there can be none. Absent: it was not asked for. */
  look?: PageVersion | null;
}

export interface Judgement {
  comparison: Comparison;
  /** The content hashes of the two versions. */
  hashes: { before: string; after: string };
  /** The page is compared so from now on. */
  view: View;
  /** With what the visit taught: noise and rounds. */
  template: HostTemplate;
  /** Whether a second look would tell more. */
  wantsLook: boolean;
  /** The visits of the page for which the change waits at most; 0 if it is told now. */
  waits: number;
  /** The places where the second look found the same. */
  steady: readonly string[];
  /** Places of noise that are kept with the page: of order, or known without a look at it (`ToldVersions.noise`). */
  noise: readonly string[];
  /** The changes of most pages that it shows (`ToldVersions.everywhere`). */
  everywhere: readonly string[];
  /** Whether the two looks found two pages: what they say now may be either. */
  isTurn: boolean;
}

/** The share of second looks that found noise, from which a change waits if there can be no look. */
const MUCH_NOISE = 0.2;
/** From this share on, it waits longer. */
const MOST_NOISE = 0.5;
/** The visits for which a change waits for those of other pages, and where most of these change again and again. */
const WAITS = 2;
const MOST_WAITS = 3;
/** Where a look at the page itself has found the stored text. */
const TURN_WAITS = 4;
/** Where looks at other pages have found noise, and there can be none at this one. */
const BLIND_WAITS = 6;
/** A version that stood for less than so many intervals may be one that some caches lack. */
const QUICK_INTERVALS = 2;
/** Places of noise that one look tests again. */
const MOST_RETESTED = 5;
const MAX_FLEETING = 150;

export function judgeVersion(template: HostTemplate, rules: IgnoreRules, visited: FoundVersion): Judgement {
  const found = { ...visited, ...visitedPage(visited) };
  const judged = judge(template, rules, found);
  // Under what this visit taught, as the next one will see it.
  const view = viewOf(judged.template, rules, { ...found, noise: [...found.noise, ...judged.noise] });
  const [before, after] = [viewVersion(found.before, view), viewVersion(found.after, view)];
  const hashes = { before: hashOfViewed(before), after: hashOfViewed(after) };
  return { ...judged, view, hashes, everywhere: everywhereOf(judged.template, { before, after }, found) };
}

/** A page as a visit views it. */
export function visitedPage({ url, storedAt, now, everyMs, told }: VisitedPage): Required<ViewedPage> {
  const visit = { now, everyMs, everywhere: told?.everywhere ?? [] };
  return { url, storedAt, noise: noiseOfPage(told, now), visit };
}

/** The texts that came or went, and did so on most pages at once. */
function everywhereOf({ rounds = {} }: HostTemplate, viewed: ViewedPair["bare"], found: Found): string[] {
  const [old, now] = [viewed.before, viewed.after].map(
    ({ blocks, templateBefore }) => new Set([...blocks, ...templateBefore.flat()]),
  ) as [Set<string>, Set<string>];
  const changed = [...[...old].filter((text) => !now.has(text)), ...[...now].filter((text) => !old.has(text))];
  return changed.map(hashOf).filter((hash) => isEverywhere(rounds, `+${hash}`, found));
}

type Found = FoundVersion & Required<ViewedPage>;

/** A judgement that is not hashed yet. */
type Judged = Omit<Judgement, "hashes" | "everywhere">;

function judge(template: HostTemplate, rules: IgnoreRules, found: Found): Judged {
  const { before, after, look } = found;
  const view = viewOf(template, rules, found);
  const pair = viewPair(before, after, view);
  const comparison = comparePair(before, after, pair, view);
  const judged = { comparison, view, template, wantsLook: false, waits: 0, steady: [], noise: [], isTurn: false };
  if (comparison.kind === "unchanged")
    return retest({ ...judged, template: noteVisit(judged, [], found) }, rules, found);
  // A page that may be an error teaches nothing.
  if (comparison.suspicion !== null) return judged;
  const sorted = sortEdits(comparison, pair, template);
  const isUnknown = hasUnknown(sorted, template, found, isReturn(after, view, found));
  if (look === undefined && isUnknown) return { ...judged, wantsLook: true };
  if (look == null || isOtherPage(after, look, view)) {
    const places = isUnknown ? findNoise(before, after, view.template) : [];
    const noise = likelyNoise(judged, places, rules, found);
    if (noise !== null) return { ...judged, comparison: { kind: "unchanged" }, noise };
    // Only looks tell an edit that all caches have by now from one of two texts.
    if (isAtTurn(judged, places, found, OTHER_EDIT_MS)) return { ...judged, comparison: { kind: "unchanged" } };
    return decide(judged, sorted, found, isUnknown);
  }
  return judgeLook(judged, sorted, rules, found, alignLooks(after, look));
}

/**
 * Whether nobody has looked twice at one of the places of a change lately. A page that is back to what it was may show
 * one of two texts to each request.
 */
function hasUnknown(sorted: SortedEdits, template: HostTemplate, { now, told }: Found, isReturn: boolean): boolean {
  const { own, shared } = sorted;
  if (isReturn) return true;
  const steady = told?.steady ?? {};
  const isKnown = (place: string) => now - (steady[place] ?? Number.NEGATIVE_INFINITY) < LOOK_COUNTS_MS;
  if (own.some((place) => !isKnown(place))) return true;
  const isSteady = ({ key, place }: SharedEdit) =>
    isSteadyRound(template.rounds?.[key]) || isSteadyPlace(template.ownPlaces, place, now);
  return !shared.every(isSteady) || isFleeting(sorted, template, now);
}

/** Whether texts came or went that have lately done so between two looks, at this page or another one. */
function isFleeting({ texts }: SortedEdits, { fleeting = {} }: HostTemplate, now: number): boolean {
  return [...texts].some((text) => isFleetingText(text, fleeting, now));
}

function isFleetingText(text: string, fleeting: Readonly<Record<string, number>>, now: number): boolean {
  return now - (fleeting[text] ?? Number.NEGATIVE_INFINITY) < LOOK_COUNTS_MS;
}

/**
 * The places of a change that are noise all the same, though there can be no second look: looks at other pages have
 * found noise at the same positions, and the page says something else there at each visit, or the same in another
 * order. Null if they are not. `differing`: where the page differs from what is stored.
 */
function likelyNoise(
  { template, view }: Pick<Judged, "template" | "view">,
  differing: readonly FoundPlace[],
  rules: IgnoreRules,
  found: Found,
): string[] | null {
  const { before, after, told, now, noise } = found;
  const likely = differing.filter((place) => isLikely(template.noise ?? {}, place, now));
  if (likely.length === 0) return null;
  const isOrder = likely.every(({ position }) => position === ANY_ORDER);
  if (!isOrder && !isOtherEachTime(told, contentHash(after, view))) return null;
  const places = likely.map(({ place }) => place);
  const without = viewOf(template, rules, { ...found, noise: [...noise, ...places] });
  return compareVersions(before, after, without).kind === "unchanged" ? places : null;
}

/** Whether a second look found an error or a log-in in place of the page, so that it says nothing of it. */
function isOtherPage(after: PageVersion, look: PageVersion, view: View): boolean {
  return suspicionOf(after, look, viewPair(after, look, view).bare) !== null;
}

function judgeLook(
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
  const template: HostTemplate = {
    ...judged.template,
    noise: noteNoise(judged.template.noise ?? {}, places, { page, url, now, everyMs, isStored }),
    fleeting: withTimes(judged.template.fleeting, fleeting, now, MAX_FLEETING),
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
  const sorted = comparison.kind === "unchanged" ? null : sortEdits(comparison, pair, template);
  if (isTurn && sorted !== null) {
    // Two looks at a page whose noise is not known in whole never find the same, and yet its own text has changed.
    const lasting = lastingEdits(sorted, pair, viewVersion(look, view), template, now);
    const decided = decide(looked, lasting, found, false);
    if (decided.comparison.kind === "changed") return { ...decided, waits: MOST_WAITS };
  }
  if (isTurn || sorted === null)
    return { ...looked, comparison: { kind: "unchanged" }, template: noteVisit(looked, [], found), isTurn };
  const decided = decide(looked, sorted, found, false);
  const steady = steadyPlaces(sorted, after, look, view);
  // Where a place differs in part, the rest may be the same by chance: the next visit looks again.
  const isUnsure = sorted.own.length > 0 && steady.length === 0;
  const waits = isUnsure ? Math.max(decided.waits, 1) : decided.waits;
  return { ...decided, waits, template: noteLooked(decided.template, sorted.shared, now), steady };
}

/** The page's own changes with a text that both looks found, or that neither did, and that is not fleeting. */
function lastingEdits(
  sorted: SortedEdits,
  { before, after }: ViewedPair,
  look: ViewedVersion,
  { fleeting = {} }: HostTemplate,
  now: number,
): SortedEdits {
  const [had, has, hasAgain] = [before, after, look].map(({ blocks }) => new Set(blocks.map(hashOf))) as [
    Set<string>,
    Set<string>,
    Set<string>,
  ];
  const isLasting = (text: string) =>
    had.has(text) !== has.has(text) && has.has(text) === hasAgain.has(text) && !isFleetingText(text, fleeting, now);
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

/** `isUnknown`: whether the change may be noise, and there can be no second look. */
function decide(judged: Judged, sorted: SortedEdits, found: Found, isUnknown: boolean): Judged {
  const { own, shared } = sorted;
  const template = noteVisit(judged, shared, found);
  if (own.length > 0) {
    const places = findNoise(found.before, found.after, judged.view.template);
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
  // Looks may have found the same by chance.
  if (isFleeting(sorted, template, found.now))
    return { ...judged, template, waits: isUnknown ? BLIND_WAITS : MOST_WAITS };
  const isRotating = left.own.length < shared.length;
  return { ...judged, template, waits: left.isUnclear ? (isRotating ? MOST_WAITS : WAITS) : 0 };
}

/** Whether a page says what was told of it before. */
function isReturn(after: PageVersion, view: View, { told }: Found): boolean {
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
  if (own.some((place) => !place.includes(">"))) return false;
  const noise = template.noise ?? {};
  const known = new Set(noiseOn(noise, hashOf(url)));
  const places = differing.filter(({ place }) => !known.has(place) && !place.startsWith("t:"));
  return places.length > 0 && places.every((place) => isPossible(noise, place, now));
}

/** Whether looks at the page have lately found one of two texts where it has changed. */
function isAtTurn(
  { template }: Judged,
  differing: readonly FoundPlace[],
  { url, now }: Found,
  lastsMs: number,
): boolean {
  return turnedAgo(template.noise ?? {}, differing, hashOf(url), now) < lastsMs;
}

/** Noise may end: where the page differs in a place that was noise long ago, a second look tests that again. */
function retest(judged: Judged, rules: IgnoreRules, found: Found): Judged {
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
  const noted = noteSteady(noteNoise(noise, places, { page, url, now, everyMs, isStored: false }), steady, now);
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

function noteVisit(
  { template, view }: Pick<Judged, "template" | "view">,
  edits: readonly SharedEdit[],
  found: Found,
): HostTemplate {
  const { url, now, everyMs, storedAt, before, after, visit } = found;
  const asksNumbers = hasSharedNumbers(template);
  // Open rounds alone ask what a page had and shows.
  const read = hasOpenRound(template, now, everyMs)
    ? { had: new Set([...keysOf(before), ...linesOf("-", before, view)]), shows: linesOf("+", after, view) }
    : { had: asksNumbers ? new Set(keysOf(before)) : null, shows: null };
  const numbers = asksNumbers ? otherNumbers(before, after) : null;
  return noteRound(template, edits, { url, now, everyMs, ...read, numbers, storedAt, visit });
}

/** The keys of a version's title and blocks (`SharedEdit.had`). */
function keysOf({ title, blocks }: PageVersion): string[] {
  return [...titleParts(title).map(titleHash), ...blocks.map(maskedHash)].map((hash) => `n${hash}`);
}

/** The keys of the blocks that both versions have, with other numbers. */
function otherNumbers(before: PageVersion, after: PageVersion): Set<string> {
  const old = new Set(before.blocks);
  const had = new Set(before.blocks.map(maskedHash));
  const others = after.blocks.filter((block) => !old.has(block)).map(maskedHash);
  return new Set(others.filter((hash) => had.has(hash)).map((hash) => `n${hash}`));
}

/** The keys with a sign of a page's title and of its lines, in its content and around it. */
function linesOf(sign: "+" | "-", { title, pageText = "" }: PageVersion, { template, rules }: View): Set<string> {
  const lines = pageLines(pageText, (folded) => rules.cutIgnored(template.noise.cutText(folded)));
  return new Set([...titleParts(title).map(titleHash), ...lines.map(hashOf)].map((hash) => sign + hash));
}
