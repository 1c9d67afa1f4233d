import { MAX_SLOT_BLOCKS } from "./find-noise.ts";

/**
 * The index of the block that ends the slot that the block at `start` begins; -1 if none does. The page's beginning
 * (-1) and its end may be one. Of several blocks that may begin a slot, the last one does: code has many lines "}".
 * If several may end it, the first one does, or the first one of the frame.
 */
export function findSlotEnd(
  hashes: readonly string[],
  start: number,
  ends: ReadonlySet<string> | undefined,
  frame: ReadonlySet<string>,
): number {
  if (ends === undefined) return -1;
  const last = Math.min(hashes.length, start + 1 + MAX_SLOT_BLOCKS);
  let first = -1;
  for (let at = start + 1; at <= last; at++) {
    const hash = hashes[at] ?? "";
    if (ends.has(hash)) {
      if (frame.has(hash)) return at;
      if (first === -1) first = at;
    }
    if (hashes[at] === hashes[start]) break;
  }
  return first;
}
