import type { FieldReading, FieldRule, FieldType } from "../../media/html/fields/field-rule.ts";
import type { FieldProposal } from "../../media/html/fields/propose-fields.ts";
import { readNumber } from "../../media/html/fields/read-number.ts";
import type { Evidence, Json, ValueSchema } from "../extraction.ts";
import { isSameValue, type ValueRule, type ValueRules, wordsKey } from "./value-rules.ts";

/**
 * Makes rules of what a model found in sample pages. A candidate is what a page proposes (docs/fields.md) and what has
 * the value in one sample; it is tried on all samples. Of those that are right, the one counts that finds most in the
 * siblings of the samples.
 */

/** A page that a model has read. */
export interface Sample {
  url: string;
  values: { [name: string]: Json };
  evidence: readonly Evidence[];
  proposals: readonly FieldProposal[];
}

/** A candidate, and what it reads from each sample and each sibling, in their order. */
export interface TriedRule {
  rule: FieldRule;
  samples: readonly FieldReading[];
  siblings: readonly FieldReading[];
}

/** For one value. */
const MAX_CANDIDATES = 24;
/** Rules of one value: forms of pages of one section. */
const MAX_RULES = 4;
/** Of a text whose words stand for another value, such as "In stock". Characters. */
const MAX_WORDS = 80;
/** Proposals show so much of their text, with an ellipsis. */
const SHOWN = 150;

/** The names of the values that rules can read: flat ones, and lists of texts. Null for another schema. */
export function namesToRead(schema: ValueSchema | null): string[] | null {
  const properties = schema?.properties;
  if (typeof properties !== "object" || properties === null) return null;
  const entries = Object.entries(properties as Record<string, unknown>);
  return entries.length > 0 && entries.every(([, part]) => isFlat(part)) ? entries.map(([name]) => name) : null;
}

function isFlat(part: unknown): boolean {
  if (typeof part !== "object" || part === null) return false;
  const { type, enum: words, items } = part as Record<string, unknown>;
  const types = [type].flat().filter((each) => each !== undefined && each !== "null");
  if (types.length === 0) return Array.isArray(words);
  if (types.every((each) => ["string", "number", "integer", "boolean"].includes(String(each)))) return true;
  return types.length === 1 && types[0] === "array" && isText(items);
}

function isText(items: unknown): boolean {
  return typeof items === "object" && items !== null && (items as { type?: unknown }).type === "string";
}

/** The rules to try for a value, the best first: those that have it in more samples, and what pages declare. */
export function candidatesFor(name: string, samples: readonly Sample[]): FieldRule[] {
  const found = new Map<string, { rule: FieldRule; count: number; place: number }>();
  for (const sample of samples) {
    const value = sample.values[name] ?? null;
    if (value === null || !hasEvidence(name, sample)) continue;
    const words = wordsOf(name, sample);
    for (const [place, proposal] of sample.proposals.entries())
      for (const rule of variantsOf(proposal, value, words)) {
        const key = JSON.stringify(rule);
        const known = found.get(key) ?? { rule, count: 0, place };
        found.set(key, { ...known, count: known.count + 1 });
      }
  }
  const ranked = [...found.values()].sort((a, b) => b.count - a.count || a.place - b.place);
  return ranked.slice(0, MAX_CANDIDATES).map(({ rule }) => rule);
}

/** A value without evidence says nothing of the page. */
function hasEvidence(name: string, { evidence }: Sample): boolean {
  const path = `/${name}`;
  const own = evidence.filter((each) => each.path === path || each.path.startsWith(`${path}/`));
  return own.length > 0 && own.every(({ problem }) => problem === null);
}

function wordsOf(name: string, { evidence }: Sample): string | null {
  return evidence.find(({ path }) => path === `/${name}`)?.words ?? null;
}

function* variantsOf({ rule, text }: FieldProposal, value: Json, words: string | null): Generator<FieldRule> {
  const { as: _, ...place } = rule;
  const as = (type: FieldType): FieldRule => ({ ...place, as: type });
  if (typeof value === "number") {
    const read = readNumber(text, { language: null });
    if (/\d/.test(text) && ("problem" in read || couldBe(text, value))) yield as("number");
  } else if (Array.isArray(value)) {
    if (typeof value[0] === "string" && startsAlike(value[0], text)) yield as("list");
  } else if (typeof value === "string") {
    if (startsAlike(value, text)) yield place;
    else if (/^\d{4}-\d\d(?:-\d\d)?/.test(value) && /\d/.test(text) && text.length <= MAX_WORDS) yield as("date");
    else if (/^https?:/.test(value)) yield as("url");
    else if (hasWords(text, words)) yield place;
  } else if (hasWords(text, words)) yield place;
}

/** The digits of the number stand in the text, whatever groups them. */
function couldBe(text: string, value: number): boolean {
  const digits = (written: string) => written.replace(/\D/g, "");
  return digits(text).includes(digits(String(Math.abs(value))));
}

function startsAlike(value: string, text: string): boolean {
  return wordsKey(value).slice(0, SHOWN) === wordsKey(text.replace(/…$/, "")).slice(0, SHOWN);
}

function hasWords(text: string, words: string | null): boolean {
  return words !== null && text.length <= MAX_WORDS && wordsKey(text).includes(wordsKey(words));
}

