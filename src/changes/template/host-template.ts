import type { Spread } from "./template-blocks.ts";
import type { SlotCounts } from "./template-slots.ts";

/**
 * What a host's pages have in common. A block on at least 30% and five of its pages is the host's template, and a slot
 * (the place between two blocks) that differs at nearly every visit is volatile: related links, counters, times. Both
 * are learned from versions and forgotten when the pages change. Blocks are known by the hash of their masked text.
 *
 * The table is an estimate of bounded size: less than 40 kB of JSON.
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
  /** For each slot that has changed, by the blocks around it. */
  slots: Record<string, SlotCounts>;
}

/** A table with more blocks loses the rarer half. */
const MAX_BLOCKS = 1_200;
const MAX_SLOTS = 300;

export const EMPTY_TEMPLATE: HostTemplate = { pages: 0, versions: 0, blocks: {}, slots: {} };

/** Keeps the blocks that are on most pages, and the slots that changed most often. */
export function boundTemplate(table: HostTemplate): HostTemplate {
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
