/** Dates as HTTP writes them: RFC 9110, section 5.6.7. */

/** Each of the three forms begins with the day; what Date.parse makes of other text is no date of HTTP. */
const HTTP_DATE = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[ ,]/i;

/** Milliseconds since the Unix epoch; NaN for what is no such date. */
export function parseHttpDate(text: string): number {
  if (!HTTP_DATE.test(text)) return Number.NaN;
  // Only asctime's form names no zone; it is UTC all the same.
  return Date.parse(/gmt|utc|[+-]\d{4}$/i.test(text) ? text : `${text} GMT`);
}

/** The form that is to be sent. */
export function toHttpDate(ms: number): string {
  return new Date(ms).toUTCString();
}
