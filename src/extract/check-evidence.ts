import { escapeKey } from "../core/formats/json-pointer.ts";
import { readNumber } from "../media/html/fields/read-number.ts";
import type { Evidence, EvidenceRule, Json, ModelAnswer } from "./extraction.ts";
import { type FoldedText, type FoundWords, findWords, foldText } from "./find-words.ts";
import type { PageText } from "./page-text.ts";

/**
 * Checks that a page has the words that a model gives for its values. A string that stands in the page is evidence by
 * itself. The words of a number have that number in them, in any way of writing.
 */

/** A string that is shorter stands in many pages. */
const MIN_OWN_WORDS = 3;
/** Of the words that are shown. */
const MAX_SHOWN = 500;
const MAX_VALUES = 2_000;

interface Parts {
  page: FoldedText[];
  title: FoldedText[];
}

/** With `strict`, values without evidence are null. */
export function checkEvidence(
  { values, claims }: Pick<ModelAnswer, "values" | "claims">,
  page: PageText,
  rule: EvidenceRule,
): { values: Json; evidence: Evidence[] } {
  const parts: Parts = {
    page: [foldText(page.text, false), foldText(page.text, true)],
    title: [foldText(page.title ?? "", true)],
  };
  const wordsOf = new Map(claims.map(({ path, words }) => [path, words]));
  const evidence: Evidence[] = [];
  const check = (value: Json, path: string): Json => {
    if (value === null) return null;
    if (Array.isArray(value)) return value.map((item, i) => check(item, `${path}/${i}`));
    if (typeof value === "object")
      return Object.fromEntries(
        Object.entries(value).map(([name, part]) => [name, check(part, `${path}/${escapeKey(name)}`)]),
      );
    const found =
      evidence.length >= MAX_VALUES
        ? refused(path, `more than ${MAX_VALUES} values are not checked`)
        : evidenceOf(value, path, wordsOf.get(path) ?? null, parts);
    evidence.push(found);
    return rule === "strict" && found.problem !== null ? null : value;
  };
  return { values: check(values, ""), evidence };
}

function evidenceOf(value: string | number | boolean, path: string, claimed: string | null, parts: Parts): Evidence {
  const found = claimed === null ? null : place(claimed, parts);
  const own = typeof value === "string" && value.trim().length >= MIN_OWN_WORDS ? value : null;
  if (found === null) {
    const itself = own === null ? null : place(own, parts);
    if (itself !== null) return { path, ...shown(itself), problem: null };
    return refused(path, claimed === null ? "the model gave no words for it" : "its words do not stand in the page");
  }
  if (typeof value === "number" && !hasNumber(found.words, value))
    return refused(path, "its words do not have this number");
  return { path, ...shown(found), problem: null };
}

type Place = FoundWords & { in: "page" | "title" };

function place(words: string, { page, title }: Parts): Place | null {
  for (const [part, texts] of [["page", page] as const, ["title", title] as const])
    for (const text of texts) {
      const found = findWords(text, words);
      if (found !== null) return { ...found, in: part };
    }
  return null;
}

function shown({ words, at, in: part }: Place): Pick<Evidence, "words" | "at" | "in"> {
  return { words: words.slice(0, MAX_SHOWN), at, in: part };
}

function refused(path: string, problem: string): Evidence {
  return { path, words: null, in: null, at: null, problem };
}

/** Whether one of the numbers in the words may be read as this one. */
function hasNumber(words: string, value: number): boolean {
  const read = readNumber(words, { language: null });
  const readings = "value" in read ? [read.value] : [];
  for (const [digits] of words.matchAll(/\d(?:[.,'’\u00a0\u202f ]?\d){0,40}/g)) {
    const [first = ""] = digits.split(/[ \u00a0\u202f]/);
    for (const written of [first, digits.replace(/['’\u00a0\u202f ]/g, "")]) {
      const decimal = written.replaceAll(".", "").replace(",", ".");
      readings.push(...[written, decimal, written.replaceAll(",", ""), written.replace(/[.,]/g, "")].map(Number));
    }
  }
  return readings.some((number) => Math.abs(Math.abs(number) - Math.abs(value)) <= Math.abs(value) * 1e-9);
}
