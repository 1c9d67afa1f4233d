import { isTimeIn, NO_PULSES, newElsewhere } from "../noise/pulses.ts";
import { hashOf } from "../page-version.ts";
import type { HostTemplate } from "../template/host-template.ts";
import { isDayAlone, maskText, withoutTime } from "../template/mask-text.ts";
import type { RoundTable } from "../template/round.ts";
import type { SharedEdit } from "../template/shared-rounds.ts";
import { isOfTemplate } from "../template/template-blocks.ts";
import type { ViewedPair, ViewedVersion } from "../view-version.ts";
import { type EditedHunk, findEdits, type PageChange } from "./compare-versions.ts";
import { isFleetingAround } from "./fleeting-texts.ts";
import type { Found } from "./found-version.ts";
import { hasNewSurroundings } from "./new-surroundings.ts";
import { sharedTitleEdits } from "./title-edits.ts";

/** Sorts what has changed on a page: what is the page's own, and what may have changed on most pages at once. */

export interface SortedEdits {
  /** The places of the page's own changes: each is known by the blocks around it. */
  own: string[];
  /** The blocks of the later version that such a place has, by their positions there; the end is exclusive. */
  spans: Map<string, readonly [start: number, end: number]>;
  /** Changes of the template, in blocks and titles, or directly beside it. */
  shared: SharedEdit[];
  /** The hashes of all texts that came or went. */
  texts: ReadonlySet<string>;
  /** Those at each place of the page's own changes. */
  textsAt: Map<string, ReadonlySet<string>>;
}

export function sortEdits(
  change: PageChange,
  pair: ViewedPair,
  template: HostTemplate,
  { url, now }: Pick<Found, "url" | "now">,
): SortedEdits {
  const hunks = change.content === null ? [] : findEdits(pair.before, pair.after);
  const texts = textsOf(hunks, pair);
  const sorted: SortedEdits = { own: [], spans: new Map(), shared: [], texts, textsAt: new Map() };
  const titleEdits = change.title === null ? [] : sharedTitleEdits(change.title, template);
  if (titleEdits === null) sorted.own.push("title");
  else sorted.shared.push(...titleEdits);
  if (change.canonical !== null) sorted.own.push("canonical");
  if (change.content === null) return sorted;
  if (pair.before.rest !== pair.after.rest) sorted.own.push("rest");
  const elsewhere = newElsewhere(template.pulses ?? NO_PULSES, hashOf(url));
  const isAround = (text: string) => isFleetingAround([text], template, now);
  const isOfAround = (hunk: EditedHunk) => [...textsOf([hunk], pair)].every(isAround);
  const isRedesigned = hasNewSurroundings(pair.before, pair.after);
  for (const hunk of hunks.flatMap((one) => partsOf(one, isOfAround))) {
    if (
      isOfAround(hunk) ||
      isShared(hunk, pair, template, elsewhere) ||
      (isRedesigned && isAddedAtEnd(hunk, pair.after))
    ) {
      sorted.shared.push(...sharedEdits(hunk, pair, template, elsewhere));
      continue;
    }
    const place = placeOf(hunk, pair.after, isAround);
    sorted.own.push(place);
    sorted.textsAt.set(place, textsOf([hunk], pair));
    sorted.spans.set(place, spanOf(hunk, pair.after));
  }
  return sorted;
}

type Sides = Pick<ViewedPair, "before" | "after">;

/** The hashes of the blocks that came or went between two versions. */
export function textsBetween(sides: Sides): Set<string> {
  return textsOf(findEdits(sides.before, sides.after), sides);
}

function textsOf(hunks: readonly EditedHunk[], { before, after }: Sides): Set<string> {
  const edits = hunks.flatMap((hunk) => hunk.edits);
  const texts = edits.flatMap((edit) => [before.blocks[edit.before ?? -1], after.blocks[edit.after ?? -1]]);
  return new Set(texts.flatMap((text) => (text === undefined ? [] : [hashOf(text)])));
}

/**
 * Whether all edits of a hunk are of the template, or add and remove blocks beside it. So is a new text that another
 * page has just shown around its content (`elsewhere`), and what it stands in the place of: the reader takes a footer
 * for content on some pages alone.
 */
function isShared(
  { edits, ...hunk }: EditedHunk,
  { before, after, differing }: ViewedPair,
  { rounds = {} }: HostTemplate,
  elsewhere: ReadonlySet<string>,
): boolean {
  // What came to most pages at once, or went from them, was of the template.
  const hasCome = (text: string) => ["+", "-"].some((sign) => rounds[sign + hashOf(text)]?.isShared === true);
  const isOfTemplate = (text: string | undefined) => text !== undefined && (differing.has(text) || hasCome(text));
  const isBeside =
    edits.some(({ before: old, after: now }) =>
      [before.blocks[old ?? -1], after.blocks[now ?? -1]].some((text) => isOfTemplate(text)),
    ) ||
    hasTemplateIn(before, hunk.beforeStart, hunk.beforeEnd) ||
    hasTemplateIn(after, hunk.afterStart, hunk.afterEnd);
  const isElsewhere = (text: string | undefined) =>
    text !== undefined && (elsewhere.has(hashOf(text)) || isTimeOfAll(text, elsewhere, rounds));
  const hasElsewhere = edits.some(({ after: now }) => isElsewhere(after.blocks[now ?? -1]));
  return edits.every(({ before: old, after: now }) => {
    const [was, is] = [before.blocks[old ?? -1], after.blocks[now ?? -1]];
    if (is === undefined ? hasElsewhere : isElsewhere(is)) return true;
    if (was !== undefined && is !== undefined) return isOfTemplate(was) || isOfTemplate(is);
    return isBeside || isOfTemplate(was) || isOfTemplate(is);
  });
}

