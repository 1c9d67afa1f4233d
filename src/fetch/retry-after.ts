import { parseHttpDate } from "./http-date.ts";

/** Retry-After, as servers write it. */

/** Whoever asks for more is asked again after a day: it is more often a slip than a wish. */
const MAX_RETRY_AFTER_MS = 86_400_000;

/**
 * What Retry-After asks for, in milliseconds from `now`, a day at the most: a number of seconds, or a date (RFC 9110, section 10.2.3).
 * Null when it is absent or unreadable.
 */
export function retryAfterMs(value: string | null, now: number): number | null {
  const text = value?.trim() ?? "";
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Math.max(0, parseHttpDate(text) - now);
  return Number.isNaN(ms) ? null : Math.min(ms, MAX_RETRY_AFTER_MS);
}
