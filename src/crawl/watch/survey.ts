import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../core/clock.ts";
import type { ChangeKind } from "./watch.ts";

/**
 * A survey of a watch: how long ago its pages were visited, and when they are due. It is made from all rows in parts,
 * and holds numbers and a few URLs. Times are milliseconds since the epoch.
 */

export interface Survey {
  /** When it began. */
  at: number;
  /** The mean time between two visits of a page, as it was then. */
  everyMs: number;
  /** Pages that are visited. */
  pages: number;
  /** Visits that they are to have in the mean interval: with an interval for all pages, one each. */
  demand?: number;
  /** Pages by the age of their last visit, in eighths of the mean interval; the last number is of all older ones. */
  ages: number[];
  /** The oldest and the newest of the last visits; null without a page. */
  oldestAt: number | null;
  newestAt: number | null;
  /** Pages that are due already. */
  dueNow: number;
  /** Where the first step begins, and the length of a step. */
  dueFrom: number;
  stepMs: number;
  /** Pages by the step in which they fall due, without those that are due already. */
  due: number[];
  /** Pages that are due after the last step. */
  dueLater: number;
  /** The pages that are due first, in the order of their times. */
  first: DuePage[];
}

export interface PlannedVisit {
  at: number;
  /** Why then, in words. */
  why: string;
}

export interface WatchVisits {
  /** The newest survey; null before the first one is complete. */
  survey: Survey | null;
  /** Some of the pages that are visited next, the first one first. */
  next: (PlannedVisit & { url: string })[];
  /** The newest changes by kind. */
  kinds: Partial<Record<ChangeKind, number>>;
}

export interface DuePage {
  url: string;
  at: number;
}

interface SurveyedPage {
  url: string;
  /** The last visit; 0 if it is not known. */
  lastAt: number;
  dueAt: number;
  /** Its mean interval; absent for that of the watch. */
  everyMs?: number;
}

/** The newest changes that are counted by kind. */
export const MOST_COUNTED = 10_000;
const AGES_PER_INTERVAL = 8;
const AGES = 4 * AGES_PER_INTERVAL + 1;
const STEPS = 12;
/** The steps reach so many mean intervals. */
const REACH = 1.5;
/** Lengths that a person reads easily. */
const STEPS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 7, 14, 30].map((days) => days * DAY_MS),
];
const MOST_FIRST = 10;

export function openSurvey(everyMs: number, at: number): Survey {
  const wanted = (REACH * everyMs) / STEPS;
  const stepMs = STEPS_MS.find((step) => step >= wanted) ?? Math.ceil(wanted / DAY_MS) * DAY_MS;
  const numbers = { pages: 0, dueNow: 0, dueLater: 0, oldestAt: null, newestAt: null };
  const due = { dueFrom: Math.floor(at / stepMs) * stepMs, stepMs, due: new Array<number>(STEPS).fill(0), first: [] };
  return { at, everyMs, ages: new Array<number>(AGES).fill(0), ...numbers, ...due };
}

/** The survey with further pages, as they are at `now`. */
export function surveyPages(survey: Survey, pages: readonly SurveyedPage[], now: number): Survey {
  const { everyMs, dueFrom, stepMs } = survey;
  const ages = [...survey.ages];
  const due = [...survey.due];
  let { dueNow, dueLater, oldestAt, newestAt, demand = survey.pages } = survey;
  for (const { lastAt, dueAt, everyMs: own = everyMs } of pages) {
    demand += everyMs / own;
    add(ages, Math.min(AGES - 1, Math.floor((Math.max(0, now - lastAt) / everyMs) * AGES_PER_INTERVAL)));
    if (lastAt > 0) {
      oldestAt = Math.min(oldestAt ?? lastAt, lastAt);
      newestAt = Math.max(newestAt ?? lastAt, lastAt);
    }
    const step = Math.max(0, Math.floor((dueAt - dueFrom) / stepMs));
    if (dueAt <= now) dueNow += 1;
    else if (step < STEPS) add(due, step);
    else dueLater += 1;
  }
  const first = [...survey.first, ...pages.map(({ url, dueAt }) => ({ url, at: dueAt }))];
  first.sort((a, b) => a.at - b.at);
  const counted = { pages: survey.pages + pages.length, demand, ages, oldestAt, newestAt, dueNow, due, dueLater };
  return { ...survey, ...counted, first: first.slice(0, MOST_FIRST) };
}

/** Pages whose last visit was less than a mean interval ago. */
export function pagesWithinMean({ ages }: Survey): number {
  return ages.slice(0, AGES_PER_INTERVAL).reduce((sum, n) => sum + n, 0);
}

/**
 * The median age of the last visits, in milliseconds, to about an eighth of the mean interval; four mean intervals
 * stand for all that are older. Null without a page.
 */
export function medianAgeMs({ ages, pages, everyMs }: Survey): number | null {
  if (pages === 0) return null;
  let before = 0;
  for (const [i, n] of ages.entries()) {
    if (before + n >= pages / 2) {
      const within = i === AGES - 1 ? 0 : (pages / 2 - before) / n;
      return ((i + within) / AGES_PER_INTERVAL) * everyMs;
    }
    before += n;
  }
  return null;
}

function add(counts: number[], place: number): void {
  counts[place] = (counts[place] ?? 0) + 1;
}
