import type { FieldValue } from "../../media/html/fields/field-rule.ts";
import type { OnDue, OnFound, OnRead } from "./hook.ts";

/**
 * Reads the answers of a hook, which is somebody's own code. Each function returns a verdict for each item, or throws a
 * TypeError that says which answer is wrong and how.
 */

/** Characters of a reason, for people. */
const MAX_WHY = 300;
const MAX_PRIORITY = 999;
const MAX_FIELDS = 50;
const MAX_LINKS = 1_000;
const MAX_LINK = 2_048;
/** Characters of a field's value. */
const MAX_VALUE = 10_000;
const MAX_LIST = 100;
const FIELD_NAME = /^\p{L}[\p{L}\p{N}_-]{0,63}$/u;

export function readFoundAnswers(answers: unknown, count: number): OnFound[] {
  return verdictsOf(answers, count, ({ refuse, priority }, fail) => ({
    ...(isAbsent(refuse) ? {} : { refuse: readWhy(refuse, "refuse", fail) }),
    ...(isAbsent(priority) ? {} : { priority: readPriority(priority, fail) }),
  }));
}

export function readDueAnswers(answers: unknown, count: number): OnDue[] {
  return verdictsOf(answers, count, ({ drop }, fail) => (isAbsent(drop) ? {} : { drop: readWhy(drop, "drop", fail) }));
}

export function readReadAnswers(answers: unknown, count: number): OnRead[] {
  return verdictsOf(answers, count, ({ drop, fields, links }, fail) => ({
    ...(isAbsent(drop) ? {} : { drop: readWhy(drop, "drop", fail) }),
    ...(isAbsent(fields) ? {} : { fields: readHookFields(fields, fail) }),
    ...(isAbsent(links) ? {} : { links: readLinks(links, fail) }),
  }));
}

type Fail = (problem: string) => never;

function verdictsOf<T>(answers: unknown, count: number, read: (answer: Record<string, unknown>, fail: Fail) => T): T[] {
  if (!Array.isArray(answers)) throw new TypeError("it did not answer with a list");
  if (answers.length !== count)
    throw new TypeError(`it answered with ${answers.length} items to ${count}; each item needs an answer, or null`);
  return answers.map((answer: unknown, i) => {
    const fail: Fail = (problem) => {
      throw new TypeError(`answer ${i + 1} of ${count}: ${problem}`);
    };
    if (isAbsent(answer)) return read({}, fail);
    if (typeof answer !== "object" || Array.isArray(answer)) return fail("it is no object");
    return read(answer as Record<string, unknown>, fail);
  });
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function readWhy(value: unknown, name: string, fail: Fail): string {
  if (typeof value !== "string" || value === "") return fail(`${name} is no text that says why`);
  return value.slice(0, MAX_WHY);
}

function readPriority(value: unknown, fail: Fail): number {
  const isFit = typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_PRIORITY;
  return isFit ? value : fail(`priority is ${String(value)}; it must be a whole number from 0 to ${MAX_PRIORITY}`);
}

function readHookFields(value: unknown, fail: Fail): Record<string, FieldValue | null> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return fail("fields is no object");
  const entries = Object.entries(value);
  if (entries.length > MAX_FIELDS) return fail(`it has ${entries.length} fields; at most ${MAX_FIELDS} are possible`);
  return Object.fromEntries(entries.map(([name, field]) => [readName(name, fail), readField(name, field, fail)]));
}

function readName(name: string, fail: Fail): string {
  return FIELD_NAME.test(name) ? name : fail(`${JSON.stringify(name.slice(0, 80))} is no name of a field`);
}

function readField(name: string, value: unknown, fail: Fail): FieldValue | null {
  if (isAbsent(value)) return null;
  if (typeof value === "string") return value.slice(0, MAX_VALUE);
  if (typeof value === "number" && Number.isFinite(value)) return value;
  const isList = Array.isArray(value) && value.every((item) => typeof item === "string");
  if (!isList) return fail(`the field ${name} is no text, number, or list of texts`);
  return value.slice(0, MAX_LIST).map((item) => item.slice(0, MAX_VALUE));
}

function readLinks(value: unknown, fail: Fail): string[] {
  const isList = Array.isArray(value) && value.every((item) => typeof item === "string");
  if (!isList) return fail("links is no list of URLs");
  if (value.length > MAX_LINKS) return fail(`it has ${value.length} links; at most ${MAX_LINKS} are possible`);
  const long = value.find((link) => link.length > MAX_LINK);
  return long === undefined ? value : fail(`a link has more than ${MAX_LINK} characters`);
}
