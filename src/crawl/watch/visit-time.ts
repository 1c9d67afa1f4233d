import { DAY_MS } from "../../core/clock.ts";
import type { ChangeCount } from "../../revisit/change-rate.ts";
import { dueAt, type RevisitPolicy } from "../../revisit/due-time.ts";
import { priorOf, type SiteKnowledge } from "../../revisit/site-prior.ts";
import { everyMsOf } from "./visit-rates.ts";
import type { Visit, Watch } from "./watch.ts";

/** When a page of a watch is due for its next visit. */

/** A page that may be visited again. Times are milliseconds since the epoch. */
export interface VisitedRow extends ChangeCount {
  /** Its number in the order of discovery. First visits are spread by it. */
  seq: number;
  /** The number of its settled visits. */
  visits: number;
  /** When it is due; null if that follows from its rate of change. */
  visitAt: number | null;
  /** The last visit, or the first fetch. */
  lastAt: number;
}

/** Clocks of two machines differ by less. */
export const SKEW_MS = 60_000;

/** The policy of a page, by its URL. `scale`: the factor of all intervals, which keeps the budget. */
export function policyOf(watch: Watch, knowledge: SiteKnowledge, scale: number): (url: string) => RevisitPolicy {
  const prior = priorOf(knowledge, (watch.everyS * 1000) / DAY_MS);
  const every = everyMsOf(watch);
  return (url) => ({ everyMs: every(url), isFixed: watch.fixed, scale, prior });
}

/** Whether somebody asked for a visit of all pages since the last visit of this one. */
export function isAskedFor({ lastAt }: Pick<VisitedRow, "lastAt">, askedAt: number | null): boolean {
  return askedAt !== null && lastAt < askedAt;
}

/**
 * When a page is due, in milliseconds since the epoch. A time that a clock set that was ahead, and was set back since,
 * does not count. `askedAt`: when somebody asked for a visit of all pages, null if nobody did.
 */
export function visitDueAt(page: VisitedRow, policy: RevisitPolicy, askedAt: number | null, now: number): number {
  const usual = usualDueAt(page, policy, now);
  return askedAt !== null && isAskedFor(page, askedAt) ? Math.min(usual, askedAt) : usual;
}

function usualDueAt(
  { seq, visits, visitAt, lastAt, changes, days }: VisitedRow,
  policy: RevisitPolicy,
  now: number,
): number {
  if (visitAt !== null && lastAt <= now + SKEW_MS) return visitAt;
  const page = { seq, changes, days, visitedMs: lastAt, isRevisited: visits > 0, isSignalled: false, trust: null };
  return dueAt(page, policy, now);
}

/**
 * The number of visits since the stored version was found, this one included: as many as there would be if all
 * intervals were as long as the last one. At least 1.
 */
export function visitsSince({ storedAt, lastAt }: Pick<Visit, "storedAt" | "lastAt">, now: number): number {
  if (storedAt === null || now <= lastAt) return 1;
  return Math.max(1, Math.round((now - storedAt) / (now - lastAt)));
}
