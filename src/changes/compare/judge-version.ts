import type { IgnoreRules } from "../ignore-rules.ts";
import { alignLooks } from "../noise/align-looks.ts";
import { findNoise } from "../noise/find-noise.ts";
import {
  ANY_ORDER,
  blocksOf,
  type FoundPlace,
  isLikely,
  isOfPulse,
  notePulsing,
  OTHER_EDIT_MS,
} from "../noise/noise-place.ts";
import { hasAgreed, isPulsing, NO_PULSES, notePulses } from "../noise/pulses.ts";
import { linesAround, pageLines } from "../page-lines.ts";
import { hashOf, type PageVersion } from "../page-version.ts";
import type { HostTemplate } from "../template/host-template.ts";
import { isSteadyPlace, LOOK_COUNTS_MS } from "../template/own-places.ts";
import { isEverywhere, isSteadyRound, type SharedEdit } from "../template/shared-rounds.ts";
import { maskedHash } from "../template/template-hashes.ts";
import { isOtherEachTime, noiseOfPage } from "../told-versions.ts";
import {
  contentHash,
  hashOfViewed,
  type View,
  type ViewedPage,
  type ViewedPair,
  viewOf,
  viewPair,
  viewVersion,
} from "../view-version.ts";
import { comparePair, compareVersions } from "./compare-versions.ts";
import { decide, isAtTurn, isReturn } from "./decide-edits.ts";
import { isFleeting } from "./fleeting-texts.ts";
import type { Found, FoundVersion, Judged, Judgement, VisitedPage } from "./found-version.ts";
import { isOtherPage, judgeLook, retest } from "./judge-look.ts";
import { judgeShown } from "./judge-shown.ts";
import { noteVisit } from "./note-visit.ts";
import { type SortedEdits, sortEdits } from "./sort-edits.ts";

/** Decides what a visit found: nothing new, noise, a change of most pages at once, or a change of the page. */

/** So long a look counts where there can be no other one. */
const WITHOUT_LOOKS_MS = 3 * LOOK_COUNTS_MS;

