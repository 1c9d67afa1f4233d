import { hashOf } from "../page-version.ts";

/**
 * The keys by which lines of siblings are compared: lines with the same key say the same, letter by letter. Neither
 * numbers nor punctuation are masked, because "C" and "C++" may stand on other pages each.
 */

/** A longer line is known by its beginning and its hash, so that a template stays small. */
const MAX_KEY = 200;
/** Whether a line says something: it has a letter or a digit. */
export const SAYS = /[\p{L}\p{N}]/u;

/**
 * The key of a line of a page's text. Null if it always stays: a line of marks alone, or an indented one, as of code.
 */
export function textKey(line: string): string | null {
  return /^[ \t]/.test(line) ? null : keyOf(line);
}

/** Whether a line of Markdown is a heading. */
export function isHeading(line: string): boolean {
  return /^[ >]*#{1,6} /.test(line);
}

/**
 * The key of a line of Markdown: its text, without the mark of a list or a heading, and without the targets of links,
 * which are relative to the page. Null if it always stays: a line with an image or with HTML, or without text.
 */
export function markdownKey(line: string): string | null {
  const text = line
    .replace(/^[ >]*(?:(?:[-+*]|\d{1,9}[.)]) +)*(?:\[\^\w+\]: )?(?:\[[ x]\] )?(?:#{1,6} )?/, "")
    .replace(/\\$/, "");
  if (MAY_BE_OTHER.test(text) && OTHER.test(text.replace(/\\./g, "").replace(CODE, ""))) return null;
  const plain = withoutTargets(text);
  return plain === null ? null : keyOf(plain);
}

/** Markdown has some tags and addresses within a line. */
const OTHER = /!\[|<(?!\/?(?:su[bp]|strong|em|del|code|[uo]l|li)(?: start="\d+")?>|https?:)[a-z/]/i;
/** What is tested first, because it takes less time. */
const MAY_BE_OTHER = /!\[|</;

/** Tabs part the cells of a table, so they count. */
function keyOf(line: string): string | null {
  if (!SAYS.test(line)) return null;
  const text = line.replace(/[^\S\t]{2,}|[^\S\t ]/g, " ").trim();
  return text.length <= MAX_KEY ? text : `${text.slice(0, MAX_KEY)}…${hashOf(text)}`;
}

/** A span of code: it has no links and no escapes. */
const CODE = /(?<![`\\])(`{1,8})(?!`)(.*?[^`])\1(?!`)/g;

/** The text without the targets and titles of its links; null if one has no end. */
function withoutTargets(text: string): string | null {
  if (!text.includes("](")) return text;
  const code = !text.includes("`")
    ? []
    : [...text.matchAll(CODE)].map(({ index, 0: span }) => [index, index + span.length] as const);
  let next = 0;
  let kept = "";
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const span = code[next];
    if (span?.[0] === at) {
      at = span[1] - 1;
      next += 1;
    } else if (text[at] === "\\") at += 1;
    else if (text.startsWith("](", at)) {
      const end = endOfTarget(text, at + 2);
      if (end === null) return null;
      kept += text.slice(from, at + 1);
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
