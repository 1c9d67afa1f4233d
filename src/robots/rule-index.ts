/**
 * An index of one agent's rules, so that a URL is compared with a handful of them, not with forty thousand.
 *
 * A path that matches a pattern contains every three literal characters in a row (a triple) of the pattern. So each
 * rule is filed under one of its triples, the one that the fewest rules share, and a path is compared with the rules
 * under its own triples. Rules without a triple (`/`, `/a*b`) are always compared.
 */

import { withPlainQuery } from "./normalize.ts";
import type { RobotsGroup } from "./parse.ts";
import { matchesPattern } from "./path-pattern.ts";

interface Rule {
  allow: boolean;
  /** As in the group. Its length is the rule's specificity. */
  pattern: string;
  /** The pattern, or the pattern with a plain query (`withPlainQuery`), which is a second rule. */
  match: string;
}

export interface RuleIndex {
  rules: Rule[];
  /** The first rule under each hash of a triple, or -1. */
  first: Int32Array;
  /** For each rule, the next one under the same hash, or -1. */
  next: Int32Array;
  /** Rules without a triple. */
  unfiled: number[];
  /** The number of bits of a hash. */
  bits: number;
}

const END = -1;
const STAR = 0x2a;
const DOLLAR = 0x24;
const MIN_BITS = 6;
const MAX_BITS = 16;

/**
 * Combines the groups' rules to one index (RFC 9309, section 2.2.1). Takes linear time in the length of all patterns.
 */
export function indexRules(groups: readonly RobotsGroup[]): RuleIndex {
  const rules = groups.flatMap((group) => [...spellings(true, group.allow), ...spellings(false, group.disallow)]);
  const bits = Math.min(MAX_BITS, Math.max(MIN_BITS, Math.ceil(Math.log2(rules.length + 1)) + 1));
  const shares = new Uint32Array(2 ** bits);
  for (const rule of rules) {
    eachTriple(rule.match, bits, (triple) => {
      shares[triple] = (shares[triple] ?? 0) + 1;
    });
  }

  const index: RuleIndex = {
    rules,
    first: new Int32Array(2 ** bits).fill(END),
    next: new Int32Array(rules.length).fill(END),
    unfiled: [],
    bits,
  };
  for (const [position, rule] of rules.entries()) {
    let rarest = END;
    let fewest = Number.POSITIVE_INFINITY;
    eachTriple(rule.match, bits, (triple) => {
      const count = shares[triple] ?? 0;
      if (count >= fewest) return;
      rarest = triple;
      fewest = count;
    });
    if (rarest === END) {
      index.unfiled.push(position);
    } else {
      index.next[position] = index.first[rarest] ?? END;
      index.first[rarest] = position;
    }
  }
  return index;
}

/**
 * The most specific rule that matches: the one with the most octets, and among equals `allow` (RFC 9309, section
 * 2.2.2). Null if none matches. `path` is in normal form.
 */
export function mostSpecificRule(index: RuleIndex, path: string): Rule | null {
  const plain = withPlainQuery(path);
  let best: Rule | null = null;
  for (const spelling of plain === path ? [path] : [path, plain]) {
    for (const rule of candidates(index, spelling)) {
      if ((best === null || isMoreSpecific(rule, best)) && matchesPattern(rule.match, spelling)) best = rule;
    }
  }
  return best;
}

/** The rules that may match a path, among them all that do. */
export function candidates(index: RuleIndex, path: string): Rule[] {
  const found: Rule[] = [];
  const addRule = (position: number): void => {
    const rule = index.rules[position];
    if (rule !== undefined) found.push(rule);
  };
  index.unfiled.forEach(addRule);
  const seen = new Uint8Array(2 ** index.bits);
  eachTriple(path, index.bits, (triple) => {
    if (seen[triple] === 1) return;
    seen[triple] = 1;
    for (let at = index.first[triple] ?? END; at !== END; at = index.next[at] ?? END) addRule(at);
  });
  return found;
}

/** Among equals the order of the text decides, so that the order of groups and lines has no effect. */
function isMoreSpecific(rule: Rule, than: Rule): boolean {
  if (rule.pattern.length !== than.pattern.length) return rule.pattern.length > than.pattern.length;
  if (rule.allow !== than.allow) return rule.allow;
  return rule.pattern < than.pattern;
}

function spellings(allow: boolean, patterns: readonly string[]): Rule[] {
  return patterns.flatMap((pattern) => {
    const plain = withPlainQuery(pattern);
    const rule = { allow, pattern, match: pattern };
    return plain === pattern ? [rule] : [rule, { ...rule, match: plain }];
  });
}

/** Hashes each three characters in a row without `*` and `$`, which are always special in normal form. */
function eachTriple(text: string, bits: number, visit: (triple: number) => void): void {
  let triple = 0;
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === STAR || code === DOLLAR) {
      length = 0;
      continue;
    }
    // The normal form is ASCII, so a character has seven bits and a triple twenty-one.
    triple = ((triple << 7) | code) & 0x1fffff;
    if (++length >= 3) visit(Math.imul(triple, 0x9e3779b1) >>> (32 - bits));
  }
}
