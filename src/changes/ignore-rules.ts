import { selectorProblem } from "../media/html/fields/selector-problem.ts";
import { compileGlob } from "../scope/url-glob.ts";
import { foldText } from "./template/mask-text.ts";

/** The changes that a user does not want to hear of. */
export interface IgnoreRules {
  /** Globs as in `include`. A page whose URL matches one never counts as changed. */
  urls: readonly string[];
  /** CSS selectors of elements that are no content. The reader leaves them out. */
  selectors: readonly string[];
  /** Text that does not count: characters as written, and `*` for any run of characters within a block. */
  patterns: readonly string[];
  /** A content that changed by less than this share of its text, 0 to 1, counts as unchanged. */
  leastShare: number;
}

export const NO_RULES: IgnoreRules = { urls: [], selectors: [], patterns: [], leastShare: 0 };

const MAX_RULES = 100;
const MAX_LENGTH = 500;
/** Each `*` costs a search in each block. */
const MAX_STARS = 10;

interface RuleProblem {
  field: keyof IgnoreRules;
  message: string;
}

/** Returns each mistake with the field that holds it; none if the rules can be used. */
export function findRuleProblems({ leastShare, ...rules }: IgnoreRules): RuleProblem[] {
  const problems: RuleProblem[] = [];
  for (const field of ["urls", "selectors", "patterns"] as const) {
    const list = rules[field];
    if (list.length > MAX_RULES)
      problems.push({ field, message: `there are ${list.length}; at most ${MAX_RULES} are possible` });
    for (const rule of list.slice(0, MAX_RULES)) {
      const problem = rule.length > MAX_LENGTH ? `is longer than ${MAX_LENGTH} characters` : problemOf(field, rule);
      if (problem !== null) problems.push({ field, message: `${JSON.stringify(rule.slice(0, 80))} ${problem}` });
    }
  }
  if (!(leastShare >= 0 && leastShare <= 1))
    problems.push({ field: "leastShare", message: `${leastShare} is not between 0 and 1` });
  return problems;
}

function problemOf(name: string, rule: string): string | null {
  if (rule.trim() === "") return "is empty";
  if (name === "selectors") return selectorProblem(rule, "ignored");
  if (name === "urls") return null;
  if (/^[*\s]+$/.test(rule)) return "matches every text; write the words that it stands beside";
  return rule.split("*").length - 1 > MAX_STARS ? `has more than ${MAX_STARS} stars` : null;
}

/** Rules that are ready for use. */
export interface CompiledRules {
  isIgnoredUrl(url: string): boolean;
  /** Takes a folded text. Returns it with "…" for each part that a pattern matches; empty if nothing else is left. */
  cutIgnored(text: string): string;
  leastShare: number;
}

/** The rules must have no problems. */
export function compileRules({ urls, patterns, leastShare }: IgnoreRules): CompiledRules {
  const globs = urls.map((glob) => compileGlob(glob));
  const cuts = patterns.map(compilePattern);
  return {
    leastShare,
    isIgnoredUrl: (url) => globs.some((matches) => matches(url)),
    cutIgnored(text) {
      if (cuts.length === 0) return text;
      let left = text;
      for (const cut of cuts) left = cut(left);
      return left !== text && /^[…\s]*$/.test(left) ? "" : left;
    },
  };
}

/**
 * A star between words matches the shortest run, at the end of the pattern the rest of the block, and at its beginning
 * the block up to the next word. Each word is searched for once through the text, so no pattern takes more than
 * O(words × text).
 */
function compilePattern(pattern: string): (text: string) => string {
  const words = foldText(pattern).split(/\*+/);
  const toStart = words[0] === "";
  const toEnd = words.at(-1) === "";
  const literals = words.filter((word) => word !== "");
  return (text) => {
    let kept = "";
    let from = 0;
    for (;;) {
      const found = findLiterals(text, literals, from);
      if (found === null) return kept + text.slice(from);
      kept += `${toStart ? "" : text.slice(from, found.start)}…`;
      if (toEnd) return kept;
      from = found.end;
    }
  };
}

function findLiterals(text: string, literals: readonly string[], from: number): { start: number; end: number } | null {
  let start = -1;
  let end = from;
  for (const literal of literals) {
    const at = text.indexOf(literal, end);
    if (at === -1) return null;
    if (start === -1) start = at;
    end = at + literal.length;
  }
  return { start, end };
}
