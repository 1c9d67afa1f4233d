import { alignBlocks } from "./align-blocks.ts";
import { foldText, maskText } from "./mask-text.ts";
import { hashOf, type PageVersion } from "./page-version.ts";

/**
 * What a host's pages have in common. A block on at least 30% and five of its pages is the host's template, and a slot
 * (the place between two blocks) that differs at nearly every visit is volatile: related links, counters, times. Both
 * are learned from versions and forgotten when the pages change. Blocks are known by the hash of their masked text.
 *
 * The table is an estimate of bounded size: less than 40 kB of JSON. Tables of the same host can be merged.
 */
export interface HostTemplate {
  /** Pages that were learned from. */
  pages: number;
  /** Versions that were learned from: at least one for each page. */
  versions: number;
  /**
   * For each block: on how many pages it is, and `versions` when it was first seen, or last fell below five pages; -1
   * instead of it for a new design. The 1 at the end marks a new design beside other blocks of the template. What was
   * found to be a new design stays one: else, when others change without it, pages whose visits were silent are told.
   */
  blocks: Record<string, Spread>;
  /** For each slot that has changed, by the blocks around it: visits that found it changed, and visits that did not. */
  slots: Record<string, readonly [changed: number, steady: number]>;
}

type Spread = readonly [pages: number, since: number, isBeside?: 1];

/** A new version of a page. */
export interface NewVersion {
  /** The version that it replaces; null for a page's first one. */
  before: PageVersion | null;
  after: PageVersion;
  /** Visits since `before` was found, this one included: 1 if the visit before this one found `before`. */
  visits: number;
  /** Whether `before` was never learned, as it is the page's first version. Absent: it was. */
  isUnknown?: boolean;
}

const LEAST_PAGES = 5;
const LEAST_SHARE = 0.3;
/** A block on so many pages frames slots: others of the template may be items of a random list. */
const LEAST_FRAME_SHARE = 0.95;
/** The share of the versions since a block was first seen that makes it a part of a new design of the host. */
const LEAST_SHARE_SINCE = 0.6;
/** A block beside the template that each version since it was first seen has got. */
const LEAST_PAGES_BESIDE = 2;
const DESIGN = -1;
const LEAST_CHANGES = 4;
const LEAST_CHANGED_SHARE = 0.75;
/** A table with more blocks loses the rarer half. */
const MAX_BLOCKS = 1_200;
const MAX_SLOTS = 300;
/** Of a page. Templates stand at its beginning and at its end. */
const MAX_LEARNED_BLOCKS = 400;
/** Blocks between the two ends of a slot. */
const MAX_SLOT_BLOCKS = 40;
/** Slots that take more than this share of the page's text are what the page is for. */
export const MAX_SLOT_SHARE = 0.25;
/** The same for slots between two blocks of the template, which were found on pages where they take less. */
export const MAX_FRAMED_SHARE = 0.75;

export const EMPTY_TEMPLATE: HostTemplate = { pages: 0, versions: 0, blocks: {}, slots: {} };

