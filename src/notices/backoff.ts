import { HOUR_MS, MINUTE_MS } from "../core/clock.ts";

/** When a notice is sent again. */

const LAST_MS = 20 * HOUR_MS;
/**
 * Milliseconds from one attempt to the next: the schedule of the specification, with a shorter last delay, so that ten
 * attempts lie within three days. More of them, after lost answers, are as far apart as the last ones.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#deliverability-and-reliability
 */
const DELAYS_MS = [
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  LAST_MS,
  LAST_MS,
];
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
