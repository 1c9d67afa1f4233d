import { hashOf } from "../page-version.ts";
import { foldText } from "./mask-text.ts";
import { countBlock, isOfTemplate, type Spread } from "./template-blocks.ts";
import { firstAndLast } from "./template-hashes.ts";

/**
 * The text that pages of an origin repeat, letter by letter: menus, notes, footers. A line on at least 30% and five of
 * the pages is repeated, as in a host's template. Numbers are not masked here: the line of a table that differs in its
 * numbers alone stands on its page alone.
 */
export interface RepeatedText {
  /** Hashes of the lines. */
  lines: readonly string[];
  /** Those of `lines` that are headings on a page. */
  headings: readonly string[];
}

/** The lines of a page that count, by their hashes. */
export interface CountedLines {
  lines: readonly string[];
  headings: readonly string[];
}

/** A page as it was read. */
interface ReadText {
  text: string;
  markdown: string;
  headings: readonly { text: string }[];
}

/** The hash by which a line is known; null if it has no letter and no digit, so that it is never left out. */
export function lineHash(line: string): string | null {
  return /[\p{L}\p{N}]/u.test(line) ? hashOf(foldText(line)) : null;
}

/** Lines of code do not count: programs have the same lines. Of a long page, 400 lines count. */
export function countedLines({ text, markdown, headings }: ReadText): CountedLines {
  const code = new Set(codeLines(markdown).map(foldText));
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const hashes = new Set<string>();
  for (const line of firstAndLast(lines)) {
    const hash = code.has(foldText(line)) ? null : lineHash(line);
    if (hash !== null) hashes.add(hash);
  }
  const named = headings.map((heading) => lineHash(heading.text)).filter((hash) => hash !== null);
  return { lines: [...hashes], headings: [...new Set(named)].filter((hash) => hashes.has(hash)) };
}

/** Finds what distinct pages of one origin repeat. */
export function findRepeated(pages: Iterable<CountedLines>): RepeatedText {
  const spreads = new Map<string, Spread>();
  const headings = new Set<string>();
  let count = 0;
  for (const page of pages) {
    count += 1;
    for (const hash of page.lines) countBlock(spreads, hash, 1, 0);
    for (const hash of page.headings) headings.add(hash);
  }
  const counted = { pages: count, versions: count };
  const lines = [...spreads].filter(([, spread]) => isOfTemplate(spread, counted)).map(([hash]) => hash);
  lines.sort();
  return { lines, headings: lines.filter((hash) => headings.has(hash)) };
}

const FENCE = /^[ >]*(`{3,}|~{3,})/;

/** The line after the fenced code that begins at `start`; the number of lines if the fence is never closed. */
export function endOfFence(lines: readonly string[], start: number): number | null {
  const mark = FENCE.exec(lines[start] ?? "")?.[1];
  if (mark === undefined) return null;
  const closing = new RegExp(`^[ >]*${mark[0]}{${mark.length},}\\s*$`);
  for (let at = start + 1; at < lines.length; at++) if (closing.test(lines[at] ?? "")) return at + 1;
  return lines.length;
}

function codeLines(markdown: string): string[] {
  const lines = markdown.split("\n");
  const found: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const end = endOfFence(lines, at);
    if (end !== null) found.push(...lines.slice(at + 1, end - 1));
    at = end ?? at + 1;
  }
  return found;
}
