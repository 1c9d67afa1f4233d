import type { Clock } from "../../core/clock.ts";

/** Retries calls of D1 that fail for a moment. D1 itself retries only queries that write nothing. */

/**
 * Parts of the messages of D1's transient errors, from https://developers.cloudflare.com/d1/observability/debug-d1/:
 * those whose recommended action is a retry, and those of a database with too many requests at once. An overloaded
 * database refuses requests before it runs them, so a later try helps it.
 */
const TRANSIENT = [
  "reset because its code was updated",
  "storage caused object to be reset",
  "Network connection lost",
  "Cannot resolve D1 DB due to transient issue",
  "Can't read from request stream because client disconnected",
  "D1 DB is overloaded",
];

const MAX_TRIES = 4;
/** The longest wait before the second try. It doubles, so all waits together take at most 7 s. */
const FIRST_WAIT_MS = 1_000;

export function isTransient(error: unknown): boolean {
  const message = String(error);
  return TRANSIENT.some((part) => message.includes(part));
}

/**
 * Makes up to four tries, with exponential backoff and full jitter between them:
 * https://developers.cloudflare.com/d1/best-practices/retry-queries/. Throws the error of the last try. A failed try
 * may have taken effect, so `work` must be safe to repeat. Returns the number of tries too.
 */
export async function retryTransient<T>(
  work: () => Promise<T>,
  clock: Pick<Clock, "sleep">,
): Promise<{ result: T; tries: number }> {
  for (let tries = 1; ; tries++) {
    try {
      return { result: await work(), tries };
    } catch (error) {
      if (tries === MAX_TRIES || !isTransient(error)) throw error;
      await clock.sleep(Math.random() * FIRST_WAIT_MS * 2 ** (tries - 1));
    }
  }
}
