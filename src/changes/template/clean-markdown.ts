import type { SortedLines } from "./clean-text.ts";
import { foldText } from "./mask-text.ts";
import { endOfFence } from "./repeated-text.ts";

/**
 * Leaves out of a page's Markdown the lines that were left out of its text. Both are made of the same content, but
 * Markdown has marks and targets. So lines are compared by their letters and digits, and a line that could be one that
 * stays does stay. Code, images and HTML stay in any case.
 */
export function cleanMarkdown(markdown: string, { lines: texts, stays }: SortedLines): string {
  const left = new Set(texts.filter((_, at) => !stays[at]).map(lettersOf));
  for (const text of texts.filter((_, at) => stays[at])) left.delete(lettersOf(text));
  left.delete("");
  if (left.size === 0) return markdown;
  const lines = markdown.split("\n");
  const indents = lines.map(indentOf);
  const goes = lines.map(() => false);
  for (let at = 0; at < lines.length; ) {
    const end = endOfFence(lines, at) ?? endOfHtml(lines, at);
    if (end !== null) {
      indents.fill(indents[at] ?? 0, at, end);
      at = end;
      continue;
    }
    const rows = countRows(lines, at);
    if (rows === 0) goes[at] = left.has(lettersOfMarkdown(lines[at] ?? ""));
    // The second row of a table is its ruler.
    else if (lines.slice(at, at + rows).every((row, i) => i === 1 || left.has(lettersOfMarkdown(row))))
      goes.fill(true, at, at + rows);
    at += Math.max(1, rows);
  }
  keepParents(lines, indents, goes);
  return joinKept(lines, goes);
}

/** An item stays if something below it does: without its mark, that would be code. */
function keepParents(lines: readonly string[], indents: readonly number[], goes: boolean[]): void {
  /** The indents of the lines that stay since the last line that is indented less: each is larger than those before. */
  const kept: number[] = [];
  for (let at = lines.length - 1; at >= 0; at--) {
    if (isEmpty(lines[at] ?? "")) continue;
    const indent = indents[at] ?? 0;
    if ((kept.at(-1) ?? 0) > indent) goes[at] = false;
    while ((kept.at(-1) ?? -1) >= indent) kept.pop();
    if (!goes[at]) kept.push(indent);
  }
}

function joinKept(lines: readonly string[], goes: readonly boolean[]): string {
  const kept: string[] = [];
  let hasLeft = false;
  for (const [at, line] of lines.entries()) {
    if (goes[at]) {
      // A break at the end of a paragraph is none.
      if (!goes[at - 1] && kept.length > 0) kept.push((kept.pop() ?? "").replace(/(?<!\\)((?:\\\\)*)\\$/, "$1"));
      hasLeft = true;
      continue;
    }
    // Where lines went, two empty lines meet.
    if (hasLeft && isEmpty(line) && isEmpty(kept.at(-1) ?? "")) continue;
    kept.push(line);
    if (!isEmpty(line)) hasLeft = false;
  }
  let [from, end] = [0, kept.length];
  while (from < end && isEmpty(kept[from] ?? "")) from += 1;
  while (end > from && isEmpty(kept[end - 1] ?? "")) end -= 1;
  return kept.slice(from, end).join("\n");
}

function isEmpty(line: string): boolean {
  return /^[ >]*$/.test(line);
}

function indentOf(line: string): number {
  return /^[ >]*/.exec(line)?.[0].length ?? 0;
}

/** Tables that Markdown cannot write are HTML. */
function endOfHtml(lines: readonly string[], start: number): number | null {
  if (!/^[ >]*<table\b/i.test(lines[start] ?? "")) return null;
  for (let at = start; at < lines.length; at++) if (/<\/table>\s*$/i.test(lines[at] ?? "")) return at + 1;
  return lines.length;
}

function countRows(lines: readonly string[], start: number): number {
  let end = start;
  while (/^[ >]*\|/.test(lines[end] ?? "")) end += 1;
  return end - start;
}

/** Empty for a line that stays: with an image, with HTML, or with what is no Markdown of ours. */
function lettersOfMarkdown(line: string): string {
  const text = line
    .replace(/^[ >]*(?:(?:[-+*]|\d{1,9}[.)]) +)*(?:\[\^\w+\]: )?(?:\[[ x]\] )?(?:#{1,6} )?/, "")
    .replace(CODE, lettersInCode);
  if (/!\[|<(?!https?:)[a-z/]/i.test(text.replace(/\\./g, "").replace(INLINE_TAGS, ""))) return "";
  return lettersOf(withoutTargets(text)?.replace(INLINE_TAGS, "") ?? "");
}

/** What Markdown has as HTML within a line. */
const INLINE_TAGS = /<\/?(?:su[bp]|strong|em|del|code|[uo]l|li)(?: start="\d+")?>/g;
/** A span of code: it has no links and no escapes. */
const CODE = /(?<![`\\])(`{1,8})(?!`)(.*?[^`])\1(?!`)/g;

function lettersInCode(_: string, __: string, code: string): string {
  return lettersOf(code);
}

/** The text without the targets and titles of its links; null if one has no end. */
function withoutTargets(text: string): string | null {
  let kept = "";
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at += 1;
    else if (text.startsWith("](", at)) {
      const end = endOfTarget(text, at + 2);
      if (end === null) return null;
      kept += text.slice(from, at);
      from = end;
      at = end - 1;
    }
  }
  return kept + text.slice(from);
}

/** The place after the parenthesis that closes the target. */
function endOfTarget(text: string, start: number): number | null {
  let open = 1;
  let isTitle = false;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (char === "\\") at += 1;
    else if (char === '"') isTitle = !isTitle;
    else if (!isTitle && char === "(") open += 1;
    else if (!isTitle && char === ")" && --open === 0) return at + 1;
  }
  return null;
}

function lettersOf(text: string): string {
  return foldText(text).replace(/[^\p{L}\p{M}\p{N}]/gu, "");
}
