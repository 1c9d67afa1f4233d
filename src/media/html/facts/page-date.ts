import { isoSeconds } from "../../../core/iso-seconds.ts";
import { monthNumber } from "./month-names.ts";

/** Turns dates as pages write them into ISO 8601. */

/** The zone of the time, if the page names one: converted to UTC, or as it is written. */
type Zone = "utc" | "own";

const ISO =
  /^(\d{4})-?(\d{2})-?(\d{2})(?:[T ]\s*(\d{1,2}):(\d{2})(?::(\d{2}))?(?:[.,]\d{1,9})?\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?(?:$|[^\d])/i;
const YEAR_FIRST = /^(\d{4})\s*[/.年년-]\s*(\d{1,2})\s*[/.月월-]\s*(\d{1,2})\s*[日일]?(?:$|\D)/;
/** Weekdays, and words like "Published on". */
const LEADING_WORDS = "(?:[\\p{L}\\p{M}-]+[.:]?,?\\s+){0,3}";
const YEAR_LAST = new RegExp(`^${LEADING_WORDS}(\\d{1,2})(\\s*[/.-]\\s*)(\\d{1,2})\\2(\\d{4})(?!\\d)`, "u");
const MONTH = "([\\p{L}\\p{M}]{3,12})";
const DAY_MONTH = new RegExp(
  `^${LEADING_WORDS}(\\d{1,2})(?:st|nd|rd|th|er|[.ºª])?(?:\\s*|-)(?:(?:de|of)\\s+)?${MONTH}(?:\\.?,?\\s+|-)(?:del?\\s+)?(\\d{4})(?!\\d)(.*)$`,
  "iu",
);
const MONTH_DAY = new RegExp(
  `^${LEADING_WORDS}${MONTH}\\.?\\s+(\\d{1,2})(?:st|nd|rd|th)?,?\\s+(\\d{4})(?!\\d)(.*)$`,
  "iu",
);
const YEAR_MONTH_DAY = new RegExp(`^(\\d{4})\\.?,?\\s+${MONTH}\\.?\\s+(\\d{1,2})(?!\\d)`, "iu");
const TIME_WITH_ZONE = /^,?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s+(Z|UTC|GMT|[+-]\d{2}:?\d{2})$/i;
/** `/2024/03/05/title`, or a last part that begins with the date. A path that ends with its date is an archive. */
const IN_PATH = /\/(\d{4})\/(\d{1,2})\/(\d{1,2})\/[^/]|\/(\d{4})-(\d{2})-(\d{2})-[^/]+\/?$/;

/**
 * `language`: of the page. It gives the names of months, and whether the day or the month is first in `05/03/2024`. A
 * time without a zone has none in the result.
 */
export function pageDate(written: string, language: string | null = null, keep: Zone = "utc"): string | null {
  const text = written.slice(0, 100).trim();
  const iso = ISO.exec(text);
  if (iso !== null) {
    const [, year, month, day, hour, minute, second, zone] = iso;
    return date([year, month, day], hour === undefined ? null : [hour, minute, second], zone, keep);
  }
  const yearFirst = YEAR_FIRST.exec(text);
  if (yearFirst !== null) return date(yearFirst.slice(1, 4), null, undefined);
  const yearLast = YEAR_LAST.exec(text);
  if (yearLast !== null) return numeric(yearLast, language);
  const dayFirst = DAY_MONTH.exec(text);
  if (dayFirst !== null) return named([dayFirst[3], dayFirst[2], dayFirst[1]], language, keep, dayFirst[4]);
  const monthFirst = MONTH_DAY.exec(text);
  if (monthFirst !== null) return named([monthFirst[3], monthFirst[1], monthFirst[2]], language, keep, monthFirst[4]);
  const yearMonth = YEAR_MONTH_DAY.exec(text);
  return yearMonth === null ? null : named(yearMonth.slice(1, 4), language, keep);
}

/** Words that a date may follow: `Last updated on Monday: 2026-03-14`. */
const MAX_WORDS = 30;

/** Likewise, of a text in which the date follows other words. */
export function findDate(text: string, language: string | null, keep: Zone = "utc"): string | null {
  const words = text.split(/\s+/, MAX_WORDS);
  for (let at = 0; at < words.length; at++) {
    const found = pageDate(words.slice(at).join(" "), language, keep);
    if (found !== null) return found;
  }
  return null;
}

/** The date in the path of a URL. */
export function urlDate(url: string): string | null {
  const [, ...found] = IN_PATH.exec(URL.parse(url)?.pathname ?? "") ?? [];
  const parts = found.filter((part) => part !== undefined);
  const year = Number(parts[0]);
  return parts.length === 3 && year >= 1990 && year < 2100 ? date(parts, null, undefined) : null;
}

/**
 * With points the day is first everywhere. With other signs it is first except in American English, and plain English
 * says nothing, nor does a page without a language.
 */
function numeric([, first, sign = "", second, year]: RegExpExecArray, language: string | null): string | null {
  const dayFirst = date([year, second, first], null, undefined);
  const monthFirst = date([year, first, second], null, undefined);
  if (sign.includes(".")) return dayFirst;
  if (dayFirst === null || monthFirst === null || dayFirst === monthFirst) return dayFirst ?? monthFirst;
  if (language === null || /^en$/i.test(language)) return null;
  return /^en[-_]us\b/i.test(language) ? monthFirst : dayFirst;
}

function named([year, month = "", day]: Parts, language: string | null, keep: Zone, rest = ""): string | null {
  const time = TIME_WITH_ZONE.exec(rest);
  const number = `${monthNumber(month, language)}`;
  return date([year, number, day], time === null ? null : time.slice(1, 4), time?.[4], keep);
}

type Parts = readonly (string | undefined)[];

function date(day: Parts, time: Parts | null, zone: string | undefined, keep: Zone = "utc"): string | null {
  const [year = 0, month = 0, dayOfMonth = 0] = day.map(Number);
  const [hour = 0, minute = 0, second = 0] = (time ?? []).map((part) => Number(part ?? 0));
  const value = new Date(Date.UTC(year, month - 1, dayOfMonth, hour, minute, second));
  // Date turns February 31 into another day.
  if (year < 1000 || value.getUTCMonth() !== month - 1 || value.getUTCDate() !== dayOfMonth) return null;
  const shown = value.toISOString();
  if (time === null) return shown.slice(0, 10);
  if (zone === undefined) return shown.slice(0, 19);
  const [, sign, hours = "0", minutes = "00"] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  const offset = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  if (keep === "own" && offset !== 0) return `${shown.slice(0, 19)}${sign}${hours}:${minutes}`;
  return isoSeconds(value.getTime() - offset * 60_000);
}
