import { RE2JS } from "re2js"; // RE2 in JavaScript: time linear in the URL whatever the pattern, and it runs in workerd
import { pathAndQueryOf } from "../url/host-key.ts";
import { compileGlob } from "./url-glob.ts";

/** Include, exclude and prefer patterns: globs, and regular expressions of RE2 behind a prefix. */

/** Each prefix, and the part of a canonical URL in which its expression is searched for. */
const PREFIXES: Record<string, (url: string) => string> = {
  "regex:": pathOf,
  "regex-url:": (url) => url,
};
/**
 * Instructions of a compiled expression. RE2 takes at most as many steps for each character of a URL, so this bounds
 * the time of one match: some milliseconds for the longest URL.
 */
const MAX_PROGRAM = 1_000;
const MAX_LENGTH = 500;

interface Expression {
  source: string;
  subjectOf: (url: string) => string;
}

/** Throws for a pattern that has a `patternProblem`. */
export function compileUrlPattern(pattern: string): (url: string) => boolean {
  const expression = readExpression(pattern);
  if (expression === null) return compileGlob(pattern);
  const compiled = RE2JS.compile(expression.source);
  return (url) => compiled.test(expression.subjectOf(url));
}

/** Why a pattern cannot be used, as the end of a sentence; null if it can. Every glob can. */
export function patternProblem(pattern: string): string | null {
  const expression = readExpression(pattern);
  if (expression === null) return null;
  const { source } = expression;
  if (source === "") return "names no regular expression";
  if (source.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  try {
    return RE2JS.compile(source).programSize() > MAX_PROGRAM
      ? "repeats too much: write smaller numbers in braces"
      : null;
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : String(error);
    return `is no regular expression of RE2, which has neither lookarounds nor backreferences: ${why}`;
  }
}

function readExpression(pattern: string): Expression | null {
  for (const [prefix, subjectOf] of Object.entries(PREFIXES))
    if (pattern.startsWith(prefix)) return { source: pattern.slice(prefix.length), subjectOf };
  return null;
}

/** The path of a canonical URL, without its query. */
function pathOf(url: string): string {
  const path = pathAndQueryOf(url);
  const query = path.indexOf("?");
  return query === -1 ? path : path.slice(0, query);
}