/**
 * Whether a hunk only adds blocks at the beginning or at the end of the content. The reader may take the menu of a new
 * design for content.
 */
function isAddedAtEnd({ edits, afterStart, afterEnd }: EditedHunk, { blocks }: ViewedVersion): boolean {
  return edits.every(({ before }) => before === null) && (afterStart === 0 || afterEnd === blocks.length);
}

/** Whether a block of the template stands beside these blocks or between them. A page's beginning is one, too. */
function hasTemplateIn({ templateBefore, blocks }: ViewedVersion, start: number, end: number): boolean {
  if (start === 0 && end > 0 && end < blocks.length) return true;
  for (let at = start; at <= end; at++) if ((templateBefore[at]?.length ?? 0) > 0) return true;
  return false;
}

/**
 * What came in the place of the page's own text may have come to any page, and what came in the place of the template
 * to those that had this.
 */
function sharedEdits(
  hunk: EditedHunk,
  { before, after }: ViewedPair,
  { blocks, pages, rounds = {} }: HostTemplate,
  elsewhere: ReadonlySet<string>,
): SharedEdit[] {
  const { edits } = hunk;
  const beside = besideOf(hunk, after);
  // What other pages have, too, such as one of many advertisements, is nothing of the page's own.
  const placeOfText = (text: string) =>
    beside === null || blocks[hashOf(maskText(text))] !== undefined ? {} : { place: beside };
  const gone = edits.flatMap(({ before: at }) => (at === null ? [] : [before.blocks[at] ?? ""]));
  const came = edits.flatMap(({ after: at }) => (at === null ? [] : [after.blocks[at] ?? ""]));
  const found: SharedEdit[] = [];
  const left: string[] = [];
  let replaced: Pick<SharedEdit, "had" | "share"> | null = null;
  for (const text of gone) {
    const masked = maskText(text);
    const hash = hashOf(masked);
    const spread = blocks[hash];
    const pair = came.findIndex((other) => maskText(other) === masked);
    const isTime = pair !== -1 && isTimeOfAll(came[pair] ?? "", elsewhere, rounds);
    if (!isTime && (spread === undefined || !isOfTemplate(spread, pages))) {
      left.push(text);
      continue;
    }
    // What other pages have around their content is on all of them.
    const share = isTime ? 1 : Math.min(1, (spread?.[0] ?? 0) / Math.max(pages, 1));
    // All days look alike: of most pages is one that comes to them, whichever each of them had.
    if (pair !== -1 && isDayAlone(text)) {
      replaced ??= { had: `n${hash}`, share };
      continue;
    }
    const key = pair === -1 ? `-${hashOf(text)}` : `n${hash}`;
    found.push({ key, text: pair === -1 ? text : (came.splice(pair, 1)[0] ?? ""), had: `n${hash}`, share });
    if (pair === -1) replaced ??= { had: `n${hash}`, share };
  }
  if (came.length === 0)
    for (const text of left) {
      const key = `-${hashOf(text)}`;
      // Few pages are taken for having had it, but those that are known to have shown it.
      found.push({ key, text, had: key, share: 0, ...placeOfText(text) });
    }
  for (const text of came) {
    const might = replaced ?? { had: null, share: 1, ...placeOfText(text) };
    found.push({ key: `+${hashOf(text)}`, text, ...might });
  }
  return found;
}

/** Whether another page has just shown the same day around its content, or most pages show other times all along. */
function isTimeOfAll(text: string, elsewhere: ReadonlySet<string>, rounds: RoundTable): boolean {
  if (withoutTime(text) === null) return false;
  return isTimeIn(elsewhere, text) || rounds[`n${hashOf(maskText(text))}`]?.isShared === true;
}

/** The block of the template that stands before what has changed, or behind it; null if none does. */
function besideOf({ afterStart, afterEnd }: EditedHunk, { templateBefore }: ViewedVersion): string | null {
  const text = templateBefore[afterStart]?.at(-1) ?? templateBefore[afterEnd]?.[0];
  return text === undefined ? null : hashOf(maskText(text));
}

/** `isAround`: whether the block with a hash comes and goes around the content. It is no neighbour. */
function placeOf(
  { afterStart, afterEnd }: EditedHunk,
  { blocks }: ViewedVersion,
  isAround: (text: string) => boolean,
): string {
  const hash = (at: number, step: 1 | -1): string => {
    const text = blocks[at];
    if (text === undefined) return "";
    return isAround(hashOf(text)) ? hash(at + step, step) : hashOf(maskText(text));
  };
  return `${hash(afterStart - 1, -1)}>${hash(afterEnd, 1)}`;
}

/** A hunk without the edits that are of what comes and goes around the content, and these as another one. */
function partsOf(hunk: EditedHunk, isOfAround: (hunk: EditedHunk) => boolean): EditedHunk[] {
  const around = hunk.edits.filter((edit) => isOfAround({ ...hunk, edits: [edit] }));
  const own = hunk.edits.filter((edit) => !around.includes(edit));
  if (around.length === 0 || own.length === 0) return [hunk];
  const positions = own.flatMap(({ after }) => (after === null ? [] : [after]));
  const range =
    positions.length === 0 ? {} : { afterStart: Math.min(...positions), afterEnd: Math.max(...positions) + 1 };
  return [
    { ...hunk, ...range, edits: own },
    { ...hunk, edits: around },
  ];
}

/** With what is left out between the blocks that stayed. */
function spanOf({ afterStart, afterEnd }: EditedHunk, { positions }: ViewedVersion): [number, number] {
  return [(positions[afterStart - 1] ?? -1) + 1, positions[afterEnd] ?? Number.POSITIVE_INFINITY];
}
