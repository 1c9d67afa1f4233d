/** Decides which blocks are a host's template, from how many of its pages have them. */

/**
 * See `HostTemplate.blocks`. The last number stands in tables of earlier versions: -1 there, as here, marks a block
 * that came to most pages at once.
 */
export type Spread = readonly [pages: number, since: number, isBeside?: 1];

const LEAST_PAGES = 5;
/** The reader takes the same footer for content on some pages alone, so its block is not on all that show it. */
const LEAST_SHARE = 0.15;
const SHARED = -1;

/** A block that came to most pages at once. */
export const SHARED_BLOCK: Spread = [LEAST_PAGES, SHARED];

export function isOfTemplate([count, since]: Spread, pages: number): boolean {
  return count >= LEAST_PAGES && (since === SHARED || count >= LEAST_SHARE * pages);
}

export function countBlock(blocks: Map<string, Spread>, hash: string, pages: 1 | -1): void {
  const [count, since] = blocks.get(hash) ?? [0, 0];
  const now = count + pages;
  if (now <= 0) blocks.delete(hash);
  else blocks.set(hash, [now, pages < 0 && now < LEAST_PAGES ? 0 : since]);
}
