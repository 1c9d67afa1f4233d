import { alignBlocks } from "../compare/align-blocks.ts";
import { countTexts } from "../page-lines.ts";
import type { PageVersion } from "../page-version.ts";
import { maskedHash } from "../template/template-hashes.ts";
import { lookAt } from "./block-order.ts";

/**
 * The second of two looks with the content of the first: blocks that both pages have, but that the reader took for
 * content at one look alone, are there or not as at the first look.
 */
export function alignLooks(first: PageVersion, second: PageVersion): PageVersion {
  const [one, other] = [lookAt(first.blocks), lookAt(second.blocks)];
  const [counts, otherCounts] = [countTexts(one.hashes), countTexts(other.hashes)];
  const blocks = [...second.blocks];
  // From the end, so that the places of what is before stay.
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of alignBlocks(one.folded, other.folded).toReversed()) {
    const [isGone, isNew] = [beforeStart < beforeEnd, afterStart < afterEnd];
    if (isGone === isNew) continue;
    const hashes = isGone ? one.hashes.slice(beforeStart, beforeEnd) : other.hashes.slice(afterStart, afterEnd);
    const { pageText = "" } = isGone ? second : first;
    const lines = new Set(pageText === "" ? [] : pageText.split("\n").map(maskedHash));
    // What both contents have as often has only moved within them.
    if (hashes.some((hash) => lines.has(hash) && counts.get(hash) !== otherCounts.get(hash)))
      blocks.splice(afterStart, afterEnd - afterStart, ...first.blocks.slice(beforeStart, beforeEnd));
  }
  return { ...second, blocks };
}
