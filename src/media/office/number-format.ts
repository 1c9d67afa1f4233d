import { DAY_MS } from "../../core/clock.ts";

/**
 * Shows a number of a spreadsheet as its format says: dates, times, percentages, decimals, thousands. Colours,
 * conditions, fractions and fillers are left out. ECMA-376 part 1, 18.8.30 and 18.8.31.
 */

/** The formats that files name by number alone. Those of dates are written as ISO 8601 writes them. */
const BUILT_IN: Readonly<Record<number, string>> = {
  1: "0",
  2: "0.00",
  3: "#,##0",
  4: "#,##0.00",
  9: "0%",
  10: "0.00%",
  11: "0.00E+00",
  12: "# ?/?",
  13: "# ??/??",
  14: "m/d/yyyy",
  15: "d-mmm-yy",
  16: "d-mmm",
  17: "mmm-yy",
  18: "h:mm AM/PM",
  19: "h:mm:ss AM/PM",
  20: "h:mm",
  21: "h:mm:ss",
  22: "m/d/yyyy h:mm",
  37: "#,##0;(#,##0)",
  38: "#,##0;(#,##0)",
  39: "#,##0.00;(#,##0.00)",
  40: "#,##0.00;(#,##0.00)",
  45: "mm:ss",
  46: "[h]:mm:ss",
  47: "mm:ss.0",
  48: "##0.0E+0",
};

/** Day 0 of the two calendars: https://support.microsoft.com/office/date-systems-in-excel */
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);
const MONTHS = "January February March April May June July August September October November December".split(" ");
const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
/** A literal, an escaped or filled character, a bracket, or a code. */
const PART =
  /"([^"]*)"|\\(.)|[_*].|\[[^\]]*\]|AM\/PM|A\/P|General|y+|m+|d+|h+|s+(?:\.0+)?|[#0?][#0?,]*(?:\.[#0?]*)?(?:E[+-]0+)?|\.[#0?]+|./gi;

/** The longest code that Excel takes. */
const MAX_CODE = 255;

export type ShowNumber = (value: number) => string;

/** `code`: written, or null for the built-in format `id`; one that is too long counts as General. */
export function numberFormat(id: number, code: string | null, is1904: boolean): ShowNumber {
  const written = code ?? BUILT_IN[id] ?? "General";
  const format = written.length > MAX_CODE ? "General" : written;
  const sections = splitSections(format);
  return (value) => {
    const isOwn = value < 0 && sections.length > 1;
    const section = sections[isOwn ? 1 : value === 0 && sections.length > 2 ? 2 : 0] ?? "General";
    if (!Number.isFinite(value) || section === "@") return general(value);
    if (isDate(section)) return showDate(section, value, is1904);
    return showNumber(section, isOwn ? -value : value);
  };
}

/** The digits that a spreadsheet keeps: fifteen. The rest is noise of binary fractions. */
export function general(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  return String(Number(value.toPrecision(15)));
}

function splitSections(format: string): string[] {
  const sections = [""];
  for (const [part] of format.slice(0, 500).matchAll(PART))
    if (part === ";") sections.push("");
    else sections[sections.length - 1] += part;
  return sections;
}

function isDate(section: string): boolean {
  for (const [part] of section.matchAll(PART)) if (/^(?:[ymdhs]+(?:\.0+)?|\[[hms]+\])$/i.test(part)) return true;
  return false;
}

