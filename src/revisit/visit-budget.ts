/**
 * Keeps the visits of a watch within its budget: on average, each page is visited once in the mean interval.
 *
 * The watch has a credit of visits. Time adds to it, each visit takes one. The controller moves `scale`, the factor of
 * all intervals, down while there is credit and up while there is debt.
 *
 * A token bucket spreads what falls due at once (after a crawl, a month of sleep, a clock that jumped): it fills little
 * faster than the budget and holds little. Signalled pages need no token, because a change of the whole site is worth a
 * burst. Their visits may make a debt instead, as far as the signals are trusted.
 */

export interface VisitBudget {
  /** The factor of all intervals, 1/64 to 64. */
  scale: number;
  /** Visits, from minus to plus one for each page; below zero, visits that were made ahead of the budget. */
  credit: number;
  /** Visits of pages without a signal that may begin now; below 1, none. */
  tokens: number;
  /** The time of the last step, in milliseconds since the epoch. */
  atMs: number;
}

/** Numbers of visits: of pages without a trusted signal, and of signalled ones. */
export interface VisitCounts {
  ordinary: number;
  signalled: number;
}

interface BudgetStep {
  nowMs: number;
  /** The mean interval, in milliseconds, above 0. */
  everyMs: number;
  /** Pages that are visited again. */
  pages: number;
  /** Visits that were begun since the last step. */
  begun: VisitCounts;
  /** Visit all pages alike: the scale stays. */
  isFixed: boolean;
  /** The usual time between two steps, in milliseconds. By default it is a small share of the interval. */
  beatMs?: number;
}

/**
 * In a mean interval, the logarithm of the scale moves by GAIN times the credit per page. A scale that falls brings
 * visits forward as well as closer together, which damps: 4 is critical, and less costs less after a burst of signals.
 */
const GAIN = 2;
/** In visits a page: credit and debt beyond it move the scale no faster, and the bucket holds so many tokens. */
const BAND = 1 / 8;
/** In visits a page: the most that is saved, and the debt that signalled pages may make. */
const RESERVE = 1;
/**
 * Tokens for each visit of the budget. Above 1, or a scale that is too low would never show as a debt. What a month of
 * sleep left behind is visited in 0.8 to 1 mean intervals.
 */
const REFILL = 1.25;
/** The share of a mean interval that one step adds at most: who slept longer has not saved a budget. */
const LONGEST_STEP = 1 / 8;
/** A step that comes so many times later than usual is no sleep. */
const LATE = 1.5;
const MAX_SCALE = 64;

export function openBudget(atMs: number): VisitBudget {
  return { scale: 1, credit: 0, tokens: 0, atMs };
}

/**
 * The budget after the time and the visits since its last step. A clock that goes back adds nothing. Steps should be at
 * most an eighth of the mean interval apart, or as far as they usually are; time beyond that is lost.
 */
export function stepBudget({ scale, credit, tokens, atMs }: VisitBudget, step: BudgetStep): VisitBudget {
  const { nowMs, everyMs, pages, begun, isFixed, beatMs = 0 } = step;
  const beat = clamp(beatMs / everyMs, 0, 1);
  const elapsed = clamp((nowMs - atMs) / everyMs, 0, clamp(LATE * beat, LONGEST_STEP, 1));
  const reserve = Math.max(RESERVE * pages, 1);
  const band = Math.max(BAND * pages, 1);
  const left = clamp(credit + pages * elapsed - begun.ordinary - begun.signalled, -reserve, reserve);
  const moved = isFixed ? scale : scale * Math.exp(-GAIN * BAND * clamp(left / band, -1, 1) * elapsed);
  return {
    scale: clamp(moved, 1 / MAX_SCALE, MAX_SCALE),
    credit: left,
    tokens: clamp(tokens + REFILL * pages * elapsed - begun.ordinary, -band, Math.max(band, 1 + REFILL * pages * beat)),
    atMs: nowMs,
  };
}

/**
 * How many visits of due pages may begin before the next step, each 0 or more. `signalPrecision` is the host's
 * (signal-trust.ts). A signalled page that finds no place may take an ordinary one.
 */
export function visitsAllowed({ credit, tokens }: VisitBudget, pages: number, signalPrecision: number): VisitCounts {
  const signalled = clamp(signalPrecision, 0, 1) * (credit + RESERVE * pages);
  return { ordinary: Math.max(Math.floor(tokens), 0), signalled: Math.max(Math.floor(signalled), 0) };
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
