import type { PageVersion } from "./page-version.ts";
import { foldText } from "./template/mask-text.ts";
import { maskRelativeTimes } from "./template/relative-times.ts";

/**
 * The lines of a page's whole text in the form in which its blocks are compared. `cut`: takes from a folded line what
 * does not count.
 */
export function pageLines(pageText: string, cut = (folded: string): string => folded): string[] {
  return pageText === "" ? [] : pageText.split("\n").map((line) => maskRelativeTimes(cut(foldText(line))));
}

/** Those of these lines of a page's whole text that are none of its content, empty ones left out. */
export function linesAround(lines: readonly string[], { blocks }: Pick<PageVersion, "blocks">): string[] {
  const content = new Set(pageLines(blocks.join("\n")));
  return lines.filter((line) => line !== "" && !content.has(line));
}

export function countTexts(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}
