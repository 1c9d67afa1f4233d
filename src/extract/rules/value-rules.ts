import type { FieldReading, FieldRule, FieldRules, FieldValue } from "../../media/html/fields/field-rule.ts";
import type { Evidence, Json } from "../extraction.ts";

/** Rules that read what a model found in some pages of a section: those of docs/fields.md, some for each value. */

/** How one value is read. */
export interface ValueRule {
  /** The first that gives a value counts: pages of a section may have two forms. */
  rules: FieldRule[];
  /** Of a value that is not written as it is, such as true for "In stock": by the words that the rule reads. */
  words: Record<string, Json> | null;
  /** Whether each page has it, as far as the samples show. */
  isRequired: boolean;
}

/** By the names of the values. */
export type ValueRules = Record<string, ValueRule>;

/** The field rules to read from a page, each with a name of its own. */
export function toFieldRules(rules: ValueRules): FieldRules {
  const named = Object.entries(rules).flatMap(([name, { rules: some }]) =>
    some.map((rule, i): [string, FieldRule] => [fieldName(name, i), rule]),
  );
  return Object.fromEntries(named);
}

const fieldName = (name: string, i: number) => `${i} ${name}`;

export interface ReadByRules {
  values: { [name: string]: Json };
  evidence: Evidence[];
}

/**
 * The values of a page whose readings are those of `toFieldRules`. Null if a page lacks what each page of its section
 * has, or says it in words that no sample has: then the model is to be asked.
 */
export function readByRules(rules: ValueRules, readings: readonly FieldReading[]): ReadByRules | null {
  const byName = new Map(readings.map((reading) => [reading.name, reading]));
  const values: ReadByRules["values"] = {};
  const evidence: Evidence[] = [];
  for (const [name, { rules: some, words, isRequired }] of Object.entries(rules)) {
    const found = some
      .map((_, i) => byName.get(fieldName(name, i)))
      .find((reading) => reading !== undefined && reading.value !== null);
    if (found === undefined || found.value === null) {
      if (isRequired) return null;
      values[name] = null;
      continue;
    }
    const value = words === null ? found.value : words[wordsKey(found.value)];
    if (value === undefined) return null;
    values[name] = value;
    evidence.push(...evidenceOf(name, value, found));
  }
  return { values, evidence };
}

/** One for each value, as those of a model have it. */
function evidenceOf(name: string, value: Json, { value: read, written }: FieldReading): Evidence[] {
  const path = `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  const shown = (path: string, words: string): Evidence => ({ path, words, in: "rule", at: null, problem: null });
  if (Array.isArray(value)) return value.map((item, i) => shown(`${path}/${i}`, String(item)));
  return [shown(path, written ?? String(read))];
}

/** Words as they are compared: case and white space do not count. */
export function wordsKey(value: FieldValue): string {
  return String(value).replace(/\s+/g, " ").trim().toLowerCase();
}

/** Whether a rule reads what a model found. White space and case of texts do not count. */
export function isSameValue(found: Json, read: Json): boolean {
  if (found === null || read === null) return found === read;
  if (typeof found === "number") return typeof read === "number" && Math.abs(found - read) <= Math.abs(found) * 1e-9;
  if (typeof found === "string") return typeof read === "string" && wordsKey(found) === wordsKey(read);
  if (Array.isArray(found))
    return (
      Array.isArray(read) &&
      found.length === read.length &&
      found.every((item, i) => isSameValue(item, read[i] ?? null))
    );
  return found === read;
}
