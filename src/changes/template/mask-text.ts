import { maskRelativeTimes } from "./relative-times.ts";

/**
 * Two normal forms of a block: one for comparison, and one in which blocks that differ only in numbers and dates are
 * equal.
 */

/** Letter forms that generators exchange when they are upgraded, without another word on the page. */
const FOLDED: readonly (readonly [RegExp, string])[] = [
  [/[\u2018\u2019\u201A\u201B\u2032\u00B4]/g, "'"],
  [/[\u201C\u201D\u201E\u2033\u00AB\u00BB]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, "-"],
  [/\u2026/g, "..."],
  // Soft hyphens, characters without width, and the sign that links to a heading.
  [/[\u00AD\u200B-\u200F\u2060\uFEFF\u00B6]/g, ""],
];

/** The form in which blocks are compared: quotation marks, dashes and white space have one spelling each. */
export function foldText(text: string): string {
  let folded = text;
  if (/[^\t-~]/.test(text)) {
    folded = text.normalize("NFC");
    for (const [pattern, replacement] of FOLDED) folded = folded.replace(pattern, replacement);
  }
  return folded.replace(/`/g, "'").replace(/''/g, '"').replace(/-{2,}/g, "-").replace(/\s+/g, " ").trim();
}

/** Only texts with these have something to mask. */
const MASKED = /\d/;
/**
 * Tokens and digests, if they have a digit; versions with what builds add to them; numbers, dates and times in digits.
 */
const NUMBERS =
  /[\w-]{16,}|\bv?\d+(?:\.\d+)+(?:[-+._]?(?:rc|alpha|beta|a|b|dev|post|pre|snapshot|final)[-.]?\d*\b|[-+.]\d+|[-+.]g?[0-9a-f]{6,40}\b)+|\d+(?:[.,:/-]\d+)*(?:st|nd|rd|th)?/g;
const CODES = "usd|eur|gbp|chf|jpy|cny|inr|cad|aud";
const MONEY_BEFORE = new RegExp(`(?:[$€£¥₹₩₽₺]|\\b(?:${CODES})) ?$`);
const MONEY_AFTER = new RegExp(`^ ?(?:[$€£¥₹₩₽₺%‰]|(?:${CODES})\\b)`);
const MONTHS = "jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec";
const LONG_MONTHS = "january|february|march|april|august|september|october|november|december";
const DAYS = "(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?";
/** Abbreviations of time zones, which follow a time: "14:11:07 PDT". */
const ZONES = "a[ck]?[sd]t|aes?t|aedt|bst|[cew]es?t|[cemph][sd]t|gst|hkt|[ijkn]st|msk|nz[sd]t|sgt|wib";
/** These run on texts whose numbers are written 0 already. */
const DATES: readonly RegExp[] = [
  new RegExp(`\\b(?:${LONG_MONTHS}|${MONTHS}|${DAYS})\\b[.,]?`, "g"),
  // A word between two numbers, or before two, is a month in any language: "0. lokakuuta 0", "Kasım 0, 0".
  /(?<![\p{L}\p{N}])0\.?[ -](?:de |of )?\p{L}{3,12}\.?,?[ -](?:de )?0(?![\p{L}\p{N}])/gu,
  /(?<![\p{L}\p{N}])\p{L}{3,12}\.? 0,? 0(?![\p{L}\p{N}])/gu,
  /\b(?:0|an?|one|few) (?:second|minute|hour|day|week|month|year)s?\b/g,
  new RegExp(`(?<=\\b0[ap]?m? ?)(?:${ZONES})\\b`, "g"),
  /\b(?:a\.?m\.?|p\.?m\.?|utc|gmt)\b/g,
];

/**
 * Masks numbers, dates, times and tokens of a folded text. Amounts of money and percentages stay: a price is what many
 * pages are watched for. Takes time linear in the text.
 */
export function maskText(folded: string): string {
  const lower = maskRelativeTimes(folded).toLowerCase();
  if (!MASKED.test(lower)) return lower;
  let masked = lower.replace(NUMBERS, (found, at: number) => {
    // A long word without a digit is a word.
    if (!/\d/.test(found)) return found;
    const end = at + found.length;
    const isMoney =
      MONEY_BEFORE.test(lower.slice(Math.max(0, at - 5), at)) || MONEY_AFTER.test(lower.slice(end, end + 5));
    return isMoney ? found : "0";
  });
  for (const pattern of DATES) masked = masked.replace(pattern, "0");
  // "0 0, 0:0" and "0" are both a date.
  return masked
    .replace(/(?<![\p{L}\p{N}])0(?:[ ,:./()+-]{1,3}0(?![\p{L}\p{N}]))+/gu, "0")
    .replace(/\s+/g, " ")
    .trim();
}

const YEAR = /\b(?:19|20)\d\d\b/;
const TIME = /\d:\d\d/;

/** Whether a text has a year, or a time of the day. */
export function hasDate(text: string): boolean {
  return YEAR.test(text) || TIME.test(text);
}

/** Whether a folded text is a day, without a time or a word that says of what. */
export function isDayAlone(folded: string): boolean {
  return YEAR.test(folded) && !TIME.test(folded) && maskText(folded) === "0";
}

/** A folded text with a day and a time of it, without the time; null if it has not both. */
export function withoutTime(folded: string): string | null {
  const day = folded.replace(/\d{1,2}(?::\d\d)+/g, ":");
  return day !== folded && /\d/.test(day) ? day : null;
}
