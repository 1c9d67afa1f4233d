import { countTexts, pageLines } from "../page-lines.ts";
import { hasDate, maskText } from "../template/mask-text.ts";
import type { ViewedVersion } from "../view-version.ts";
import { type BlockEdit, likenessOf } from "./pair-blocks.ts";

/** Recognises edits that are no news: of what surrounds the content, though the reader took it for content. */

/** An added block that shares so many words with a block outside the content that has gone is that block, edited. */
const LEAST_LIKENESS = 0.6;
/** Blocks that have gone. A page whose surroundings lose more has a new design. */
const MAX_GONE = 50;

/**
 * Returns whether an edit between the two versions is news. It is none if the page has its blocks as often as before,
 * within its content or around it; or if it adds the new wording of a block that stood outside the content.
 */
export function newsBetween(before: ViewedVersion, after: ViewedVersion): (edit: BlockEdit) => boolean {
  const isMoved = movedBlocks(before, after);
  const isReworded = rewordedBlocks(before, after);
  return (edit) => {
    const [old, now] = [before.blocks[edit.before ?? -1], after.blocks[edit.after ?? -1]];
    if (old === undefined && now !== undefined && isReworded(now)) return false;
    return ![old, now].every((block) => block === undefined || isMoved(block));
  };
}

/**
 * Whether the page has a block as often as before, though its content has not. A line with a date, such as that of the
 * day in a footer, may have another one by now.
 */
function movedBlocks(before: ViewedVersion, after: ViewedVersion): (block: string) => boolean {
  const pages = [before, after].map(({ pageText, blocks }) => ({ lines: pageLines(pageText), blocks }));
  const isMoved = movedTexts(pages);
  // Few comparisons have such a line, and to mask a whole page takes time.
  let isMovedDate: ReturnType<typeof movedTexts> | null = null;
  const maskDates = () => pages.map(({ lines, blocks }) => ({ lines: datesOf(lines), blocks: blocks.map(maskText) }));
  return (block) => {
    if (isMoved(block)) return true;
    if (!isDateLine(block)) return false;
    isMovedDate ??= movedTexts(maskDates());
    return isMovedDate(maskText(block));
  };
}

function movedTexts(
  pages: readonly { lines: readonly string[]; blocks: readonly string[] }[],
): (text: string) => boolean {
  const [linesBefore, linesAfter] = pages.map(({ lines }) => countTexts(lines));
  const [blocksBefore, blocksAfter] = pages.map(({ blocks }) => countTexts(blocks));
  return (text) => {
    const times = linesBefore?.get(text);
    return times !== undefined && times === linesAfter?.get(text) && blocksBefore?.get(text) !== blocksAfter?.get(text);
  };
}

/** The lines with a date, masked. */
function datesOf(lines: readonly string[]): string[] {
  return lines.flatMap((line) => (hasDate(line) ? [maskText(line)] : []));
}

/** Whether a block has a date, or may have had one that is known to be noise. */
function isDateLine(block: string): boolean {
  return hasDate(block) || (block !== "0" && block.includes("0") && maskText(block) === block);
}

/** Whether a block is the new wording of one that stood outside the content: a site edits its footer. */
function rewordedBlocks(before: ViewedVersion, after: ViewedVersion): (block: string) => boolean {
  const stayed = new Set([...after.templateBefore.flat(), ...pageLines(after.pageText)]);
  const own = new Set(before.blocks);
  const outside = [...before.templateBefore.flat(), ...pageLines(before.pageText).filter((line) => !own.has(line))];
  const gone = outside.filter((block) => !stayed.has(block)).slice(0, MAX_GONE);
  const words = new Map<string, ReadonlyMap<string, number>>();
  return (block) => gone.some((old) => likenessOf(old, block, words) >= LEAST_LIKENESS);
}
