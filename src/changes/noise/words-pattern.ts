import { diffArrays } from "diff"; // jsdiff; align-blocks.ts says why
import { tokenize } from "../tokenize.ts";

/** The parts of a block that stay, where other words of it differ between two looks. */

/** Longer blocks are compared as a whole. */
const MAX_TOKENS = 500;
/** Myers' algorithm takes a time that grows with the square of this. */
const MAX_EDITS = 200;
const MAX_GAPS = 5;
/** Letters and digits that must stay, and their share: with fewer, another block might match by chance. */
const LEAST_FIXED = 8;
const LEAST_SHARE = 0.4;
/** Characters of all parts together. A longer block is known by its neighbours. */
const MAX_LENGTH = 400;
const SEPARATOR = "\u001f";

/** The parts that two folded texts have in common, in order, in one string; null if they are too little. */
export function wordsPattern(one: string, other: string): string | null {
  const tokens = [one, other].map((text) => [...tokenize(text)]) as [string[], string[]];
  if (tokens.some(({ length }) => length > MAX_TOKENS)) return null;
  const changes = diffArrays(...tokens, { maxEditLength: MAX_EDITS });
  if (changes === undefined) return null;
  const parts: string[] = [""];
  let isOpen = false;
  for (const { added, removed, value } of changes) {
    const text = value.join("");
    // White space between two words that differ holds nothing together.
    if (added || removed || (isOpen && text.trim() === "" && parts.length > 1)) {
      if (!isOpen) parts.push("");
      isOpen = true;
      continue;
    }
    isOpen = false;
    parts[parts.length - 1] = (parts.at(-1) ?? "") + text;
  }
  const fixed = parts.join("");
  const letters = fixed.replace(/[^\p{L}\p{N}]/gu, "").length;
  const isEnough = letters >= LEAST_FIXED && fixed.length >= LEAST_SHARE * Math.min(one.length, other.length);
  if (!isEnough || parts.length - 1 > MAX_GAPS || fixed.length > MAX_LENGTH) return null;
  return parts.join(SEPARATOR);
}

/** Returns a folded text with "…" for what stands between the parts of the first pattern that it matches as a whole. */
export function compilePatterns(patterns: readonly string[]): (text: string) => string {
  const compiled = patterns.map((pattern) => pattern.split(SEPARATOR));
  return (text) => {
    const found = compiled.find((parts) => matches(text, parts));
    return found === undefined ? text : found.join("…");
  };
}

/** The pattern in a form for people. */
export function showPattern(pattern: string): string {
  return pattern.split(SEPARATOR).join("…");
}

function matches(text: string, parts: readonly string[]): boolean {
  const [first = "", last = ""] = [parts[0], parts.at(-1)];
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}
