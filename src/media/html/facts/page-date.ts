import { isoSeconds } from "../../../core/iso-seconds.ts";
import { monthNumber } from "./month-names.ts";

/** Turns dates as pages write them into ISO 8601: in UTC if they name a time zone, else without a zone. */

const ISO =
  /^(\d{4})-?(\d{2})-?(\d{2})(?:[T ]\s*(\d{1,2}):(\d{2})(?::(\d{2}))?(?:[.,]\d{1,9})?\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?(?:$|[^\d])/i;
const YEAR_FIRST = /^(\d{4})\s*[/.年년-]\s*(\d{1,2})\s*[/.月월-]\s*(\d{1,2})\s*[日일]?(?:$|\D)/;
/** Weekdays, and words like "Published on". */
const LEADING_WORDS = "(?:[\\p{L}\\p{M}-]+[.:]?,?\\s+){0,3}";
const YEAR_LAST = new RegExp(`^${LEADING_WORDS}(\\d{1,2})(\\s*[/.-]\\s*)(\\d{1,2})\\2(\\d{4})(?!\\d)`, "u");
const MONTH = "([\\p{L}\\p{M}]{3,12})";
const DAY_MONTH = new RegExp(
  `^${LEADING_WORDS}(\\d{1,2})(?:st|nd|rd|th|er|[.ºª])?\\s*(?:(?:de|of)\\s+)?${MONTH}\\.?,?\\s+(?:del?\\s+)?(\\d{4})(?!\\d)(.*)$`,
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

/** `language`: of the page. It gives the names of months, and whether the day or the month is first in `05/03/2024`. */
export function pageDate(written: string, language: string | null = null): string | null {
  const text = written.slice(0, 100).trim();
  const iso = ISO.exec(text);
  if (iso !== null) {
    const [, year, month, day, hour, minute, second, zone] = iso;
    return date([year, month, day], hour === undefined ? null : [hour, minute, second], zone);
  }
  const yearFirst = YEAR_FIRST.exec(text);
  if (yearFirst !== null) return date(yearFirst.slice(1, 4), null, undefined);
  const yearLast = YEAR_LAST.exec(text);
  if (yearLast !== null) return numeric(yearLast, language);
  const dayFirst = DAY_MONTH.exec(text);
  if (dayFirst !== null) return named(dayFirst[3], dayFirst[2], dayFirst[1], language, dayFirst[4]);
  const monthFirst = MONTH_DAY.exec(text);
  if (monthFirst !== null) return named(monthFirst[3], monthFirst[1], monthFirst[2], language, monthFirst[4]);
  const yearMonth = YEAR_MONTH_DAY.exec(text);
  return yearMonth === null ? null : named(yearMonth[1], yearMonth[2], yearMonth[3], language);
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

function named(year?: string, month = "", day?: string, language: string | null = null, rest = ""): string | null {
  const time = TIME_WITH_ZONE.exec(rest);
  return date([year, `${monthNumber(month, language)}`, day], time === null ? null : time.slice(1, 4), time?.[4]);
}

type Parts = readonly (string | undefined)[];

function date(day: Parts, time: Parts | null, zone: string | undefined): string | null {
  const [year = 0, month = 0, dayOfMonth = 0] = day.map(Number);
  const [hour = 0, minute = 0, second = 0] = (time ?? []).map((part) => Number(part ?? 0));
  const value = new Date(Date.UTC(year, month - 1, dayOfMonth, hour, minute, second));
  // Date turns February 31 into another day.
  if (year < 1000 || value.getUTCMonth() !== month - 1 || value.getUTCDate() !== dayOfMonth) return null;
  const shown = value.toISOString();
  if (time === null) return shown.slice(0, 10);
  if (zone === undefined) return shown.slice(0, 19);
  const [, sign, hours = "0", minutes = "0"] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  const offset = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  return isoSeconds(value.getTime() - offset * 60_000);
}