/** Names whose values no rules read, and the rules of the others. */
export interface MadeRules {
  rules: ValueRules;
  unread: string[];
}

/** `tried`: the candidates of each name. */
export function makeRules(
  schema: ValueSchema,
  samples: readonly Sample[],
  tried: Readonly<Record<string, readonly TriedRule[]>>,
): MadeRules {
  const made: MadeRules = { rules: {}, unread: [] };
  for (const [name, part] of Object.entries(schema.properties as Record<string, ValueSchema>)) {
    const rule = chooseRules(name, isWordy(part), samples, tried[name] ?? []);
    if (rule === null) made.unread.push(name);
    else made.rules[name] = rule;
  }
  return made;
}

/** A value that the page may say in other words. */
function isWordy({ type, enum: words }: ValueSchema): boolean {
  return [type].flat().includes("boolean") || Array.isArray(words);
}

/** One sample of four may be wrong: a model errs. */
const mayErr = (samples: number) => Math.floor(samples / 4);

function chooseRules(
  name: string,
  wordy: boolean,
  samples: readonly Sample[],
  tried: readonly TriedRule[],
): ValueRule | null {
  // A value without evidence is not known: no rule can be right or wrong about it.
  const known = samples.map((sample) => {
    const value = sample.values[name] ?? null;
    return value === null || hasEvidence(name, sample) ? { value } : null;
  });
  const all = known.flatMap((each) => (each === null ? [] : [each.value]));
  const isRequired = all.length > 0 && all.every((value) => value !== null);
  if (all.every((value) => value === null)) return { rules: [], words: null, isRequired: false };
  for (const by of wordy ? [wordsBySample] : [null]) {
    const words = by?.(known, tried) ?? null;
    const list = cover(known, tried, words);
    if (list !== null) return { rules: list.rules, words, isRequired: isRequired && list.isWhole };
  }
  return null;
}

type Known = { value: Json } | null;

/** What the words of each candidate stand for; words that stand for two values are left out. */
function wordsBySample(known: readonly Known[], tried: readonly TriedRule[]): Record<string, Json> {
  const meanings = new Map<string, Set<Json>>();
  for (const { samples } of tried)
    for (const [i, { value }] of samples.entries()) {
      const meant = known[i]?.value ?? null;
      if (value === null || meant === null) continue;
      const key = wordsKey(value);
      meanings.set(key, (meanings.get(key) ?? new Set()).add(meant));
    }
  return Object.fromEntries(
    [...meanings].flatMap(([words, values]) => (values.size === 1 ? [[words, [...values][0] as Json]] : [])),
  );
}

/** Rules in an order in which the first with a value is right, in all samples but a few. */
function cover(
  known: readonly Known[],
  tried: readonly TriedRule[],
  words: Record<string, Json> | null,
): { rules: FieldRule[]; isWhole: boolean } | null {
  const open = new Set(known.keys());
  let errors = mayErr(known.length);
  const rules: FieldRule[] = [];
  const seen = new Set<number>();
  while (rules.length < MAX_RULES) {
    const judged = tried.map((each) => ({ each, ...judge(each, known, open, words) }));
    const usable = judged.filter(
      ({ right, wrong }) => right.length > 0 && wrong.length <= Math.min(errors, right.length - 1),
    );
    const [best] = usable.sort(
      (a, b) =>
        a.wrong.length - b.wrong.length ||
        b.right.length - a.right.length ||
        countRead(b.each, seen) - countRead(a.each, seen) ||
        placeOf(a.each.rule) - placeOf(b.each.rule),
    );
    if (best === undefined) break;
    rules.push(best.each.rule);
    errors -= best.wrong.length;
    for (const i of [...best.right, ...best.wrong]) open.delete(i);
    for (const [i, { value }] of best.each.siblings.entries()) if (value !== null) seen.add(i);
    if ([...open].every((i) => (known[i]?.value ?? null) === null)) return { rules, isWhole: true };
  }
  const missed = [...open].filter((i) => (known[i]?.value ?? null) !== null).length;
  return rules.length > 0 && missed <= errors ? { rules, isWhole: false } : null;
}

/** What a candidate says of the samples that are open: right, or wrong; the others have no value by it. */
function judge(
  { samples }: TriedRule,
  known: readonly Known[],
  open: ReadonlySet<number>,
  words: Record<string, Json> | null,
) {
  const right: number[] = [];
  const wrong: number[] = [];
  for (const i of open) {
    const read = samples[i]?.value ?? null;
    const each = known[i];
    if (read === null || each == null) continue;
    const value = words === null ? read : (words[wordsKey(read)] ?? null);
    (isSameValue(each.value, value) ? right : wrong).push(i);
  }
  return { right, wrong };
}

/** Siblings in which it finds something that no earlier rule has found. */
function countRead({ siblings }: TriedRule, seen: ReadonlySet<number>): number {
  return siblings.filter(({ value }, i) => value !== null && !seen.has(i)).length;
}

/** What a page declares goes before its elements, and a short selector before a long one. */
function placeOf({ schema, selector = "" }: FieldRule): number {
  return schema === undefined ? 1_000 + selector.length : schema.length;
}
