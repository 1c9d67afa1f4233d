import { parseHttpDate } from "../request/http-date.ts";

/** Parses the Retry-After header. */

/** Longer delays are more often a mistake than intended. */
const MAX_RETRY_AFTER_MS = 86_400_000;

/**
 * Returns the delay in milliseconds from `now`, at most a day. The header is a number of seconds or a date (RFC 9110,
 * section 10.2.3). Returns null if it is absent or unreadable.
 */
export function retryAfterMs(value: string | null, now: number): number | null {
  const text = value?.trim() ?? "";
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Math.max(0, parseHttpDate(text) - now);
  return Number.isNaN(ms) ? null : Math.min(ms, MAX_RETRY_AFTER_MS);
}
