import { MONTHS } from "../../media/sitemap/sitemap-date.ts";

/** Dates of cookies, in whatever form servers write them. https://www.rfc-editor.org/rfc/rfc6265#section-5.1.1 */

const DELIMITERS = /[\t\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+/;
/** A token is the first of these that it can be and that no token before it is. */
const PARTS = [
  ["time", /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?!\d)/],
  ["day", /^(\d{1,2})(?!\d)/],
  ["month", /^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i],
  ["year", /^(\d{2,4})(?!\d)/],
] as const;

/** Milliseconds since the Unix epoch, or null if the text is no date. */
export function parseCookieDate(text: string): number | null {
  const found = new Map<string, string[]>();
  for (const token of text.split(DELIMITERS)) {
    for (const [part, pattern] of PARTS) {
      const match = found.has(part) ? null : pattern.exec(token);
      if (match === null) continue;
      found.set(part, match.slice(1));
      break;
    }
  }
  if (found.size < PARTS.length) return null;
  const [hours = 0, minutes = 0, seconds = 0] = (found.get("time") ?? []).map(Number);
  const [day = 0, written = 0] = [found.get("day"), found.get("year")].map((digits) => Number(digits?.[0]));
  const month = MONTHS.indexOf((found.get("month")?.[0] ?? "").toLowerCase());
  const year = written < 70 ? written + 2000 : written < 100 ? written + 1900 : written;
  if (year < 1601 || hours > 23 || minutes > 59 || seconds > 59) return null;
  const date = new Date(Date.UTC(year, month, day, hours, minutes, seconds));
  // The 30th of February is another day.
  return date.getUTCDate() === day ? date.getTime() : null;
}
