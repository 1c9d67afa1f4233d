import { lineHash, type RepeatedText } from "./repeated-text.ts";

/** Leaves out of a page's text what the pages of its origin repeat. */

/** The lines that are left out of all texts of an origin. Make it once for many pages. */
export interface Cleaner {
  lines: ReadonlySet<string>;
  headings: ReadonlySet<string>;
}

export function cleanerOf({ lines, headings }: RepeatedText): Cleaner {
  return { lines: new Set(lines), headings: new Set(headings) };
}

/** The lines of a text, and which of them stay. */
export interface SortedLines {
  lines: readonly string[];
  stays: readonly boolean[];
}

/**
 * Decides which lines stay: all that are not repeated; headings with such a line directly below them; tables with such
 * a row. If no line with letters or digits would stay, all do: such a page says nothing else.
 */
export function sortLines(text: string, cleaner: Cleaner): SortedLines {
  const lines = text.split("\n");
  const hashes = lines.map(lineHash);
  const stays = hashes.map((hash) => hash === null || !cleaner.lines.has(hash));
  keepTables(lines, stays);
  let isBelow = false;
  for (let at = lines.length - 1; at >= 0; at--) {
    const hash = hashes[at] ?? null;
    // A brace or an empty line belongs to the line above it.
    if (hash === null) continue;
    if (!stays[at] && isBelow && cleaner.headings.has(hash)) stays[at] = true;
    isBelow = stays[at] ?? true;
  }
  const hasText = hashes.some((hash, at) => hash !== null && stays[at]);
  return { lines, stays: hasText ? stays : stays.map(() => true) };
}

/** The rows of a table have tabs between their cells. */
function keepTables(lines: readonly string[], stays: boolean[]): void {
  for (let from = 0; from < lines.length; ) {
    let end = from;
    while (lines[end]?.includes("\t")) end += 1;
    if (stays.slice(from, end).some(Boolean)) stays.fill(true, from, end);
    from = Math.max(end, from + 1);
  }
}

/** The text without what is repeated; the same text if nothing is. */
export function cleanText(text: string, cleaner: Cleaner): string {
  const sorted = sortLines(text, cleaner);
  return sorted.stays.every(Boolean) ? text : textOf(sorted);
}

/** The lines that stay. */
export function textOf({ lines, stays }: SortedLines): string {
  return lines
    .filter((_, at) => stays[at])
    .join("\n")
    .replace(/^\n+|(?<!\n)\n+$/g, "");
}