export function judgeVersion(template: HostTemplate, rules: IgnoreRules, visited: FoundVersion): Judgement {
  const found = { ...visited, ...visitedPage(visited) };
  const judged = judgeShown(judge(template, rules, found), rules, found);
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

function judge(template: HostTemplate, rules: IgnoreRules, found: Found): Judged {
  const { before, after } = found;
  const view = viewOf(template, rules, found);
  const pair = viewPair(before, after, view);
  const comparison = comparePair(before, after, pair, view);
  const judged = { comparison, view, template, wantsLook: false, waits: 0, steady: [], noise: [], isTurn: false };
  if (comparison.kind === "unchanged") {
    const known = { ...judged, template: noteSilent(template, found, view) };
    return retest({ ...known, template: noteVisit(known, [], found) }, rules, found);
  }
  // A page that may be an error teaches nothing.
  if (comparison.suspicion !== null) return judged;
  const { template: taught, differing } = notePulse(template, found, view);
  if (taught.noise !== template.noise) return judge(taught, rules, found);
  const { look } = found;
  const sorted = sortEdits(comparison, pair, taught, found);
  const isUnknown = hasUnknown(sorted, taught, found, isReturn(after, view, found));
  const changed = { ...judged, template: taught };
  if (look === undefined && isUnknown) return { ...changed, wantsLook: true };
  if (look == null || isOtherPage(after, look, view)) {
    const places = isUnknown ? differing : [];
    const noise = likelyNoise(changed, places, rules, found);
    if (noise !== null) return { ...changed, comparison: { kind: "unchanged" }, noise };
    // Only looks tell an edit that all caches have by now from one of two texts.
    if (isAtTurn(changed, places, found, OTHER_EDIT_MS)) return { ...changed, comparison: { kind: "unchanged" } };
    return decide(changed, sorted, found, { isUnknown, differing });
  }
  return judgeLook(changed, sorted, rules, found, alignLooks(after, look));
}

/**
 * Notes where a page differs from what is stored, and which of these places show all pages one text at a time. Returns
 * the places, too.
 */
function notePulse(
  template: HostTemplate,
  found: Found,
  view: View,
): { template: HostTemplate; differing: readonly FoundPlace[] } {
  const { before, after, url, now, everyMs } = found;
  const differing = findNoise(before, after, view.template);
  const visit = { page: hashOf(url), now, ...newLines(before, after) };
  const pulses = notePulses(template.pulses ?? NO_PULSES, differing, visit);
  const { noise = {} } = template;
  const isNew = ({ place, texts }: FoundPlace) => {
    const [runs, known] = [pulses.places[place] ?? [], noise[place]];
    if (known?.at === now) return false;
    // Where that is known, two pages that agree show that it lasts.
    return isPulsing(runs, everyMs, blocksOf(texts[1]).length) || (isOfPulse(known) && hasAgreed(runs));
  };
  const pulsing = differing.filter(isNew);
  if (pulsing.length === 0) return { template: { ...template, pulses }, differing };
  const pages = [template.pulses?.last.page ?? "", pulses.last.page];
  // Each text of such a place is on many pages at times, and yet none is of the template.
  const shown = new Set(pulsing.flatMap(({ texts }) => texts.flatMap(blocksOf)).map(maskedHash));
  const blocks = Object.fromEntries(Object.entries(template.blocks).filter(([hash]) => !shown.has(hash)));
  const noted = pulsing.reduce((table, place) => notePulsing(table, place, { pages, url, now }), noise);
  return { template: { ...template, pulses, blocks, noise: noted }, differing };
}

/** Notes a visit that found no change of the content: others may find the same lines in theirs. */
function noteSilent(template: HostTemplate, found: Found, view: View): HostTemplate {
  if (hasPulseInForce(template)) return notePulse(template, found, view).template;
  const { pulses = NO_PULSES } = template;
  const { before, after, url, now } = found;
  return { ...template, pulses: notePulses(pulses, [], { page: hashOf(url), now, ...newLines(before, after) }) };
}

/** The folded lines of a page that the stored version has not, and those that are around its content. */
function newLines(before: PageVersion, after: PageVersion): { lines: string[]; around: string[] } {
  const linesOf = ({ pageText = "" }: PageVersion) => pageLines(pageText);
  const had = new Set(linesOf(before));
  const lines = linesOf(after).filter((line) => !had.has(line));
  if (lines.length === 0) return { lines, around: [] };
  return { lines, around: linesAround(lines, after) };
}

function hasPulseInForce({ pulses = NO_PULSES, noise = {} }: HostTemplate): boolean {
  return Object.keys(pulses.places).some((place) => isOfPulse(noise[place]));
}

/**
 * Whether nobody has looked twice at one of the places of a change lately. A page that is back to what it was may show
 * one of two texts to each request. What may have changed on most pages waits for them where nothing else has changed,
 * so a look is spent on that alone then.
 */
function hasUnknown(
  sorted: SortedEdits,
  template: HostTemplate,
  { now, told, look }: Found,
  isReturn: boolean,
): boolean {
  const { own, shared, texts, textsAt } = sorted;
  if (isReturn) return true;
  const steady = told?.steady ?? {};
  const countsMs = look === null ? WITHOUT_LOOKS_MS : LOOK_COUNTS_MS;
  const isKnown = (place: string) =>
    now - (steady[place] ?? Number.NEGATIVE_INFINITY) < countsMs &&
    !isFleeting(textsAt.get(place) ?? [], template, now);
  if (own.length > 0) return !own.every(isKnown);
  const isSteady = ({ key, place }: SharedEdit) =>
    isSteadyRound(template.rounds?.[key]) || isSteadyPlace(template.ownPlaces, place, now);
  return !shared.every(isSteady) || isFleeting(texts, template, now);
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
