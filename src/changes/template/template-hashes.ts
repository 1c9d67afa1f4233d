import { hashOf, type PageVersion } from "../page-version.ts";
import { foldText, maskText } from "./mask-text.ts";

/** The hashes by which a template knows blocks and parts of titles. */

/** The blocks of a page that are learned. Templates stand at its beginning and at its end. */
const MAX_LEARNED_BLOCKS = 400;

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
  return (title ?? "").split(/(?<!\s)\s+[-–—|·•»:]+\s+/u).filter((part) => part.trim() !== "");
}

/** The hashes of all that a template learns from a version. */
export function learnedHashes({ title, blocks }: PageVersion): string[] {
  return [...titleParts(title).map(titleHash), ...firstAndLast(blocks).map(maskedHash)];
}

/** The first and the last 200 blocks of a page. */
export function firstAndLast(blocks: readonly string[]): readonly string[] {
  if (blocks.length <= MAX_LEARNED_BLOCKS) return blocks;
  const half = MAX_LEARNED_BLOCKS / 2;
  return [...blocks.slice(0, half), ...blocks.slice(-half)];
}
