import type { Extracted, Json } from "../../extract/extraction.ts";
import { findWords, foldText } from "../../extract/find-words.ts";
import type { FieldValue } from "../../media/html/fields/field-rule.ts";
import { cut, type FieldChange } from "./page-fields.ts";

/** Which values of a page are others than before, by what a model or its rules found. */

export type KnownValues = Pick<Extracted, "values" | "evidence">;

/**
 * The values of the highest level that are others, with the words of the page. A model may say the same in another way,
 * or miss a value: so a value counts only with words of the page that are other words than before, and a value that is
 * gone only where the page has its words no more. `markdown`: the text that the model saw; null where rules have read
 * the values, which find what there is. `before` null: the page is new.
 */
export function changedValues(before: KnownValues | null, after: KnownValues, markdown: string | null): FieldChange[] {
  const [old, now] = [valuesOf(before), valuesOf(after)];
  const page = markdown === null ? null : foldText(markdown, false);
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((name): FieldChange[] => {
    const [was, is] = [old[name] ?? null, now[name] ?? null];
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    const [oldWords, words] = [wordsOf(before, name), wordsOf(after, name)];
    const isGone = is === null && (page === null || !oldWords.some((each) => findWords(page, each) !== null));
    const isOther = is !== null && words.length > 0 && foldAll(words) !== foldAll(oldWords);
    return isGone || isOther
      ? [
          {
            name,
            before: cut(shown(was)),
            after: cut(shown(is)),
            ...(words.length === 0 ? {} : { words: words.join(" … ").slice(0, MAX_WORDS) }),
          },
        ]
      : [];
  });
}

const MAX_WORDS = 300;

function foldAll(words: readonly string[]): string {
  return words.map((each) => foldText(each, true).text.trim()).join("\n");
}

function valuesOf(found: KnownValues | null): Record<string, Json> {
  const values = found?.values ?? null;
  return typeof values === "object" && values !== null && !Array.isArray(values) ? values : {};
}

/** The words of a value and of what is in it. */
function wordsOf(found: KnownValues | null, name: string): string[] {
  const path = `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return (found?.evidence ?? []).flatMap((each) =>
    each.words !== null && (each.path === path || each.path.startsWith(`${path}/`)) ? [each.words] : [],
  );
}

/** A value as fields have them: yes or no as a word, and an object as JSON. */
export function shown(value: Json): FieldValue | null {
  if (value === null || typeof value === "number" || typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
  return JSON.stringify(value);
}

/** What a record has, as fields: for conditions. */
export function asFields(extracted: KnownValues | null): Record<string, FieldValue | null> {
  return Object.fromEntries(Object.entries(valuesOf(extracted)).map(([name, value]) => [name, shown(value)]));
}
