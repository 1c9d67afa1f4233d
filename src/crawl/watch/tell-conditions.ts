import { foldText } from "../../changes/template/mask-text.ts";
import type { FieldValue, FieldValues } from "../../media/html/fields/field-rule.ts";
import type { Telling } from "./notice-style.ts";
import { BRINGS_ALL, type WordedChange } from "./telling.ts";

/** Conditions under which a change is told: on the fields of its page, and on the words that changed. */

const OPERATORS = ["<=", ">=", "!=", "=", "<", ">", "contains"] as const;
type Operator = (typeof OPERATORS)[number];

export interface FieldCondition {
  field: string;
  operator: Operator;
  value: string;
}

const OPERATOR = /<=|>=|!=|[=<>]| contains /;
export const WHEN_RULE =
  'is not a field, one of <, <=, >, >=, =, != and contains, and a value, as in: price < 20, or: stock = "sold out"';

/** Null if it is not written as a condition is. */
export function readFieldCondition(written: string): FieldCondition | null {
  const text = written.replace(/\s+/g, " ").trim();
  const found = OPERATOR.exec(text);
  if (found === null) return null;
  const field = text.slice(0, found.index).trim();
  const operator = found[0].trim();
  const value = unquoted(text.slice(found.index + found[0].length).trim());
  if (field === "" || /[\s"'!]/.test(field) || value === "" || /^[<>=]/.test(value)) return null;
  if (/^[<>]/.test(operator) && numberOf(value) === null) return null;
  return { field, operator: operator as Operator, value };
}

function unquoted(text: string): string {
  const [first] = text;
  const isQuoted = text.length >= 2 && (first === '"' || first === "'") && text.endsWith(first);
  return isQuoted ? text.slice(1, -1) : text;
}

interface TextCondition {
  side: "added" | "removed" | "any";
  text: string;
}

export const WHEN_TEXT_RULE = "is not added:WORDS, removed:WORDS or any:WORDS, as in added:release";

/** Null if it is not written as a condition on words is. */
export function readTextCondition(written: string): TextCondition | null {
  const [, side, quoted, bare] = /^(added|removed|any):(?:"([^"]*)"|([\s\S]*))$/.exec(written.trim()) ?? [];
  const text = foldWords(quoted ?? bare ?? "");
  return side === undefined || text === "" ? null : { side: side as TextCondition["side"], text };
}

/**
 * Whether a change is told. `fields`: those of its page now. A condition on a field is looked at where one of the
 * named fields has changed, or the page came: what was told once is not told again with each other change. Words that
 * could not be read keep nothing back.
 */
export function isWanted(change: WordedChange, fields: FieldValues, { when, whenText }: Telling): boolean {
  return isOfFields(change, fields, when) && whenText.every((written) => isOfWords(change, written));
}

function isOfFields({ kind, fields: changed = [] }: WordedChange, fields: FieldValues, when: readonly string[]) {
  if (when.length === 0) return true;
  const conditions = when.flatMap((written) => readFieldCondition(written) ?? []);
  const after = new Map(changed.map((field) => [field.name, field.after]));
  const isNews = BRINGS_ALL.includes(kind) || conditions.some(({ field }) => after.has(field));
  const valueNow = (field: string) => (after.has(field) ? after.get(field) : fields[field]) ?? null;
  return isNews && conditions.every((one) => holds(one, valueNow(one.field)));
}

function holds({ operator, value }: FieldCondition, found: FieldValue | null): boolean {
  if (found === null) return operator === "!=";
  if (Array.isArray(found)) {
    const each = (one: string) => compare(one, operator, value);
    return operator === "!=" ? found.every(each) : found.some(each);
  }
  return compare(found, operator, value);
}

function compare(found: string | number, operator: Operator, value: string): boolean {
  const text = foldWords(String(found));
  if (operator === "contains") return text.includes(foldWords(value));
  const [one, other] = [numberOf(found), numberOf(value)];
  const areNumbers = one !== null && other !== null;
  const isEqual = areNumbers ? one === other : text === foldWords(value);
  if (operator === "=") return isEqual;
  if (operator === "!=") return !isEqual;
  if (!areNumbers) return false;
  if (operator === "<") return one < other;
  if (operator === "<=") return one <= other;
  return operator === ">" ? one > other : one >= other;
}

/** Null for a text that is more than a number. */
function numberOf(value: string | number): number | null {
  if (typeof value === "number") return value;
  return /^-?\d+(?:\.\d+)?$/.test(value.trim()) ? Number(value) : null;
}

/** Words count as added where an edit has them more often after than before. */
function isOfWords({ words }: WordedChange, written: string): boolean {
  const condition = readTextCondition(written);
  if (condition === null || words == null) return true;
  const { side, text } = condition;
  return words.some(({ before, after }) => {
    const gained = timesIn(after, text) - timesIn(before, text);
    return side === "any" ? gained !== 0 : side === "added" ? gained > 0 : gained < 0;
  });
}

function timesIn(block: string | null, text: string): number {
  return block === null ? 0 : foldWords(block).split(text).length - 1;
}

/** Case and the form of quotation marks and spaces do not count. */
function foldWords(text: string): string {
  return foldText(text).toLowerCase();
}