/** A template that is ready for use. */
export interface CompiledTemplate {
  /** Hashes of the masked blocks. */
  blocks: ReadonlySet<string>;
  /** Hashes of the masked blocks that are the template where they stand beside another block of it. */
  beside: ReadonlySet<string>;
  /** Those of `blocks` that are on nearly all pages. */
  frame: ReadonlySet<string>;
  /** For a block that begins a volatile slot, the blocks that may end it. */
  slots: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Learns new versions. Each version is to be fed once, and unchanged visits never. Returns a new table. */
export function learnVersions(template: HostTemplate, fed: readonly NewVersion[]): HostTemplate {
  const blocks = new Map(Object.entries(template.blocks));
  const slots = new Map(Object.entries(template.slots));
  const known = compileTemplate(template);
  let { pages, versions } = template;
  for (const { before, after, visits, isUnknown = before === null } of fed) {
    versions += 1;
    if (isUnknown) pages += 1;
    const had = new Set(before === null || isUnknown ? [] : learnedHashes(before));
    const has = new Set(learnedHashes(after));
    for (const hash of has) if (!had.has(hash)) addTo(blocks, hash, 1, versions - 1);
    if (before !== null) markDesign(blocks, has, versions);
    for (const hash of had) if (!has.has(hash)) addTo(blocks, hash, -1, versions - 1);
    if (before !== null) learnSlots(slots, known, { before, after, visits });
  }
  return bounded({ pages, versions, blocks: Object.fromEntries(blocks), slots: Object.fromEntries(slots) });
}

/** Adds up two tables that were learned from different versions of one host. */
export function mergeTemplates(one: HostTemplate, other: HostTemplate): HostTemplate {
  const blocks = new Map(Object.entries(one.blocks));
  for (const [hash, [pages, since]] of Object.entries(other.blocks)) {
    const known = blocks.get(hash);
    // `other` is the later one: what is new in it was first seen after all of `one`.
    const sinceOne = since < 0 ? since : one.versions + since;
    blocks.set(hash, known === undefined ? [pages, sinceOne] : [known[0] + pages, known[1]]);
  }
  const slots = new Map(Object.entries(one.slots));
  for (const [slot, [changed, steady]] of Object.entries(other.slots)) {
    const known = slots.get(slot) ?? [0, 0];
    slots.set(slot, [known[0] + changed, known[1] + steady]);
  }
  return bounded({
    pages: one.pages + other.pages,
    versions: one.versions + other.versions,
    blocks: Object.fromEntries(blocks),
    slots: Object.fromEntries(slots),
  });
}

export function compileTemplate({ pages, versions, blocks, slots }: HostTemplate): CompiledTemplate {
  const template = Object.entries(blocks).filter(([, [count, since]]) => {
    if (count < LEAST_PAGES) return false;
    if (since === DESIGN || count >= LEAST_SHARE * pages) return true;
    return since >= 0 && count >= LEAST_SHARE_SINCE * (versions - since);
  });
  const beside = Object.entries(blocks).filter(([, [count, , isBeside]]) => isBeside && count >= LEAST_PAGES_BESIDE);
  const volatile = Object.entries(slots)
    .filter(([, counts]) => isVolatile(counts))
    .map(([slot]) => slot);
  return {
    blocks: new Set(template.map(([hash]) => hash)),
    beside: new Set(beside.map(([hash]) => hash)),
    frame: new Set(template.filter(([, [count]]) => count >= LEAST_FRAME_SHARE * pages).map(([hash]) => hash)),
    slots: endsByStart(volatile),
  };
}

/**
 * The template if all slots between two of its blocks that changed whenever they were seen were volatile: what is left
 * of a change under it is no matter of such slots.
 */
export function withYoungSlots(template: HostTemplate): HostTemplate {
  const { blocks } = compileTemplate(template);
  const slots = Object.entries(template.slots).map(([slot, counts]): [string, readonly [number, number]] => {
    const isFramed = slot.split(">").every((end) => blocks.has(end));
    return [slot, isFramed && counts[1] === 0 ? [LEAST_CHANGES, 0] : counts];
  });
  return { ...template, slots: Object.fromEntries(slots) };
}

function isVolatile([changed, steady]: readonly [changed: number, steady: number]): boolean {
  return changed >= LEAST_CHANGES && changed >= LEAST_CHANGED_SHARE * (changed + steady);
}

/** The hash by which a template knows a block. */
export function maskedHash(block: string): string {
  return hashOf(maskText(foldText(block)));
}

/** The hash by which a template knows a part of titles: no block has it. */
export function titleHash(part: string): string {
  return hashOf(`<title>${maskText(foldText(part))}`);
}

/** Sites write the name of the page and their own name into titles: "Install - The Manual 2.1". */
export function titleParts(title: string | null): string[] {
  return (title ?? "").split(/\s+[-–—|·•»:]+\s+/u).filter((part) => part.trim() !== "");
}

function learnedHashes(version: PageVersion): string[] {
  return [...titleParts(version.title).map(titleHash), ...learnedBlocks(version)];
}

function learnedBlocks({ blocks }: PageVersion): string[] {
  if (blocks.length <= MAX_LEARNED_BLOCKS) return blocks.map(maskedHash);
  const half = MAX_LEARNED_BLOCKS / 2;
  return [...blocks.slice(0, half), ...blocks.slice(-half)].map(maskedHash);
}

/** Marks what the versions since a block was first seen have got. */
function markDesign(blocks: Map<string, Spread>, hashes: Iterable<string>, versions: number): void {
  for (const hash of hashes) {
    const [count, since, isBeside] = blocks.get(hash) ?? [0, 0];
    if (since <= 0) continue;
    if (count >= LEAST_PAGES && count >= LEAST_SHARE_SINCE * (versions - since)) blocks.set(hash, [count, DESIGN]);
    else if (!isBeside && count >= LEAST_PAGES_BESIDE && count >= versions - since) blocks.set(hash, [count, since, 1]);
  }
}

function addTo(blocks: Map<string, Spread>, hash: string, pages: number, since: number): void {
  const known = blocks.get(hash);
  if (known === undefined) {
    if (pages > 0) blocks.set(hash, [pages, since]);
    return;
  }
  const now = known[0] + pages;
  if (now <= 0) blocks.delete(hash);
  else if (pages < 0 && now < LEAST_PAGES) blocks.set(hash, [now, since]);
  else blocks.set(hash, known[2] === undefined ? [now, known[1]] : [now, known[1], 1]);
}

/**
 * A slot that changed counts for this visit, and against it count the visits that found the page unchanged. A slot that
 * is there and did not change has been steady at this visit. A volatile slot is left out when a page is compared, so
 * visits that found the page unchanged say nothing about it.
 */
function learnSlots(
  slots: Map<string, readonly [changed: number, steady: number]>,
  { blocks, frame }: CompiledTemplate,
  { before, after, visits }: { before: PageVersion; after: PageVersion; visits: number },
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
    const known = slots.get(slot) ?? [0, 0];
    slots.set(slot, [known[0] + 1, known[1] + (isVolatile(known) ? 0 : visits - 1)]);
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
    slots.set(slot, [known[0], known[1] + (isVolatile(known) ? 1 : visits)]);
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
 * Of several that may end it, the first one does, or the first one of the frame.
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

function endsByStart(slots: Iterable<string>): Map<string, Set<string>> {
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

/** Keeps the blocks that are on most pages, and the slots that changed most often. */
function bounded(table: HostTemplate): HostTemplate {
  return { ...table, blocks: most(table.blocks, MAX_BLOCKS), slots: most(table.slots, MAX_SLOTS) };
}

function most<V extends readonly [number, number, ...unknown[]]>(
  table: Record<string, V>,
  max: number,
): Record<string, V> {
  const entries = Object.entries(table);
  if (entries.length <= max) return table;
  entries.sort(([a, [times]], [b, [others]]) => others - times || (a < b ? -1 : 1));
  return Object.fromEntries(entries.slice(0, max / 2));
}
