import {
  type FieldGroup,
  type FieldRule,
  type FieldRules,
  type FieldType,
  type FieldValue,
  type FieldValues,
  valueIn,
} from "../../media/html/fields/field-rule.ts";
import { typeOfField } from "../../media/html/fields/known-names.ts";
import { compileGlob } from "../../scope/url-glob.ts";

/** The fields of a crawl's pages: which rules a page has, and how its fields have changed. */

/** The rules of a URL; null if it has none. */
export type RulesOf = (url: string) => FieldRules | null;

/** If several groups of a URL have a field of one name, the first counts. */
export function compileFields(groups: readonly FieldGroup[]): RulesOf {
  const compiled = groups.map(({ urls, fields }) => ({ globs: urls.map(compileGlob), fields: Object.entries(fields) }));
  return (url) => {
    const rules = new Map<string, FieldRule>();
    for (const { globs, fields } of compiled) {
      if (globs.length > 0 && !globs.some((matches) => matches(url))) continue;
      for (const [name, rule] of fields) if (!rules.has(name)) rules.set(name, rule);
    }
    return rules.size === 0 ? null : Object.fromEntries(rules);
  };
}

/** A column of an export. */
export interface FieldColumn {
  name: string;
  /** The type of its values, if all groups agree; else text. */
  as: FieldType;
}

/** All fields of a crawl, in the order of the groups. */
export function fieldColumns(groups: readonly FieldGroup[]): FieldColumn[] {
  const types = new Map<string, FieldType>();
  for (const [name, rule] of groups.flatMap(({ fields }) => Object.entries(fields))) {
    const as = typeOfField(name, rule);
    types.set(name, types.has(name) && types.get(name) !== as ? "text" : as);
  }
  return [...types].map(([name, as]) => ({ name, as }));
}

/** A field that has another value than before. Texts are cut after 1,000 characters. */
export interface FieldChange {
  name: string;
  before: FieldValue | null;
  after: FieldValue | null;
  /** The words of the page, of a value that a model found; absent for one that is gone, and for a field. */
  words?: string;
}

/** A field that only one of them has by its rules is no change. */
export function changedFields(before: FieldValues, after: FieldValues): FieldChange[] {
  return Object.entries(after).flatMap(([name, now]) => {
    const old = valueIn(before, name);
    return old === undefined || JSON.stringify(old) === JSON.stringify(now)
      ? []
      : [{ name, before: cut(old), after: cut(now) }];
  });
}

const MAX_TOLD = 1_000;
const MAX_TOLD_ITEMS = 50;
const MAX_SHOWN = 80;

/** As much of a value as is told. */
export function cut(value: FieldValue | null): FieldValue | null {
  if (Array.isArray(value)) return value.slice(0, MAX_TOLD_ITEMS).map((item) => item.slice(0, MAX_SHOWN));
  return typeof value === "string" ? value.slice(0, MAX_TOLD) : value;
}

/** The changes in a few words, for people: `price: 1299 → 999`. */
export function describeFields(changes: readonly FieldChange[]): string {
  return changes
    .map(({ name, before, after, words }) => {
      const quoted = words === undefined || words === String(after) ? "" : ` (“${shown(words)}”)`;
      return `${name}: ${shown(before)} → ${shown(after)}${quoted}`;
    })
    .join("; ");
}

function shown(value: FieldValue | null): string {
  if (value === null) return "none";
  const text = Array.isArray(value) ? value.join(", ") : String(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text;
}
