import { UNSPACED_OR_KOREAN } from "../../../core/unspaced-scripts.ts";

/** Reads numbers as pages write them: prices, ratings, areas, with the separators of any language. */

type NumberReading = { value: number; note: string | null } | { problem: string };

/** What helps to decide an ambiguous number. */
interface NumberContext {
  /** The BCP 47 tag of the page; null if it names none. */
  language: string | null;
}

/** A text that is longer holds no number alone. Characters. */
const MAX_TEXT = 500;
/** Currencies with three decimals (ISO 4217), and their signs. */
const THREE_DECIMALS = /BHD|IQD|JOD|KWD|LYD|OMR|TND|د\.?[كبت]/;
/** `\p{Sc}` has the signs of currencies. Others are codes of ISO 4217, or words. */
const CURRENCY = String.raw`(?:\p{Sc}|(?<!\p{L})(?:[A-Z]{2}\$|[A-Z]{3}|Fr\.?|Rs\.?|kr\.?|zł|Kč|Ft|lei|лв\.?|руб\.?|р\.|грн\.?|TL|元|円|원)(?!\p{L}))`;
const SPACES = /[\u00a0\u2000-\u200a\u202f\u205f\u3000\t\n\r\f ]+/g;
const DIGITS = /[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\uff10-\uff19]/g;
/** A group sign, or a decimal sign, between digits. A space counts only before three digits. */
const NUMBER = /(?:(?<![\p{L}\d.,])[.,])?\d(?:[.,'](?=\d)\d|\d| (?=\d{3}(?!\d))\d)*/gu;
/** The end of a range begins after it: `10–20 €`. */
const DASH = /^ ?[-\u2013\u2014] ?$/;
const MULTIPLIERS: readonly (readonly [RegExp, number])[] = [
  [/^(?:k|K)(?![\p{L}\d])|^ ?(?:Tsd|tys|тыс)(?!\p{L})/u, 1e3],
  [/^ ?(?:Mio|mio|Mill|mln|млн|[Mm]illion(?:s|en|es)?|[Mm]illones|milioni)(?!\p{L})/u, 1e6],
  [/^ ?(?:Mrd|mld|млрд|[Bb]illion)(?!\p{L})/u, 1e9],
  [/^ ?(?:lakhs?|Lakhs?)(?!\p{L})/u, 1e5],
  [/^ ?(?:crores?|Crores?|Cr)(?!\p{L})/u, 1e7],
  [/^ ?[万萬만]/u, 1e4],
  [/^ ?[億亿억]/u, 1e8],
];

/**
 * If there are several numbers, the one beside a currency counts, else the first. `1.234` is ambiguous: beside a
 * currency the point is a group sign, because prices have no three decimals; elsewhere the language of the page
 * decides.
 */
export function readNumber(written: string, { language }: NumberContext): NumberReading {
  const text = plain(written);
  if (text.length > MAX_TEXT) return { problem: `the text is longer than ${MAX_TEXT} characters, so it is no number` };
  const found = findNumbers(text);
  if (found.length === 0) return { problem: "there is no number in the text" };
  const priced = found.filter(({ currency }) => currency !== null);
  const start = found.indexOf((priced.length === 1 ? priced : found)[0] as FoundNumber);
  const isRange = start > 0 && DASH.test(text.slice(found[start - 1]?.end, found[start]?.start));
  const from = isRange ? start - 1 : start;
  const read = readScaled(text, found.slice(from), language);
  if ("problem" in read) return read;
  const several =
    read.used === found.length
      ? null
      : isRange || priced.length !== 1
        ? "the first number counts"
        : "the number beside the currency counts";
  // Three hundred digits and more.
  if (!Number.isFinite(read.value)) return { problem: "the number is too large" };
  const notes = [several, read.note].filter((note) => note !== null);
  const value = isNegative(text, found[from] as FoundNumber) ? -read.value : read.value;
  return { value: value === 0 ? 0 : value, note: notes.length === 0 ? null : notes.join("; ") };
}

/** The first of the numbers with what follows it: `1.2k`, `1億2000万`. `used`: how many of them belong to it. */
function readScaled(
  text: string,
  numbers: readonly FoundNumber[],
  language: string | null,
): { value: number; note: string | null; used: number } | { problem: string } {
  let value = 0;
  let note: string | null = null;
  let used = 0;
  let end = -1;
  for (const number of numbers) {
    if (used > 0 && number.start !== end) break;
    const read = readDigits(number, language);
    if ("problem" in read) return used > 0 ? { value, note, used } : read;
    const after = text.slice(number.end);
    const scale = MULTIPLIERS.find(([word]) => word.test(after));
    value += scale === undefined ? read.value : Number((read.value * scale[1]).toPrecision(15));
    note ??= read.note;
    used += 1;
    if (scale === undefined) break;
    end = number.end + (scale[0].exec(after)?.[0].length ?? 0);
  }
  return { value, note, used };
}

/** A number as JSON-LD and microdata have it: the decimal sign is a point, and there are no group signs. */
export function machineNumber(written: string): number | null {
  return /^[+-]?(?:\d{1,17}(?:\.\d{1,17})?|\.\d{1,17})(?:[eE][+-]?\d{1,2})?$/.test(written.trim())
    ? Number(written)
    : null;
}

interface FoundNumber {
  digits: string;
  start: number;
  end: number;
  /** The sign or code beside it; null if there is none. */
  currency: string | null;
}

/** ASCII digits, plain spaces, apostrophes and minus signs. */
function plain(written: string): string {
  return written
    .slice(0, 4 * MAX_TEXT)
    .replace(DIGITS, (digit) => String(digitValue(digit.codePointAt(0) ?? 0)))
    .replace(SPACES, " ")
    .replace(/[\u200e\u200f\u061c\u2066-\u2069\u00ad]/g, "")
    .replace(/[\u2019\u2018\u02bc\u2032\u00b4`]/g, "'")
    .replace(/[\u2212\u2010\u2011\ufe63\uff0d]/g, "-")
    .replace(/\u066b/g, ",")
    .replace(/[\u066c\uff0c]/g, (sign) => (sign === "\u066c" ? "'" : ","))
    .trim();
}

/** The digits of a script stand in a row. */
function digitValue(code: number): number {
  const zero = [0x660, 0x6f0, 0x966, 0x9e6, 0xff10].find((first) => code >= first && code <= first + 9);
  return code - (zero ?? code);
}

function findNumbers(text: string): FoundNumber[] {
  const before = new RegExp(`(${CURRENCY}) ?[-\u2013]? ?$`, "u");
  const after = new RegExp(`^(?:,-|,\u2013|\\.-|\\.\u2013|,--)? ?(${CURRENCY})`, "u");
  return [...text.matchAll(NUMBER)]
    .filter(({ index }) => !isInWord(text.slice(0, index)))
    .slice(0, 20)
    .map((match) => {
      const start = match.index;
      const end = start + match[0].length;
      const currency = knownCurrency(before.exec(text.slice(0, start))) ?? knownCurrency(after.exec(text.slice(end)));
      return { digits: match[0], start, end, currency };
    });
}

const ENDS_UNSPACED = new RegExp(`[${UNSPACED_OR_KOREAN}]$`, "u");

/** `A4` and `mp3` are words. Scripts without spaces between words have no such words. */
function isInWord(head: string): boolean {
  return /[\p{L}_]$/u.test(head) && !ENDS_UNSPACED.test(head) && !new RegExp(`${CURRENCY}$`, "u").test(head);
}

let codes: ReadonlySet<string> | null = null;

/** Three capital letters may be anything: `RTX 4090`. */
function knownCurrency(found: RegExpExecArray | null): string | null {
  const currency = found?.[1] ?? null;
  if (currency === null || !/^[A-Z]{3}$/.test(currency)) return currency;
  codes ??= new Set([...Intl.supportedValuesOf("currency"), "RMB"]);
  return codes.has(currency) ? currency : null;
}

/** A minus sign before the digits or before the currency, but none between two numbers or words. */
function isNegative(text: string, { start }: FoundNumber): boolean {
  const head = text.slice(0, start);
  return new RegExp(`(?:^|[\\s(])-(?: ?${CURRENCY} ?)?$|(?:^|[\\s(])${CURRENCY} ?-$|^- $`, "u").test(
    head.replace(/(^|\s)\u2013(?=\S*$)/, "$1-"),
  );
}

/** Decides which separators group, and which one is the decimal sign. */
function readDigits({ digits, currency }: FoundNumber, language: string | null): NumberReading {
  const groups = /[ ']/.test(digits);
  const points = digits.split(".").length - 1;
  const commas = digits.split(",").length - 1;
  const wrong: NumberReading = { problem: `${digits} is not written as a number` };
  if (points > 1 && commas > 1) return wrong;
  const last = Math.max(digits.lastIndexOf("."), digits.lastIndexOf(","));
  const sign = digits[last];
  if (sign === undefined) return grouped(digits, null, wrong);
  const isSole = (sign === "." ? points : commas) === 1;
  const other = sign === "." ? commas : points;
  if (other > 0 || groups) return isSole ? grouped(digits, sign, wrong) : groups ? wrong : grouped(digits, null, wrong);
  if (!isSole) return grouped(digits, null, wrong);
  const [whole = "", fraction = ""] = digits.split(sign);
  if (whole === "") return { value: Number(`0.${fraction}`), note: null };
  if (fraction.length !== 3 || whole.length > 3 || /^0/.test(whole)) return grouped(digits, sign, wrong);
  const [isDecimal, why] = decideSole(sign, currency, language);
  const value = Number(isDecimal ? `${whole}.${fraction}` : whole + fraction);
  return { value, note: `${digits} is ${value}: ${why}` };
}

/** `decimal`: the decimal sign; null for none. All others group, in threes or as in India. */
function grouped(digits: string, decimal: string | null, wrong: NumberReading): NumberReading {
  const at = decimal === null ? digits.length : digits.lastIndexOf(decimal);
  const whole = digits.slice(0, at);
  const fraction = digits.slice(at + 1);
  if (!/^\d+$|^\d{1,3}([., '])\d{3}(?:\1\d{3})*$|^\d{1,3}(?:,\d{2})*,\d{3}$/.test(whole)) return wrong;
  // Nothing groups after the decimal sign.
  if (!/^\d*$/.test(fraction)) return wrong;
  return { value: Number(`${whole.replace(/\D/g, "")}.${fraction || "0"}`), note: null };
}

/** Whether the only sign, before three digits, is the decimal sign, and why. */
function decideSole(sign: string, currency: string | null, language: string | null): [boolean, string] {
  if (currency !== null && !THREE_DECIMALS.test(currency))
    return [false, `an amount of ${currency} has no three decimals`];
  const own = language === null ? null : decimalSign(language);
  if (own !== null) return [own === sign, `the page's language is ${language}`];
  return [sign === ".", "the page names no language, so it is read as in English"];
}

const signs = new Map<string, string | null>();

/** Null for what is no language that the platform knows. */
function decimalSign(language: string): string | null {
  const tag = language.trim().replaceAll("_", "-").slice(0, 35);
  const known = signs.get(tag);
  if (known !== undefined) return known;
  const sign = findDecimalSign(tag);
  // A page may name anything.
  if (signs.size < 500) signs.set(tag, sign);
  return sign;
}

function findDecimalSign(tag: string): string | null {
  try {
    if (Intl.NumberFormat.supportedLocalesOf([tag]).length === 0) return null;
    const parts = new Intl.NumberFormat(tag, { numberingSystem: "latn" }).formatToParts(1.5);
    return parts.find(({ type }) => type === "decimal")?.value ?? null;
  } catch {
    return null;
  }
}
