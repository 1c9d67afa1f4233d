import { tokenize } from "../tokenize.ts";
import type { Hunk } from "./align-blocks.ts";

/** Pairs the blocks of a hunk that are two wordings of one block. */

/** Blocks that share fewer of their words than this are two blocks. */
const LEAST_LIKENESS = 0.5;
/** Words of a block that are compared. */
const MAX_WORDS = 500;
/** In a larger hunk a block is compared only with the one in its place, and in one of so many blocks with none. */
const MAX_COMPARISONS = 1_600;
const MAX_BLOCKS = 4_000;

/** A removed block, an added block, or two wordings of a block with the share of words that they have in common. */
export interface BlockEdit {
  before: number | null;
  after: number | null;
  /** 0 to 1. */
  likeness: number;
}

/** The edits of a hunk, in the order of the later version. */
export function pairBlocks(hunk: Hunk, before: readonly string[], after: readonly string[]): BlockEdit[] {
  const { beforeStart, beforeEnd, afterStart, afterEnd } = hunk;
  const isLarge = (beforeEnd - beforeStart) * (afterEnd - afterStart) > MAX_COMPARISONS;
  const isHuge = beforeEnd - beforeStart + afterEnd - afterStart > MAX_BLOCKS;
  const words = new Map<string, ReadonlyMap<string, number>>();
  const edits: BlockEdit[] = [];
  let next = beforeStart;
  for (let index = afterStart; index < afterEnd; index++) {
    const inPlace = Math.max(next, beforeStart + index - afterStart);
    const end = isHuge ? next : isLarge ? Math.min(inPlace + 1, beforeEnd) : beforeEnd;
    let best = { at: -1, likeness: 0 };
    for (let at = isLarge ? inPlace : next; at < end; at++) {
      const likeness = likenessOf(before[at] ?? "", after[index] ?? "", words);
      if (likeness >= LEAST_LIKENESS && likeness > best.likeness) best = { at, likeness };
    }
    if (best.at === -1) {
      edits.push({ before: null, after: index, likeness: 0 });
      continue;
    }
    for (; next < best.at; next++) edits.push({ before: next, after: null, likeness: 0 });
    edits.push({ before: best.at, after: index, likeness: best.likeness });
    next = best.at + 1;
  }
  for (; next < beforeEnd; next++) edits.push({ before: next, after: null, likeness: 0 });
  return edits;
}

/** The share of the words of two texts that they have in common, 0 to 1 (Dice's coefficient). */
export function likenessOf(
  one: string,
  other: string,
  known: Map<string, ReadonlyMap<string, number>> = new Map(),
): number {
  const words = countWords(one, known);
  const others = countWords(other, known);
  let shared = 0;
  for (const [word, times] of words) shared += Math.min(times, others.get(word) ?? 0);
  const total = sum(words) + sum(others);
  return total === 0 ? 0 : (2 * shared) / total;
}

function countWords(text: string, known: Map<string, ReadonlyMap<string, number>>): ReadonlyMap<string, number> {
  const before = known.get(text);
  if (before !== undefined) return before;
  const words = new Map<string, number>();
  let count = 0;
  for (const word of tokenize(text)) {
    if (word.trim() === "") continue;
    words.set(word, (words.get(word) ?? 0) + 1);
    count += 1;
    if (count === MAX_WORDS) break;
  }
  known.set(text, words);
  return words;
}

function sum(words: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const times of words.values()) total += times;
  return total;
}
