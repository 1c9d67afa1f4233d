/** Decides which blocks are a host's template, from how many of its pages have them, and since when. */

/** See `HostTemplate.blocks`. */
export type Spread = readonly [pages: number, since: number, isBeside?: 1];

/** What was counted on a host. See `HostTemplate`. */
export interface Counted {
  pages: number;
  versions: number;
}

const LEAST_PAGES = 5;
const LEAST_SHARE = 0.3;
/** The share of the versions since a block was first seen that makes it a part of a new design of the host. */
const LEAST_SHARE_SINCE = 0.6;
/** A block beside the template that each version since it was first seen has got. */
const LEAST_PAGES_BESIDE = 2;
const DESIGN = -1;

export function isOfTemplate([count, since]: Spread, counted: Counted): boolean {
  if (count < LEAST_PAGES) return false;
  return since === DESIGN || count >= LEAST_SHARE * counted.pages || isNewDesign([count, since], counted);
}

export function isBesideTemplate([count, , isBeside]: Spread): boolean {
  return isBeside === 1 && count >= LEAST_PAGES_BESIDE;
}

/** Marks what the versions since a block was first seen have got. */
export function markDesign(blocks: Map<string, Spread>, hashes: Iterable<string>, counted: Counted): void {
  for (const hash of hashes) {
    const [count, since, isBeside] = blocks.get(hash) ?? [0, 0];
    if (since <= 0) continue;
    if (isNewDesign([count, since], counted)) blocks.set(hash, [count, DESIGN]);
    else if (!isBeside && count >= LEAST_PAGES_BESIDE && count >= counted.versions - since)
      blocks.set(hash, [count, since, 1]);
  }
}

function isNewDesign([count, since]: Spread, { versions }: Counted): boolean {
  return since >= 0 && count >= LEAST_PAGES && count >= LEAST_SHARE_SINCE * (versions - since);
}

/** `since`: the versions that were learned before the one that has got or lost the block. */
export function countBlock(blocks: Map<string, Spread>, hash: string, pages: 1 | -1, since: number): void {
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
