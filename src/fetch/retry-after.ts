/** Retry-After, as servers write it. */

/** Whoever asks for more is asked again after a day: it is more often a slip than a wish. */
const MAX_RETRY_AFTER_MS = 86_400_000;
/** Each of the three forms of RFC 9110, section 5.6.7, begins with the day; what Date.parse makes of other text is no date of HTTP. */
const HTTP_DATE = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[ ,]/i;

/**
 * What Retry-After asks for, in milliseconds from `now`, a day at the most: a number of seconds, or a date (RFC 9110, section 10.2.3).
 * Null when it is absent or unreadable.
 */
export function retryAfterMs(value: string | null, now: number): number | null {
  const text = value?.trim() ?? "";
  // Only asctime's form names no zone; it is UTC all the same.
  const date = HTTP_DATE.test(text) ? Date.parse(/gmt|utc|[+-]\d{4}$/i.test(text) ? text : `${text} GMT`) : Number.NaN;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Math.max(0, date - now);
  return Number.isNaN(ms) ? null : Math.min(ms, MAX_RETRY_AFTER_MS);
}
