import { Cron } from "croner"; // cron expressions: no dependencies, well maintained, runs in workerd

/** The times of a cron expression, in UTC like Cloudflare's own cron triggers. */

/**
 * Milliseconds since the epoch of the first occurrence after `after`. Throws RangeError for an expression that has
 * none.
 */
export function nextOccurrence(expression: string, after: number): number {
  const next = new Cron(expression, { timezone: "UTC", mode: "5-part" }).nextRun(new Date(after));
  if (next === null) throw new RangeError(`"${expression}" never occurs`);
  return next.getTime();
}

/** The mistake in an expression, for people; null for a valid one. */
export function cronProblem(expression: string, now: number): string | null {
  try {
    nextOccurrence(expression, now);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
