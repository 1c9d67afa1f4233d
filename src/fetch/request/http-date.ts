/** Parses and writes the dates of HTTP: RFC 9110, section 5.6.7. */

/** Each of the three forms begins with the day of the week. Date.parse also accepts text that is no date of HTTP. */
const HTTP_DATE = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[ ,]/i;

/** Returns milliseconds since the Unix epoch, or NaN. */
export function parseHttpDate(text: string): number {
  if (!HTTP_DATE.test(text)) return Number.NaN;
  // Only asctime's form names no zone, and it is UTC too.
  return Date.parse(/gmt|utc|[+-]\d{4}$/i.test(text) ? text : `${text} GMT`);
}

/** Writes the form that senders must use. */
export function toHttpDate(ms: number): string {
  return new Date(ms).toUTCString();
}
