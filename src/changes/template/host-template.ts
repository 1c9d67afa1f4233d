import type { NoiseTable } from "../noise/noise-place.ts";
import type { Pulses } from "../noise/pulses.ts";
import type { OwnPlaces } from "./own-places.ts";
import type { RoundTable } from "./round.ts";
import type { Spread } from "./template-blocks.ts";

/**
 * What a host's pages have in common, what differs between two looks a moment apart, and what changes on many pages at
 * once. A block on at least 15% and five of its pages is the host's template. Blocks are known by the hash of their
 * masked text.
 *
 * The table is an estimate of bounded size: less than 100 kB of JSON.
 */
export interface HostTemplate {
  /** Pages that were learned from. */
  pages: number;
  /** Versions that were learned from: at least one for each page. */
  versions: number;
  /** For each block: on how many pages it is. */
  blocks: Record<string, Spread>;
  /**
   * The pages whose stored versions were learned first, by the hashes of their URLs: at most 25. Absent in tables of
   * earlier versions, as all below.
   */
  sampled?: readonly string[];
  /** Places that differ between two looks. */
  noise?: NoiseTable;
  /** Places that may show all pages one text at a time. Those that do are in `noise`, too. */
  pulses?: Pulses;
  /** Changes of what many pages have in common. */
  rounds?: RoundTable;
  /** Places beside the template where each page says something of its own. */
  ownPlaces?: OwnPlaces;
  /**
   * Texts that one of two looks at a page lacked, by their hashes, and when: the newest 150. They may come and go on
   * other pages, too.
   */
  fleeting?: Readonly<Record<string, number>>;
  /** Likewise the lines around the content: the newest 200. */
  fleetingAround?: Readonly<Record<string, number>>;
  /** Second looks, and those that found noise. */
  looks?: readonly [made: number, noisy: number];
}

/** A table with more blocks loses the rarer half. */
const MAX_BLOCKS = 1_200;

export const EMPTY_TEMPLATE: HostTemplate = { pages: 0, versions: 0, blocks: {} };

/** Keeps the blocks that are on most pages. */
export function boundBlocks(blocks: Map<string, Spread>): Record<string, Spread> {
  if (blocks.size <= MAX_BLOCKS) return Object.fromEntries(blocks);
  const kept = [...blocks].sort(([a, [times]], [b, [others]]) => others - times || (a < b ? -1 : 1));
  return Object.fromEntries(kept.slice(0, MAX_BLOCKS / 2));
}
