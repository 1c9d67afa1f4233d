import type { CompiledTemplate } from "../template/compile-template.ts";
import { findSlotEnd } from "./find-slot-end.ts";

/** Finds the blocks of a version that stand in places of noise. */

/** Places that take more than this share of the page's text are what the page is for. */
const MAX_SHARE = 0.75;

/**
 * The indexes of these blocks, unless they hold more of the page than surroundings do; null if there are none. `names`:
 * the folded parts of the page's title. Where a menu that was counted on other pages is not in the content of this one,
 * what comes next is its heading, and what follows that is its own.
 */
export function findNoisyBlocks(
  folded: readonly string[],
  hashes: readonly string[],
  { blocks, frame, noise, comesAndGoes }: CompiledTemplate,
  names: readonly string[],
): ReadonlySet<number> | null {
  const { slots, after, before, knownAfter, knownBefore } = noise;
  if (slots.size + after.size + before.size + knownAfter.size + knownBefore.size === 0) return null;
  const found = new Set<number>();
  const framed = new Set<number>();
  const addRun = (from: number, count: number, step: 1 | -1, isNoise = (_: string) => true) => {
    for (let i = 0, at = from; i < count && at >= 0 && at < folded.length; i++, at += step) {
      const text = folded[at] ?? "";
      if (blocks.has(hashes[at] ?? "") || names.includes(text) || !isNoise(text)) break;
      found.add(at);
    }
  };
  for (let at = -1; at <= folded.length; at++) {
    const hash = hashes[at] ?? "";
    if (at < folded.length) {
      addRun(at + 1, after.get(hash) ?? 0, 1);
      addRun(at + 1, knownAfter.get(hash) ?? 0, 1, comesAndGoes);
    }
    if (at >= 0) {
      addRun(at - 1, before.get(hash) ?? 0, -1);
      addRun(at - 1, knownBefore.get(hash) ?? 0, -1, comesAndGoes);
    }
  }
  for (let at = -1; at < folded.length; at++) {
    const start = hashes[at] ?? "";
    const end = findSlotEnd(hashes, at, slots.get(start), frame);
    const isFramed = blocks.has(start) && blocks.has(hashes[end] ?? "");
    for (let index = at + 1; index < end; index++) (isFramed ? framed : found).add(index);
    at = Math.max(at, end - 1);
  }
  const length = (indexes: Iterable<number>) => {
    let characters = 0;
    for (const index of indexes) characters += folded[index]?.length ?? 0;
    return characters;
  };
  const all = length(folded.keys());
  const left = length(framed) <= all * MAX_SHARE ? framed : new Set<number>();
  return length(found) <= all * MAX_SHARE ? new Set([...left, ...found]) : left;
}
