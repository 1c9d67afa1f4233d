import { diffArrays } from "diff"; // jsdiff: Myers' algorithm, kept since 2011, no dependencies, plain JavaScript

/** Finds the blocks that two versions have in common, in order, and the places where they differ. */

/** A run of blocks that was replaced by another run. Either may be empty. Ends are exclusive. */
export interface Hunk {
  beforeStart: number;
  beforeEnd: number;
  afterStart: number;
  afterEnd: number;
}

/**
 * The limit of Myers' algorithm, in blocks added and removed: it takes a time that grows with its square. jsdiff has a
 * timeout too, but the clock of a Worker stands still while it computes.
 * https://developers.cloudflare.com/workers/runtime-apis/performance/
 */
const MAX_EDITS = 1_000;

/**
 * Aligns two lists of texts. Beyond 1,000 edits only texts that are unique in both lists are aligned, in
 * O(n log n).
 */
export function alignBlocks(before: readonly string[], after: readonly string[]): Hunk[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let beforeEnd = before.length;
  let afterEnd = after.length;
  while (beforeEnd > start && afterEnd > start && before[beforeEnd - 1] === after[afterEnd - 1]) {
    beforeEnd -= 1;
    afterEnd -= 1;
  }
  if (start === beforeEnd && start === afterEnd) return [];
  const middle = before.slice(start, beforeEnd);
  const middleAfter = after.slice(start, afterEnd);
  const changes = diffArrays(middle, middleAfter, { maxEditLength: MAX_EDITS });
  const pairs = changes === undefined ? pairUnique(middle, middleAfter) : null;
  const hunks = pairs === null ? hunksOfChanges(changes ?? []) : hunksBetween(pairs, middle, middleAfter);
  return hunks.map((hunk) => ({
    beforeStart: hunk.beforeStart + start,
    beforeEnd: hunk.beforeEnd + start,
    afterStart: hunk.afterStart + start,
    afterEnd: hunk.afterEnd + start,
  }));
}

function hunksOfChanges(changes: readonly { added: boolean; removed: boolean; count: number }[]): Hunk[] {
  const hunks: Hunk[] = [];
  let open: Hunk | null = null;
  let before = 0;
  let after = 0;
  for (const { added, removed, count } of changes) {
    if (!added && !removed) {
      before += count;
      after += count;
      open = null;
      continue;
    }
    if (open === null) {
      open = { beforeStart: before, beforeEnd: before, afterStart: after, afterEnd: after };
      hunks.push(open);
    }
    if (removed) before += count;
    else after += count;
    open.beforeEnd = before;
    open.afterEnd = after;
  }
  return hunks;
}

/** Pairs the texts that stand once in each list, as many as keep their order: patience diff's first step. */
function pairUnique(before: readonly string[], after: readonly string[]): [number, number][] {
  const places = uniquePlaces(before);
  const candidates: [number, number][] = [];
  for (const [text, index] of uniquePlaces(after)) {
    const place = places.get(text);
    if (place !== undefined && place >= 0 && index >= 0) candidates.push([place, index]);
  }
  return longestRising(candidates);
}

/** The index of each text; -1 for a text that stands there several times. In the order of the list. */
function uniquePlaces(list: readonly string[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const [index, text] of list.entries()) places.set(text, places.has(text) ? -1 : index);
  return places;
}

/** The longest subsequence whose first numbers rise. The second ones rise already. */
function longestRising(pairs: readonly [number, number][]): [number, number][] {
  const piles: number[] = [];
  const below: number[] = [];
  for (const [index, [value]] of pairs.entries()) {
    let low = 0;
    let high = piles.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[piles[middle] ?? 0]?.[0] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    below.push(low === 0 ? -1 : (piles[low - 1] ?? -1));
    piles[low] = index;
  }
  const rising: [number, number][] = [];
  for (let index = piles.at(-1) ?? -1; index >= 0; index = below[index] ?? -1) {
    const pair = pairs[index];
    if (pair !== undefined) rising.push(pair);
  }
  return rising.reverse();
}

function hunksBetween(pairs: readonly [number, number][], before: readonly string[], after: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  let beforeStart = 0;
  let afterStart = 0;
  for (const [beforeEnd, afterEnd] of [...pairs, [before.length, after.length] as const]) {
    if (beforeEnd > beforeStart || afterEnd > afterStart) hunks.push({ beforeStart, beforeEnd, afterStart, afterEnd });
    beforeStart = beforeEnd + 1;
    afterStart = afterEnd + 1;
  }
  return hunks;
}
