import { JAPANESE_MARKS, UNSPACED_OR_KOREAN, UNSPACED_SCRIPTS } from "../core/unspaced-scripts.ts";

/**
 * The terms of a text, by which pages are compared with a subject: words in lower case, without stop words and without
 * an English plural. Scripts without spaces between words give pairs of characters that follow each other, as is usual
 * for them: Nie and Ren, "Chinese information retrieval: using characters or words?", 1999.
 */

/** UTF-16 code units of a text that are read. What comes later rarely changes the subject. */
export const MAX_SUBJECT_TEXT = 40_000;
/** UTF-16 code units of a term; what is longer is cut. */
export const MAX_TERM = 24;
/** A word needs so many characters. */
const MIN_WORD = 2;
/** A term without a letter needs so many digits: 2026 is a year, 12 is a list item. */
const MIN_DIGITS = 4;

/** Each script by itself: where it changes, a word ends. */
const unspacedRuns = [...UNSPACED_SCRIPTS, "Hangul"].map((script) =>
  script === "Katakana" ? `[\\p{Script=${script}}${JAPANESE_MARKS}]+` : `\\p{Script=${script}}+`,
);
const RUN = new RegExp(`${unspacedRuns.join("|")}|[[\\p{L}\\p{M}\\p{N}]--[${UNSPACED_OR_KOREAN}]]+`, "gv");
const isUnspaced = new RegExp(`^[${UNSPACED_OR_KOREAN}]`, "v");
const HAS_LETTER = /\p{L}/u;

/** The commonest words of English. Those of other languages weigh little by their frequency in the crawl. */
const STOP_WORDS = new Set(
  (
    "about above after again all also although always among an and another any are as at be because been before being " +
    "below between both but by can cannot could did do does doing don done down during each either etc even ever every " +
    "few for from further get gets had has have having he her here hers him his how however if in into is it its itself " +
    "just let like ll made make makes many may me might more most much must my need needs never no nor not now of off " +
    "often on once one only or other others our out over own per rather re same see several shall she should since so " +
    "some still such than that the their them then there therefore these they this those though through thus to too two " +
    "under until up upon us use used uses using ve very via was way we well were what when where whether which while who " +
    "whose why will with within without would yet you your"
  ).split(" "),
);

