/** The rules of revisits that are compared: the policy of src/revisit/, and two to beat at the same budget. */
import { afterVisit, type Visit } from "../../src/revisit/change-rate.ts";
import { dueAt, type RevisitPolicy, type VisitedPage } from "../../src/revisit/due-time.ts";
import { countSignal, NO_SIGNALS, trustOf } from "../../src/revisit/signal-trust.ts";
import { learnFrom, NOTHING_KNOWN, priorOf } from "../../src/revisit/site-prior.ts";
import { openBudget, stepBudget, visitsAllowed } from "../../src/revisit/visit-budget.ts";
import { addKnowledge, addSignals, boundKnowledge, NO_CHANGES } from "./totals.ts";

/** Pages are numbered from 0. Times are days since the history began. */
export interface RevisitRule {
  /** A page was visited for the first time. */
  add(page: number, day: number): void;
  /** The page went away. */
  remove(page: number): void;
  /** Called at each look at the pages, before them. */
  step(day: number, pages: number): void;
  dueDay(page: number, isSignalled: boolean, day: number): number;
  /** Begins the visit of a page that is due, or answers false if the budget has no place for it. */
  begin(isSignalled: boolean, pages: number): boolean;
  settle(page: number, visit: { day: number; days: number; changed: boolean; isSignalled: boolean }): void;
}

const DAY_MS = 86_400_000;
/** Spreads the first revisits of the rules to beat evenly over an interval. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** The policy of src/revisit/, for a watch of one host. */
export function learnedRule(everyDays: number, { isFixed = false, hasSignals = false } = {}): RevisitRule {
  const everyMs = everyDays * DAY_MS;
  const pages = new Map<number, VisitedPage>();
  let known = NOTHING_KNOWN;
  let signals = NO_SIGNALS;
  let trust = trustOf(signals);
  let budget = openBudget(0);
  let begun = { ordinary: 0, signalled: 0 };
  let policy: RevisitPolicy = { everyMs, isFixed, scale: 1, prior: priorOf(known, everyDays) };
  const pageOf = (id: number): VisitedPage => {
    const page = pages.get(id);
    if (page === undefined) throw new Error(`page ${id} was never added`);
    return page;
  };
  return {
    add: (id, day) => {
      const row = { seq: id, visitedMs: day * DAY_MS, isRevisited: false, isSignalled: false, trust: null };
      pages.set(id, { ...NO_CHANGES, ...row });
    },
    remove: (id) => pages.delete(id),
    step: (day, count) => {
      budget = stepBudget(budget, { nowMs: day * DAY_MS, everyMs, pages: count, begun, isFixed });
      begun = { ordinary: 0, signalled: 0 };
      known = boundKnowledge(known, count, everyDays);
      policy = { everyMs, isFixed, scale: budget.scale, prior: priorOf(known, everyDays) };
      trust = trustOf(signals);
    },
    dueDay: (id, isSignalled, day) =>
      dueAt({ ...pageOf(id), isSignalled, trust: hasSignals ? trust : null }, policy, day * DAY_MS) / DAY_MS,
    begin: (isSignalled, count) => {
      const allowed = visitsAllowed(budget, count, trust.precision);
      if (isSignalled && begun.signalled < allowed.signalled) begun.signalled += 1;
      else if (begun.ordinary < allowed.ordinary) begun.ordinary += 1;
      else return false;
      return true;
    },
    settle: (id, { day, days, changed, isSignalled }) => {
      const page = pageOf(id);
      const { prior } = policy;
      const visit: Visit = { days, changed, signalPrecision: isSignalled ? trust.precision : null };
      known = addKnowledge(known, learnFrom(page, visit, prior));
      if (hasSignals) signals = addSignals(signals, countSignal({ days, changed, isSignalled }, page, prior));
      pages.set(id, { ...page, ...afterVisit(page, visit, prior), visitedMs: day * DAY_MS, isRevisited: true });
    },
  };
}

/** Every page once in the mean interval. */
export function uniformRule(everyDays: number): RevisitRule {
  const due = new Map<number, number>();
  const dueDay = (id: number) => due.get(id) ?? 0;
  return {
    add: (id, day) => due.set(id, day + ((id * GOLDEN) % 1) * everyDays),
    remove: (id) => due.delete(id),
    step: () => undefined,
    dueDay,
    begin: () => true,
    // From the due time on, not from the look that found it: intervals would grow by the time between two looks.
    settle: (id) => due.set(id, dueDay(id) + everyDays),
  };
}

const MULTIPLY_LIMIT = 32;
const MOST_INTERVALS = 7;

/**
 * The rule of Nutch's AdaptiveFetchSchedule with its defaults: an interval grows by 0.4 when the page has not changed,
 * and shrinks by 0.2 when it has. All intervals are scaled by the factor that meets the budget with today's intervals,
 * and by what visits so far were above or below it.
 */
export function multiplyRule(everyDays: number): RevisitRule {
  const pages = new Map<number, { dueDay: number; factor: number }>();
  let scale = 1;
  let credit = 0;
  let steppedDay = 0;
  return {
    add: (id, day) => pages.set(id, { dueDay: day + ((id * GOLDEN) % 1) * everyDays, factor: 1 }),
    remove: (id) => pages.delete(id),
    step: (day, count) => {
      credit += (count * (day - steppedDay)) / everyDays;
      steppedDay = day;
      let perInterval = 0;
      for (const { factor } of pages.values()) perInterval += 1 / factor;
      scale = (perInterval / Math.max(count, 1)) * Math.exp((-2 * credit) / Math.max(count, 1));
    },
    dueDay: (id) => pages.get(id)?.dueDay ?? 0,
    begin: () => {
      credit -= 1;
      return true;
    },
    settle: (id, { day, changed }) => {
      const wanted = (pages.get(id)?.factor ?? 1) * (changed ? 0.8 : 1.4);
      const factor = Math.min(Math.max(wanted, 1 / MULTIPLY_LIMIT), MULTIPLY_LIMIT);
      pages.set(id, { dueDay: day + everyDays * Math.min(scale * factor, MOST_INTERVALS), factor });
    },
  };
}
