import { alignBlocks } from "../compare/align-blocks.ts";
import { hashOf, type PageVersion } from "../page-version.ts";
import { foldText, maskText } from "../template/mask-text.ts";
import { maskedHash } from "../template/template-hashes.ts";

/**
 * The second of two looks with the content of the first: blocks that both pages have, but that the reader took for
 * content at one look alone, are there or not as at the first look.
 */
export function alignLooks(first: PageVersion, second: PageVersion): PageVersion {
  const [folded, others] = [first.blocks.map(foldText), second.blocks.map(foldText)];
  const hunks = alignBlocks(folded, others);
  const blocks = [...second.blocks];
  // From the end, so that the places of what is before stay.
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of hunks.toReversed()) {
    const [isGone, isNew] = [beforeStart < beforeEnd, afterStart < afterEnd];
    if (isGone === isNew) continue;
    const moved = isGone ? folded.slice(beforeStart, beforeEnd) : others.slice(afterStart, afterEnd);
    const { pageText = "" } = isGone ? second : first;
    const lines = new Set(pageText === "" ? [] : pageText.split("\n").map(maskedHash));
    if (moved.some((text) => lines.has(hashOf(maskText(text)))))
      blocks.splice(afterStart, afterEnd - afterStart, ...first.blocks.slice(beforeStart, beforeEnd));
  }
  return { ...second, blocks };
}