/** What `termsOf` leaves out: `I/O`, `C++`, `C#`, and a letter that stands alone as a name. An initial is none. */
const SHORT_NAME = /(?<![\p{L}\p{N}_])(?:[A-Z](?:\+\+|#)|[A-Z]\/[A-Z]|[B-HJ-Z])(?![\p{L}\p{N}_'’+#/]|\.\s?[A-Z])/gu;
/** What a user writes in lower case of the same. */
const LOWER_SHORT_NAME = /(?<![\p{L}\p{N}_'’])(?:[a-z](?:\+\+|#)|[a-z]\/[a-z]|[b-hj-z])(?![\p{L}\p{N}_'’+#/])/gu;
/** Where `parseHTML` and `XMLReader` have a second word. */
const NAME_PARTS = /(?<=\p{Ll}|\p{N})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const NAME = /[\p{L}\p{N}]+/gu;
/** Most words of a text, which need no further look. */
const HAS_NO_CAPITAL = /^[a-z0-9]*$/;

/** The terms of `termsOf`, and after them the parts of names that are written as one word, and short names. */
export function namedTermsOf(text: string): string[] {
  const read = text.slice(0, MAX_SUBJECT_TEXT);
  const terms = termsOf(read);
  return mayHaveNames(read) ? [...terms, ...partsOf(read), ...shortNamesOf(read)] : terms;
}

/**
 * Whether a text may have what `partsOf` and `shortNamesOf` find. Few lines do, and the patterns of those two take
 * longer than all the rest.
 */
function mayHaveNames(text: string): boolean {
  let before = SPACE;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 128) return true;
    if (isUpper(unit)) {
      const next = text.charCodeAt(at + 1);
      if (isLower(before) || isDigit(before) || (isUpper(before) && isLower(next))) return true;
      // A and I that stand alone are words, unless a sign makes them a name.
      const mayStandAlone = (unit !== LETTER_A && unit !== LETTER_I) || "+#/".includes(text.charAt(at + 1));
      if (mayStandAlone && !isUpper(before) && !isUpper(next) && !isLower(next) && !isDigit(next)) return true;
    }
    before = unit;
  }
  return false;
}

const [LETTER_A, LETTER_I] = [65, 73];
const isUpper = (unit: number) => unit >= 65 && unit <= 90;
const isLower = (unit: number) => unit >= 97 && unit <= 122;
const isDigit = (unit: number) => unit >= 48 && unit <= 57;

/** The terms of the words with which a user names a subject, with their weights. A part of a name says less than it. */
export function subjectTermsOf(words: string): Map<string, number> {
  const named = words.replaceAll(LOWER_SHORT_NAME, (name) => name.toUpperCase());
  const terms = new Map([...termsOf(named), ...shortNamesOf(named)].map((term) => [term, 1]));
  for (const part of partsOf(named)) if (!terms.has(part)) terms.set(part, PART_WEIGHT);
  return terms;
}

const PART_WEIGHT = 0.3;

function partsOf(text: string): string[] {
  const parts: string[] = [];
  if (!NAME_PARTS.test(text)) return parts;
  for (const [name] of text.matchAll(NAME)) {
    if (HAS_NO_CAPITAL.test(name)) continue;
    for (const part of name.split(NAME_PARTS)) if (part.length < name.length) addWord(parts, part.toLowerCase());
  }
  return parts;
}

function shortNamesOf(text: string): string[] {
  return Array.from(text.matchAll(SHORT_NAME), ([name]) => name.toLowerCase());
}

/** The terms in their order, as often as they occur. */
export function termsOf(text: string): string[] {
  const lower = text.slice(0, MAX_SUBJECT_TEXT).toLowerCase();
  const terms: string[] = [];
  let start = -1;
  for (let at = 0; at <= lower.length; at++) {
    const unit = at === lower.length ? SPACE : lower.charCodeAt(at);
    if ((unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57)) {
      if (start < 0) start = at;
    } else if (unit < 128) {
      if (start >= 0) addWord(terms, lower.slice(start, at));
      start = -1;
    } else {
      // What has other characters is read as a whole, up to the next ASCII sign.
      const end = endOf(lower, at);
      addRuns(terms, lower.slice(start < 0 ? at : start, end));
      start = -1;
      at = end - 1;
    }
  }
  return terms;
}

const [SPACE, FIRST_LETTER] = [32, 97];

function endOf(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    const isInWord = unit >= 128 || (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57);
    if (!isInWord) break;
    at += 1;
  }
  return at;
}

function addRuns(terms: string[], text: string): void {
  for (const run of text.normalize("NFKC").toLowerCase().match(RUN) ?? []) {
    if (isUnspaced.test(run)) addPairs(terms, run);
    else addWord(terms, run);
  }
}

function addWord(terms: string[], run: string): void {
  if (isWord(run)) terms.push(toSingular(run.slice(0, MAX_TERM).toWellFormed()));
}

function addPairs(terms: string[], run: string): void {
  const characters = [...run];
  if (characters.length === 1) terms.push(run);
  for (let at = 1; at < characters.length; at++) terms.push(`${characters[at - 1]}${characters[at]}`);
}

function isWord(run: string): boolean {
  if (run.length < MIN_WORD || STOP_WORDS.has(run)) return false;
  return run.charCodeAt(0) >= FIRST_LETTER && run.charCodeAt(0) < 128
    ? true
    : HAS_LETTER.test(run) || run.length >= MIN_DIGITS;
}

/** Harman's S stemmer ("How effective is suffixing?", 1991). What is left can be shown to people. */
function toSingular(word: string): string {
  if (!word.endsWith("s") || word.length < 4 || word.endsWith("ss") || word.endsWith("us")) return word;
  if (word.endsWith("ies") && !/[ae]ies$/.test(word)) return `${word.slice(0, -3)}y`;
  return word.slice(0, -1);
}

/** FNV-1a over UTF-16 units, folded to 24 bits: https://datatracker.ietf.org/doc/html/draft-eastlake-fnv */
export function hashTerm(term: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193);
  return ((hash >>> 24) ^ hash) & 0xffffff;
}
