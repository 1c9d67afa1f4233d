import { linesAround, pageLines } from "../page-lines.ts";
import type { ViewedVersion } from "../view-version.ts";

/** Where less than this share of the lines around the content is left, the page has a new design. */
const LEAST_LEFT = 0.5;

/** Whether most of what stood around the content has gone from the page. False if that is not known. */
export function hasNewSurroundings(before: ViewedVersion, after: ViewedVersion): boolean {
  if (before.pageText === "" || after.pageText === "") return false;
  const around = linesAround(pageLines(before.pageText), before);
  const now = new Set(pageLines(after.pageText));
  const left = around.filter((line) => now.has(line)).length;
  return left < LEAST_LEFT * around.length;
}
