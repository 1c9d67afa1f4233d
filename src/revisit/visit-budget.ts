/**
 * Keeps the visits of a watch within its budget: on average, each page is visited once in the mean interval.
 *
 * The watch has a credit of visits. Time adds to it, each visit takes one. The controller is a PI one with bounds
 * (Åström and Hägglund, "Advanced PID Control", 2006, chapter 3): `scale`, the factor of all intervals, answers to the
 * credit at once, and what lasts moves `base`, which is the scale without credit or debt. The answer at once matters
 * because no interval grows beyond a bound (due-time.ts): a debt that the scale pays back slowly drives it far beyond
 * what has an effect, and then takes as long to leave.
 *
 * A token bucket spreads what falls due at once (after a crawl, a month of sleep, a clock that jumped): it fills little
 * faster than the budget and holds little. Signalled pages need no token, because a change of the whole site is worth a
 * burst. Their visits may make a debt instead, as far as the signals are trusted.
 */

export interface VisitBudget {
  /** The factor of all intervals, 1/64 to 64. */
  scale: number;
  /** The same without credit or debt; absent in budgets of earlier versions, where it is `scale`. */
  base?: number;
  /** Visits, from minus to plus one for each page; below zero, visits that were made ahead of the budget. */
  credit: number;
  /** Visits of pages without a signal that may begin now; below 1, none. */
  tokens: number;
  /** Visits beside the budget that may ask again; absent in budgets of earlier versions. */
  spare?: number;
  /** The time of the last step, in milliseconds since the epoch. */
  atMs: number;
}

/** Numbers of visits: of pages without a trusted signal, and of signalled ones. */
export interface VisitCounts {
  ordinary: number;
  signalled: number;
  /** Those of the ordinary ones that ask again for what the visit before has not decided. Absent: none. */
  repeated?: number;
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

/** For each visit of credit a page, the logarithm of the scale is lower by so much. */
const ANSWER = 1;
/** In a mean interval, the logarithm of the base moves by so much times the credit a page, within the band. */
const GAIN = 0.5;
/** In visits a page: credit and debt beyond it move the base no faster, and the bucket holds so many tokens. */
const BAND = 1 / 8;
/** In visits a page: the most that is saved, and the debt that signalled pages may make. */
const RESERVE = 1;
/**
 * Tokens for each visit of the budget, of which some may be beside it. Above 1, or a scale that is too low would never
 * show as a debt. What a month of sleep left behind is visited in 0.8 to 1 mean intervals.
 */
const REFILL = 1.25;
/** Visits for each one of the budget that may ask again beside it: such a page costs the others nothing. */
const SPARE = 1 / 4;
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
export function stepBudget(before: VisitBudget, step: BudgetStep): VisitBudget {
  const { scale, base = scale, credit, tokens, spare = 0, atMs } = before;
  const { nowMs, everyMs, pages, begun, isFixed, beatMs = 0 } = step;
  const beat = clamp(beatMs / everyMs, 0, 1);
  const elapsed = clamp((nowMs - atMs) / everyMs, 0, clamp(LATE * beat, LONGEST_STEP, 1));
  const reserve = Math.max(RESERVE * pages, 1);
  const band = Math.max(BAND * pages, 1);
  const room = clamp(spare + SPARE * pages * elapsed, 0, SPARE * pages);
  const free = Math.min(begun.repeated ?? 0, room);
  const left = clamp(credit + pages * elapsed - begun.ordinary - begun.signalled + free, -reserve, reserve);
  const moved = boundScale(isFixed ? base : base * Math.exp(-GAIN * BAND * clamp(left / band, -1, 1) * elapsed));
  return {
    scale: isFixed ? moved : boundScale(moved * Math.exp((-ANSWER * left) / Math.max(pages, 1))),
    base: moved,
    credit: left,
    tokens: clamp(tokens + REFILL * pages * elapsed - begun.ordinary, -band, Math.max(band, 1 + REFILL * pages * beat)),
    spare: room - free,
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

function boundScale(scale: number): number {
  return clamp(scale, 1 / MAX_SCALE, MAX_SCALE);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
