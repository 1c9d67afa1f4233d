import { alignBlocks, type Hunk } from "../compare/align-blocks.ts";
import { pairBlocks } from "../compare/pair-blocks.ts";
import type { PageVersion } from "../page-version.ts";
import type { CompiledTemplate } from "../template/compile-template.ts";
import { foldText, maskText } from "../template/mask-text.ts";
import { titleParts } from "../template/template-hashes.ts";
import { findMovedRuns, inOrder, type LookedBlocks, lookAt } from "./block-order.ts";
import { compileNoise } from "./compile-noise.ts";
import { ANY_ORDER, BETWEEN_BLOCKS, type FoundPlace } from "./noise-place.ts";
import { wordsPattern } from "./words-pattern.ts";

/** Finds the places where two looks at one page, a moment apart, differ. */

/** Blocks between the two ends of a place. */
export const MAX_SLOT_BLOCKS = 40;
/** A place between two blocks of the template that takes more than this share of the page is what the page is for. */
const MAX_FRAMED_SHARE = 0.5;
const MAX_FOUND = 30;

type Looks = readonly [LookedBlocks, LookedBlocks];

/** `first`, `second`: what the two looks found. */
export function findNoise(first: PageVersion, second: PageVersion, template: CompiledTemplate): FoundPlace[] {
  const looks: Looks = [lookAt(first.blocks), lookAt(second.blocks)];
  const moved = findMovedRuns(alignBlocks(looks[0].folded, looks[1].folded), looks).map((run) => ({
    place: `o:${run.ends}`,
    position: ANY_ORDER,
    texts: textsOf(run, looks),
  }));
  const noise = compileNoise(moved.map(({ place }) => place));
  const [one, other] = [inOrder(looks[0], noise), inOrder(looks[1], noise)];
  const hunks = alignBlocks(one.folded, other.folded);
  const places = hunks.flatMap((hunk) => placesOf(hunk, [one, other], template));
  return [...titlePlaces(first.title, second.title), ...moved, ...places].slice(0, MAX_FOUND);
}

function textsOf({ beforeStart, beforeEnd, afterStart, afterEnd }: Hunk, [one, other]: Looks): [string, string] {
  return [
    one.folded.slice(beforeStart, beforeEnd).join(BETWEEN_BLOCKS),
    other.folded.slice(afterStart, afterEnd).join(BETWEEN_BLOCKS),
  ];
}

function placesOf(hunk: Hunk, [one, other]: Looks, template: CompiledTemplate): FoundPlace[] {
  const { beforeStart, beforeEnd, afterStart, afterEnd } = hunk;
  const texts = textsOf(hunk, [one, other]);
  if (beforeEnd - beforeStart === afterEnd - afterStart) {
    const within = placesWithin(hunk, one, other, template);
    if (within !== null) return within;
  }
  const slots = slotsOf(hunk, one, other, template);
  const position = slots.length > 1 ? null : positionOf(hunk, one, template);
  return slots.map((place) => ({ place: `s:${place}`, texts, ...(position === null ? {} : { position }) }));
}

/** The blocks around a hunk. */
function betweenOf({ beforeStart, beforeEnd }: Hunk, { hashes }: LookedBlocks): string {
  return `${hashes[beforeStart - 1] ?? ""}>${hashes[beforeEnd] ?? ""}`;
}

/** The places within blocks that stayed but for numbers or some words; null if they did not. */
function placesWithin(
  hunk: Hunk,
  one: LookedBlocks,
  other: LookedBlocks,
  template: CompiledTemplate,
): FoundPlace[] | null {
  const position = positionOf(hunk, one, template);
  const places: FoundPlace[] = [];
  const edits = pairBlocks(hunk, one.folded, other.folded);
  for (const { before, after } of edits) {
    if (before === null || after === null) return null;
    const texts = [one.folded[before] ?? "", other.folded[after] ?? ""] as const;
    const isOfNumbers = one.hashes[before] === other.hashes[after];
    // Two items of a random list may share most of their words by chance.
    const pattern = isOfNumbers || edits.length > 1 ? null : wordsPattern(...texts);
    if (!isOfNumbers && pattern === null) return null;
    if (isOfNumbers) places.push({ place: `n:${one.hashes[before]}`, texts });
    else places.push({ place: `w:${pattern}`, texts, ...(position === null ? {} : { position }) });
  }
  return places;
}

/** The slots of a hunk: between its neighbours, and between the nearest blocks of the template. */
function slotsOf(hunk: Hunk, one: LookedBlocks, other: LookedBlocks, { blocks, frame }: CompiledTemplate): string[] {
  const { beforeStart: from, beforeEnd: to, afterStart, afterEnd } = hunk;
  const { folded, hashes } = one;
  const slots = [betweenOf(hunk, one)];
  const lengthOf = (start: number, end: number, counts = (_: string) => true) =>
    folded.slice(start, end).reduce((sum, text) => sum + (counts(text) ? text.length : 0), 0);
  const most = lengthOf(0, folded.length) * MAX_FRAMED_SHARE;
  const isInBoth = new Set(other.folded);
  // Two random lists may have items in common, but the template around them stays. What both looks found in most of the
  // text between is the page's own: paragraphs between two advertisements with one label.
  for (const known of [frame, blocks]) {
    let start = from - 1;
    while (start >= 0 && !known.has(hashes[start] ?? "")) start -= 1;
    let end = to;
    while (end < hashes.length && !known.has(hashes[end] ?? "")) end += 1;
    const isWide = start === -1 && end === hashes.length;
    const length = lengthOf(start + 1, end);
    const same = lengthOf(start + 1, end, (text) => isInBoth.has(text));
    if (isWide || end - start - 1 > MAX_SLOT_BLOCKS || length > most || same > length / 2) continue;
    slots.push(`${hashes[start] ?? ""}>${hashes[end] ?? ""}`);
    break;
  }
  // On other pages, only one of the neighbours may be there.
  const count = Math.max(to - from, afterEnd - afterStart);
  const isKnown = (at: number) => at < 0 || at >= hashes.length || blocks.has(hashes[at] ?? "");
  if (count <= MAX_SLOT_BLOCKS && isKnown(from - 1) !== isKnown(to))
    slots.push(isKnown(from - 1) ? `${hashes[from - 1] ?? ""}>+${count}` : `-${count}>${hashes[to] ?? ""}`);
  return [...new Set(slots)];
}

/** Null where a block came or went: then nothing says which. */
function positionOf(
  { beforeStart, beforeEnd, afterStart, afterEnd }: Hunk,
  { hashes }: LookedBlocks,
  { blocks }: CompiledTemplate,
): string | null {
  const count = beforeEnd - beforeStart;
  if (count !== afterEnd - afterStart || count > MAX_SLOT_BLOCKS) return null;
  const at = hashes.slice(0, beforeStart).filter((hash) => !blocks.has(hash)).length;
  return `i:${at}+${count}`;
}

function titlePlaces(one: string | null, other: string | null): FoundPlace[] {
  if (one === other) return [];
  const [parts, others] = [titleParts(one), titleParts(other)];
  const texts = [one ?? "", other ?? ""] as const;
  if (parts.length !== others.length || parts.length === 0) return [{ place: "t:", texts }];
  return parts.flatMap((part, at) => {
    const [before, after] = [foldText(part), foldText(others[at] ?? "")];
    if (before === after) return [];
    const kind = maskText(before) === maskText(after) ? "n" : "w";
    return [{ place: `t:${at}/${parts.length}:${kind}`, texts }];
  });
}
