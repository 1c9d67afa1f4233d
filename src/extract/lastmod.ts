/** Dates as sitemaps and feeds write them. */

/** https://www.w3.org/TR/NOTE-datetime, and what is seen of it: a space for the T, a zone without its colon or none at all. */
const W3C =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*(?:([Zz])|([+-])(\d\d):?(\d\d))?)?)?)?$/;
/** RFC 822 5.1, with four digits for the year as RFC 2822 has it; the day of the week is optional. */
const RFC_822 = /^(?:[a-z]{3,9},?\s+)?\d{1,2}[ -][a-z]{3,9}[ -]\d{4}\b/i;
const FIRST_YEAR = 1990;
const LAST_YEAR = 2100;

/** Milliseconds since the Unix epoch; what names no zone is UTC, what names no day its first. Null for what is no date of the web's age. */
export function parseLastmod(written: string): number | null {
  const text = written.trim();
  const time = parseW3c(text) ?? (RFC_822.test(text) ? Date.parse(text) : Number.NaN);
  if (Number.isNaN(time)) return null;
  const year = new Date(time).getUTCFullYear();
  return year >= FIRST_YEAR && year <= LAST_YEAR ? time : null;
}

function parseW3c(text: string): number | null {
  const match = W3C.exec(text);
  if (match === null) return null;
  const [, year, month = 1, day = 1, hour = 0, minute = 0, second = 0, , sign, zoneHour = 0, zoneMinute = 0] = match;
  const zoneMs = (Number(zoneHour) * 60 + Number(zoneMinute)) * 60_000 * (sign === "-" ? -1 : 1);
  const date = new Date(
    Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)),
  );
  // A 31st of February would be some day of March.
  const isReal = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  return isReal ? date.getTime() - zoneMs : Number.NaN;
}
