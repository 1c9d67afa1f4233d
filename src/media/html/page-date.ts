/** Turns dates as pages write them into ISO 8601: in UTC if they name a time zone, else without a zone. */

const ISO =
  /^(\d{4})-?(\d{2})-?(\d{2})(?:[T ]\s*(\d{1,2}):(\d{2})(?::(\d{2}))?(?:[.,]\d{1,9})?\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?(?:$|[^\d])/i;
const NUMBERS = /^(\d{4})[/.年](\d{1,2})[/.月](\d{1,2})日?(?:$|\D)/;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAY_MONTH = /^(?:[a-z]{3,9},?\s+)?(\d{1,2})(?:st|nd|rd|th)?\.?\s+([a-z]{3,9})\.?,?\s+(\d{4})(.*)$/i;
const MONTH_DAY = /^(?:[a-z]{3,9},?\s+)?([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(.*)$/i;
const TIME_WITH_ZONE = /^,?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s+(Z|UTC|GMT|[+-]\d{2}:?\d{2})$/i;

export function pageDate(written: string): string | null {
  const text = written.slice(0, 100).trim();
  const iso = ISO.exec(text);
  if (iso !== null) {
    const [, year, month, day, hour, minute, second, zone] = iso;
    return date([year, month, day], hour === undefined ? null : [hour, minute, second], zone);
  }
  const numbers = NUMBERS.exec(text);
  if (numbers !== null) return date(numbers.slice(1, 4), null, undefined);
  const dayFirst = DAY_MONTH.exec(text);
  if (dayFirst !== null) return named(dayFirst[3], dayFirst[2], dayFirst[1], dayFirst[4]);
  const monthFirst = MONTH_DAY.exec(text);
  return monthFirst === null ? null : named(monthFirst[3], monthFirst[1], monthFirst[2], monthFirst[4]);
}

function named(year?: string, month = "", day?: string, rest = ""): string | null {
  const number = MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1;
  const time = TIME_WITH_ZONE.exec(rest);
  return date([year, `${number}`, day], time === null ? null : time.slice(1, 4), time?.[4]);
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
  return `${new Date(value.getTime() - offset * 60_000).toISOString().slice(0, 19)}Z`;
}
