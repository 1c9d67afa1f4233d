/**
 * The rules that hold for one agent, arranged so that a URL is held against a handful of them, not against forty thousand.
 *
 * A pattern can only match a path that contains every three characters in a row that the pattern spells out. So each rule is filed
 * under one such triple, the one that the fewest rules share, and a path looks only under the triples that it is made of. Rules
 * that spell out no triple (`/`, `/a*b`) are always looked at.
 */

import { withPlainQuery } from "./normalize.ts";
import type { RobotsGroup } from "./parse.ts";
import { matchesPattern } from "./path-pattern.ts";

export interface Rule {
  allow: boolean;
  /** As in the group: what counts for length. */
  pattern: string;
  /** What is matched: the pattern, or the pattern with a plain query (`withPlainQuery`), which is filed as a second rule. */
  match: string;
}

export interface RuleIndex {
  rules: Rule[];
  /** By the hash of a triple: the first rule filed there, or -1. */
  first: Int32Array;
  /** By rule: the next one filed under the same hash, or -1. */
  next: Int32Array;
  /** Rules without a triple. */
  unfiled: number[];
  /** The hash is this many bits long. */
  bits: number;
}

const END = -1;
const STAR = 0x2a;
const DOLLAR = 0x24;
const MIN_BITS = 6;
const MAX_BITS = 16;

/** The groups' rules combined into one group (RFC 9309, section 2.2.1). Linear in the length of all patterns. */
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
 * The most specific rule that matches: the one with the most octets, and allow before disallow among equals (RFC 9309, section
 * 2.2.2). Null when none does. `path` is normalised.
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

/** The rules that may match a path. All that do are among them. */
export function candidates(index: RuleIndex, path: string): Rule[] {
  const found: Rule[] = [];
  const take = (position: number): void => {
    const rule = index.rules[position];
    if (rule !== undefined) found.push(rule);
  };
  index.unfiled.forEach(take);
  const seen = new Uint8Array(2 ** index.bits);
  eachTriple(path, index.bits, (triple) => {
    if (seen[triple] === 1) return;
    seen[triple] = 1;
    for (let at = index.first[triple] ?? END; at !== END; at = index.next[at] ?? END) take(at);
  });
  return found;
}

/** Among equals the order is that of the text, so that the order of groups and lines never shows. */
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

/** Hashes each three characters in a row that hold no `*` and no `$`; normalised text has those only where they are special. */
function eachTriple(text: string, bits: number, visit: (triple: number) => void): void {
  let triple = 0;
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === STAR || code === DOLLAR) {
      length = 0;
      continue;
    }
    // Normalised text is ASCII: seven bits hold a character, twenty-one a triple.
    triple = ((triple << 7) | code) & 0x1fffff;
    if (++length >= 3) visit(Math.imul(triple, 0x9e3779b1) >>> (32 - bits));
  }
}
