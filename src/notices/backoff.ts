/** When a notice is sent again. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const LAST_MS = 20 * HOUR;
/**
 * Milliseconds from one attempt to the next: the schedule of the specification, with a shorter last delay, so that ten
 * attempts lie within three days. More of them, after lost answers, are as far apart as the last ones.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#deliverability-and-reliability
 */
const DELAYS_MS = [5_000, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, LAST_MS, LAST_MS];
/** Jitter: the largest part by which a delay is shortened. */
const JITTER = 0.1;

interface FailedAttempt {
  /** Attempts so far. */
  attempts: number;
  /** No attempt begins later. */
  giveUpAt: number;
  /** Retry-After, at most a day. */
  retryAfterMs: number | null;
}

/** The time of the next attempt after one that failed; null if there is none. `random`: at least 0 and less than 1. */
export function nextAttemptAt(
  { attempts, giveUpAt, retryAfterMs }: FailedAttempt,
  now: number,
  random: number,
): number | null {
  const delayMs = DELAYS_MS[attempts - 1] ?? LAST_MS;
  const at = now + Math.max(Math.round(delayMs * (1 - JITTER * random)), retryAfterMs ?? 0);
  return at > giveUpAt ? null : at;
}
