import { pageDate } from "../html/facts/page-date.ts";

/** ISO 32000-2, 7.9.4: `D:20240305142233+01'00'`. Everything after the year may be missing. */
const DATE = /^\s*(?:D:)?(\d{4})(\d{2})?(\d{2})?(?:(\d{2})(\d{2})?(\d{2})?)?\s*(Z|[+-]\d{2}'?(?:\d{2})?)?/;

/** Turns a date of a PDF into ISO 8601, with the time zone that it names. Null for no date. */
export function pdfDate(written: string): string | null {
  const [, year, month = "01", day = "01", hour, minute = "00", second = "00", zone = ""] = DATE.exec(written) ?? [];
  if (year === undefined) return null;
  const date = `${year}-${month}-${day}`;
  if (hour === undefined) return pageDate(date);
  return pageDate(`${date}T${hour}:${minute}:${second}${zone.replace("'", "")}`, null, "own");
}