function showNumber(section: string, value: number): string {
  const percents = [...section.matchAll(PART)].filter(([part]) => part === "%").length;
  const shown = value * 100 ** percents;
  let isShown = false;
  let text = "";
  for (const [part, literal, escaped] of section.matchAll(PART)) {
    if (literal !== undefined || escaped !== undefined) text += literal ?? escaped;
    else if (part.startsWith("[$")) text += /^\[\$([^\]-]*)/.exec(part)?.[1] ?? "";
    else if (part.startsWith("[") || part.startsWith("*")) continue;
    else if (part.startsWith("_")) text += " ";
    else if (/^general$/i.test(part)) [text, isShown] = [text + general(shown), true];
    else if (/^[#0?.]/.test(part) && part !== ".") {
      if (!isShown) text += digits(part, shown);
      isShown = true;
    } else text += part;
  }
  return text.trim();
}

function digits(pattern: string, value: number): string {
  if (/E/i.test(pattern)) {
    const [mantissa = "0", exponent = "0"] = value.toExponential(decimalsOf(pattern)).split("e");
    const size = /(?<!0)0+$/.exec(pattern)?.[0].length ?? 1;
    return `${mantissa}E${exponent.startsWith("-") ? "-" : "+"}${exponent.slice(1).padStart(size, "0")}`;
  }
  // Commas at the end divide by a thousand each.
  const scale = /(?<!,),+(?=\.|$)/.exec(pattern)?.[0].length ?? 0;
  const required = /\.(0*)/.exec(pattern)?.[1]?.length ?? 0;
  const least = (/^[^.]*/.exec(pattern)?.[0].match(/0/g) ?? []).length;
  const [whole = "0", fraction = ""] = Math.abs(value / 1000 ** scale)
    .toFixed(decimalsOf(pattern))
    .split(".");
  const grouped = /[#0?],[#0?]/.test(pattern) ? whole.replace(/\B(?=(?:\d{3})+$)/g, ",") : whole;
  const padded = least === 0 && whole === "0" ? "" : grouped.padStart(least, "0");
  let shown = fraction;
  while (shown.length > required && shown.endsWith("0")) shown = shown.slice(0, -1);
  return `${value < 0 ? "-" : ""}${padded}${shown === "" ? "" : `.${shown}`}`;
}

function decimalsOf(pattern: string): number {
  return Math.min(/\.([#0?]*)/.exec(pattern)?.[1]?.length ?? 0, 20);
}

function showDate(section: string, value: number, is1904: boolean): string {
  const date = new Date((is1904 ? EPOCH_1904 : EPOCH_1900) + Math.round(value * DAY_MS));
  if (Number.isNaN(date.getTime())) return general(value);
  const isHalfDay = /AM\/PM|A\/P/i.test(section);
  let text = "";
  let before = "";
  const parts = [...section.matchAll(PART)];
  for (const [i, [part, literal, escaped]] of parts.entries()) {
    if (literal !== undefined || escaped !== undefined) text += literal ?? escaped;
    else if (part.startsWith("[")) text += elapsed(part, value);
    else if (!part.startsWith("_") && !part.startsWith("*")) {
      const code = part.toLowerCase();
      const next = parts.slice(i + 1).find(([one]) => /^[ymdhs]/i.test(one))?.[0] ?? "";
      // `m` is minutes after hours and before seconds.
      const isMinute = /^m{1,2}$/.test(code) && (/h/.test(before) || /^s/i.test(next));
      text += isMinute ? pad(date.getUTCMinutes(), code.length) : datePart(code, part, date, isHalfDay);
    }
    if (/^(?:[ymdhs]|\[[hms])/i.test(part)) before = part.toLowerCase();
  }
  return text.trim();
}

function datePart(code: string, part: string, date: Date, isHalfDay: boolean): string {
  const hours = date.getUTCHours();
  switch (code[0]) {
    case "y":
      return code.length > 2 ? pad(date.getUTCFullYear(), 4) : pad(date.getUTCFullYear() % 100, 2);
    case "m": {
      const month = MONTHS[date.getUTCMonth()] ?? "";
      return code.length < 3 ? pad(date.getUTCMonth() + 1, code.length) : code.length === 3 ? month.slice(0, 3) : month;
    }
    case "d": {
      const day = DAYS[date.getUTCDay()] ?? "";
      return code.length < 3 ? pad(date.getUTCDate(), code.length) : code.length === 3 ? day.slice(0, 3) : day;
    }
    case "h":
      return pad(isHalfDay ? hours % 12 || 12 : hours, code.length);
    case "s": {
      const [whole = "", fraction] = code.split(".");
      const decimals = fraction === undefined ? "" : `.${pad(date.getUTCMilliseconds(), 3).slice(0, fraction.length)}`;
      return pad(date.getUTCSeconds(), whole.length) + decimals;
    }
    case "a":
      return code === "am/pm" || code === "a/p" ? (hours < 12 ? "AM" : "PM") : part;
    default:
      return part;
  }
}

/** `[h]`: all hours since day 0; likewise minutes and seconds. Other brackets name a colour or a language. */
function elapsed(bracket: string, days: number): string {
  const units: Readonly<Record<string, number>> = { h: 24, m: 1_440, s: 86_400 };
  const unit = /^\[(h+|m+|s+)\]$/i.exec(bracket)?.[1]?.[0]?.toLowerCase() ?? "";
  const perDay = units[unit];
  return perDay === undefined ? "" : String(Math.floor(days * perDay + 1e-9));
}

function pad(number: number, length: number): string {
  return String(number).padStart(length, "0");
}
