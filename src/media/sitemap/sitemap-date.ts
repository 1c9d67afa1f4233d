/** Parses the dates of sitemaps and feeds. */

const MAX_LENGTH = 64;
const FIRST_MS = Date.UTC(1990);
const END_MS = Date.UTC(2101);

/**
 * W3C-DTF, https://www.w3.org/TR/NOTE-datetime, and its common variants: no zone, a space for the T, a zone without
 * colon.
 */
const W3C =
  /^(\d{4})(?:-(\d\d?)(?:-(\d\d?)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?)?)?)?$/i;
/** RFC 822 5, with the years of RFC 1123 5.2.14: RSS's `pubDate`. The day of the week is not checked. */
const RFC_822 =
  /^(?:[a-z]+,?\s*)?(\d\d?)[\s-]+([a-z]{3})[a-z]*[\s-]+(\d{4}|\d\d)(?:\s+(\d\d?):(\d\d)(?::(\d\d))?\s*([a-z]+|[+-]\d\d:?\d\d)?)?$/i;
export const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const ZONE_HOURS = new Map(
  Object.entries({
    est: -5,
    edt: -4,
    cst: -6,
    cdt: -5,
    mst: -7,
    mdt: -6,
    pst: -8,
    pdt: -7,
    utc: 0,
    gmt: 0,
    ut: 0,
    z: 0,
  }),
);

/**
 * Returns milliseconds since the epoch for a W3C or RFC 822 date. Missing parts are the first moment; a missing zone is
 * UTC. Returns null for anything else, and for years outside 1990 to 2100, in which no page changed.
 */
export function parseLastmod(written: string): number | null {
  const text = written.trim();
  if (text.length > MAX_LENGTH) return null;
  const w3c = W3C.exec(text);
  if (w3c !== null) {
    const [, year, month = "1", day = "1", hour, minute, second, fraction, zone] = w3c;
    return moment(Number(year), Number(month), Number(day), { hour, minute, second, fraction, zone });
  }
  const rfc = RFC_822.exec(text);
  if (rfc === null) return null;
  const [, day, name = "", year = "", hour, minute, second, zone] = rfc;
  const month = MONTHS.indexOf(name.toLowerCase()) + 1;
  return moment(fullYear(year), month, Number(day), { hour, minute, second, zone });
}

/** RFC 2822 4.3. */
function fullYear(year: string): number {
  if (year.length === 4) return Number(year);
  return Number(year) + (Number(year) < 50 ? 2000 : 1900);
}

type TimeParts = Partial<Record<"hour" | "minute" | "second" | "fraction" | "zone", string | undefined>>;

function moment(year: number, month: number, day: number, time: TimeParts): number | null {
  const { hour = "0", minute = "0", second = "0", fraction = "", zone = "" } = time;
  const midnight = Date.UTC(year, month - 1, day);
  // February 31 rolls over into March, month 0 into December.
  const date = new Date(midnight);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  // 60 is a leap second.
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return null;
  const offset = offsetMinutes(zone);
  if (offset === null) return null;
  const ms = Number(fraction.slice(0, 3).padEnd(3, "0"));
  const at = midnight + ((Number(hour) * 60 + Number(minute) - offset) * 60 + Number(second)) * 1000 + ms;
  return at >= FIRST_MS && at < END_MS ? at : null;
}

/** Names of zones that are not in RFC 822 count as UTC: RFC 2822 4.3. */
function offsetMinutes(zone: string): number | null {
  const numeric = /^([+-])(\d\d):?(\d\d)$/.exec(zone);
  if (numeric === null) return (ZONE_HOURS.get(zone.toLowerCase()) ?? 0) * 60;
  const [hours, minutes] = [Number(numeric[2]), Number(numeric[3])];
  if (hours > 23 || minutes > 59) return null;
  return (numeric[1] === "-" ? -1 : 1) * (hours * 60 + minutes);
}
