import { hashOf, type PageVersion } from "../page-version.ts";
import { foldText, maskText } from "../template/mask-text.ts";

/** Decides whether two URLs show the same page: the same blocks in any order, and the same links. */

/** A page as two URLs of it are compared. */
export interface ComparedPage {
  version: PageVersion;
  /** Its links, without what the two URLs differ in. */
  links: ReadonlySet<string>;
}

/**
 * `links`: only what the pages lead to differs.
 * `numbers`: the texts differ in numbers and dates alone, which counters and times do, and so do other items.
 * `unclear`: the pages say too little, or look like errors.
 */
export type SameContent = "same" | "different" | "numbers" | "links" | "unclear";

/** Shorter pages are alike by chance: errors, empty lists, pages that are not written yet. Characters. */
const MIN_TEXT = 200;
const MAX_NOISE = 5;

/**
 * Blocks are compared without their order, because a sorted list shows the same items. `noise`: blocks that change from
 * visit to visit do not count. The page must lead to nothing that the other one does not lead to.
 */
export function compareContent(page: ComparedPage, other: ComparedPage, noise: ReadonlySet<string>): SameContent {
  if (page.version.looksMissing || other.version.looksMissing) return "unclear";
  if (page.version.rest?.hash !== other.version.rest?.hash) return "different";
  const [blocks, others] = [countedBlocks(page.version, noise), countedBlocks(other.version, noise)];
  if (blocks.map(maskText).toSorted().join("\n") !== others.map(maskText).toSorted().join("\n")) return "different";
  const isSameText = blocks.join("\n") === others.join("\n");
  const hasAllLinks = [...page.links].every((link) => other.links.has(link));
  if (!hasAllLinks) return isSameText ? "links" : "different";
  if (Math.min(lengthOf(blocks), lengthOf(others)) < MIN_TEXT) return "unclear";
  return isSameText ? "same" : "numbers";
}

/** A hash of what a page says, in any order of its blocks. */
export function hashContent(version: PageVersion, noise: ReadonlySet<string>): string {
  return hashOf(countedBlocks(version, noise).join("\n"));
}

/** The blocks that differ between two visits of one URL, without their numbers. Empty if too many do. */
export function findNoise(first: PageVersion, second: PageVersion): string[] {
  const [before, after] = [countedBlocks(first, new Set()), countedBlocks(second, new Set())];
  const changed = [
    ...before.filter((text) => !after.includes(text)),
    ...after.filter((text) => !before.includes(text)),
  ];
  const hashes = [...new Set(changed.map((text) => hashOf(maskText(text))))];
  return hashes.length > MAX_NOISE ? [] : hashes;
}

/** Sorted. */
function countedBlocks({ title, blocks }: PageVersion, noise: ReadonlySet<string>): string[] {
  const texts = [...(title === null ? [] : [title]), ...blocks].map(foldText);
  return texts.filter((text) => noise.size === 0 || !noise.has(hashOf(maskText(text)))).toSorted();
}

function lengthOf(blocks: readonly string[]): number {
  return blocks.reduce((length, block) => length + block.length, 0);
}
