import { alignBlocks } from "../compare/align-blocks.ts";
import { hashOf, type PageVersion } from "../page-version.ts";
import { foldText, maskText } from "./mask-text.ts";

/** Slots of a template: the places between two blocks, which are volatile if they differ at nearly every visit. */

/**
 * Visits that found a slot changed, and visits that did not. The third number is that of the second looks among the
 * former: some hours after a visit that found the slot changed, they found it changed again.
 */
export type SlotCounts = readonly [changed: number, steady: number, again?: number];

export const LEAST_CHANGES = 4;
const LEAST_CHANGED_SHARE = 0.75;
/** One second look may find that its page was edited in the hours since the first one. */
export const LEAST_LOOKS = 2;
/** Blocks between the two ends of a slot. */
const MAX_SLOT_BLOCKS = 40;
/** Slots that take more than this share of the page's text are what the page is for. */
export const MAX_SLOT_SHARE = 0.25;
/** The same for slots between two blocks of the template, which were found on pages where they take less. */
export const MAX_FRAMED_SHARE = 0.75;

/** Whether a slot changed at nearly every visit. */
export function changesOften([changed, steady]: SlotCounts): boolean {
  return changed >= LEAST_CHANGES && changed >= LEAST_CHANGED_SHARE * (changed + steady);
}

/**
 * Whether a slot is left out. What changes between two visits may be the text of an active page, such as its date of
 * revision. Only between two blocks of nearly all pages that is unlikely; elsewhere two second looks must have found
 * the slot changed again.
 */
export function isVolatile(slot: string, counts: SlotCounts, frame: ReadonlySet<string>): boolean {
  return changesOften(counts) && ((counts[2] ?? 0) >= LEAST_LOOKS || slot.split(">").every((end) => frame.has(end)));
}

/**
 * A slot that changed counts for this visit, and against it count the visits that found the page unchanged. A slot that
 * is there and did not change has been steady at this visit. A volatile slot is left out when a page is compared, so
 * visits that found the page unchanged say nothing about it.
 */
export function learnSlots(
  slots: Map<string, SlotCounts>,
  { blocks, frame }: { blocks: ReadonlySet<string>; frame: ReadonlySet<string> },
  {
    before,
    after,
    visits,
    isSecondLook,
  }: { before: PageVersion; after: PageVersion; visits: number; isSecondLook: boolean },
): void {
  const foldedBefore = before.blocks.map(foldText);
  const foldedAfter = after.blocks.map(foldText);
  const hashes = foldedAfter.map((block) => hashOf(maskText(block)));
  const hashesBefore = foldedBefore.map((block) => hashOf(maskText(block)));
  // Another date in a block of the template makes no slot.
  const masked = (folded: string[], hashes: string[]) =>
    folded.map((text, at) => (blocks.has(hashes[at] ?? "") ? (hashes[at] ?? "") : text));
  const hunks = alignBlocks(masked(foldedBefore, hashesBefore), masked(foldedAfter, hashes));
  const changed = new Set<string>();
  const most = foldedAfter.reduce((sum, block) => sum + block.length, 0) * MAX_SLOT_SHARE;
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of hunks) {
    const removed = lengthOf(foldedBefore, beforeStart, beforeEnd);
    if (removed + lengthOf(foldedAfter, afterStart, afterEnd) > 2 * most) continue;
    changed.add(slotOf(hashes, afterStart - 1, afterEnd));
    // Two random lists may have items in common, but the template around them stays.
    for (const known of [frame, blocks]) {
      const [start, end] = templateAround(hashes, known, afterStart, afterEnd);
      if (end - start - 1 > MAX_SLOT_BLOCKS || lengthOf(foldedAfter, start + 1, end) > most) continue;
      changed.add(slotOf(hashes, start, end));
      break;
    }
  }
  for (const slot of changed) {
    const known: SlotCounts = slots.get(slot) ?? [0, 0];
    const again = (known[2] ?? 0) + (isSecondLook ? 1 : 0);
    const steady = known[1] + (isVolatile(slot, known, frame) ? 0 : visits - 1);
    slots.set(slot, again === 0 ? [known[0] + 1, steady] : [known[0] + 1, steady, again]);
  }
  if (slots.size === changed.size) return;
  const ends = endsByStart(slots.keys());
  for (let at = -1; at < hashes.length; at++) {
    const start = at === -1 ? "" : (hashes[at] ?? "");
    const end = findSlotEnd(hashes, at, ends.get(start), frame);
    const slot = `${start}>${hashes[end] ?? ""}`;
    const known = slots.get(slot);
    if (known === undefined || changed.has(slot)) continue;
    changed.add(slot);
    const steady = known[1] + (isVolatile(slot, known, frame) ? 1 : visits);
    slots.set(slot, known[2] === undefined ? [known[0], steady] : [known[0], steady, known[2]]);
  }
}

/** The nearest blocks of the template before `from` and from `to` on; -1 and the number of blocks if there is none. */
function templateAround(
  hashes: readonly string[],
  template: ReadonlySet<string>,
  from: number,
  to: number,
): [start: number, end: number] {
  let start = from - 1;
  while (start >= 0 && !template.has(hashes[start] ?? "")) start -= 1;
  let end = to;
  while (end < hashes.length && !template.has(hashes[end] ?? "")) end += 1;
  return [start, end];
}

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

export function endsByStart(slots: Iterable<string>): Map<string, Set<string>> {
  const ends = new Map<string, Set<string>>();
  for (const slot of slots) {
    const [start = "", end = ""] = slot.split(">");
    ends.set(start, (ends.get(start) ?? new Set()).add(end));
  }
  return ends;
}

function lengthOf(blocks: readonly string[], start: number, end: number): number {
  let characters = 0;
  for (let at = start; at < end; at++) characters += blocks[at]?.length ?? 0;
  return characters;
}

function slotOf(hashes: readonly string[], start: number, end: number): string {
  return `${hashes[start] ?? ""}>${hashes[end] ?? ""}`;
}
