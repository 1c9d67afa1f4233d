/**
 * Replays the history of a site under a rule of revisits: a visit tells only whether the page has changed. No pipeline
 * takes part: no host is slow, no visit fails, and each change is seen.
 */
import type { SiteHistory } from "./history.ts";
import { randomFrom } from "./random.ts";
import type { RevisitRule } from "./rules.ts";

/** What the sitemap's lastmod says: nothing, the truth, each time the present, or any page at random. */
export type Lastmod = "none" | "honest" | "always now" | "at random";

export interface Run {
  everyDays: number;
  lastmod: Lastmod;
  seed: number;
}

export interface Freshness {
  /** Mean days from a change to the visit that finds it. */
  delayDays: number;
  /** The share of changes that no visit saw by themselves, because another came before it, or the page went away. */
  missedShare: number;
  visits: number;
  /** Visits by the number that the budget gives. */
  budgetShare: number;
  /** The longest time between two visits of a page, in mean intervals. */
  longestIntervals: number;
}

/** The rule looks at each page so often in a mean interval, as the heartbeat does. */
const LOOKS = 100;
/** The sitemap is read so often in a mean interval. */
const SITEMAP_READS = 8;
/** A sitemap that lies at random moves so much of its pages in a mean interval. */
const RANDOM_SHARE = 1 / 2;
/** Changes of the last intervals do not count for the delay, because a visit may find them after the history's end. */
export const LAST_INTERVALS = 8;

interface SimulatedPage {
  changeDays: Float64Array;
  goneDay: number;
  /** The changes up to the last visit. */
  seen: number;
  visitedDay: number;
  isSignalled: boolean;
  lookAgainDay: number;
}

export function simulate(history: SiteHistory, rule: RevisitRule, { everyDays, lastmod, seed }: Run): Freshness {
  const random = randomFrom(seed);
  // Another moment of the first crawl with each seed: changes of a whole site at once meet another phase.
  const startDay = random() * everyDays;
  const countedDay = history.days - LAST_INTERVALS * everyDays;
  const coming = history.pages.toSorted((a, b) => b.bornDay - a.bornDay);
  let pages: (SimulatedPage & { id: number })[] = [];
  const found = { changes: 0, delayDays: 0, missed: 0, visits: 0, pageDays: 0, longest: 0 };
  let ids = 0;
  let nextRead = startDay;
  let nextScan = 0;
  const lookDays = everyDays / LOOKS;

  for (let day = startDay; day <= history.days; day += lookDays) {
    for (let next = coming.at(-1); next !== undefined && next.bornDay <= day; next = coming.at(-1)) {
      coming.pop();
      if (next.goneDay <= day) continue;
      const seen = countUntil(next.changeDays, 0, day);
      rule.add(ids, day);
      const { changeDays, goneDay } = next;
      pages.push({ id: ids, changeDays, goneDay, seen, visitedDay: day, isSignalled: false, lookAgainDay: day });
      ids += 1;
    }
    const gone = pages.filter((page) => page.goneDay <= day);
    if (gone.length > 0) {
      for (const page of gone) {
        found.missed += page.changeDays.length - page.seen;
        rule.remove(page.id);
      }
      pages = pages.filter((page) => page.goneDay > day);
    }
    if (lastmod !== "none" && day >= nextRead) {
      nextRead += everyDays / SITEMAP_READS;
      for (const page of pages) {
        const isMoved =
          lastmod === "always now" ||
          (lastmod === "honest"
            ? (page.changeDays[page.seen] ?? Number.POSITIVE_INFINITY) <= day
            : random() < RANDOM_SHARE / SITEMAP_READS);
        if (isMoved && !page.isSignalled) Object.assign(page, { isSignalled: true, lookAgainDay: day });
      }
    }
    rule.step(day, pages.length);
    found.pageDays += pages.length * lookDays;
    // Each look begins after the last visit, so visits that are held back take turns.
    const first = pages.length === 0 ? 0 : nextScan % pages.length;
    for (let k = 0; k < pages.length; k++) {
      const index = (first + k) % pages.length;
      const page = pages[index];
      if (page === undefined || page.lookAgainDay > day) continue;
      const { id, visitedDay, isSignalled } = page;
      const dueDay = rule.dueDay(id, isSignalled, day);
      if (dueDay > day) {
        // The scale moves slowly, so a page that is due in a while need not be looked at before half of it.
        page.lookAgainDay = day + (dueDay - day) / 2;
        continue;
      }
      if (!rule.begin(isSignalled, pages.length)) continue;
      const seen = countUntil(page.changeDays, page.seen, day);
      for (const at of page.changeDays.subarray(page.seen, seen)) {
        if (at > countedDay) continue;
        found.changes += 1;
        found.delayDays += day - at;
      }
      found.missed += Math.max(seen - page.seen - 1, 0);
      found.visits += 1;
      found.longest = Math.max(found.longest, day - visitedDay);
      rule.settle(id, { day, days: day - visitedDay, changed: seen > page.seen, isSignalled });
      Object.assign(page, { seen, visitedDay: day, isSignalled: false, lookAgainDay: day });
      nextScan = index + 1;
    }
  }
  for (const page of pages) found.longest = Math.max(found.longest, history.days - page.visitedDay);
  const all = history.pages.reduce((sum, page) => sum + page.changeDays.length, 0);
  return {
    delayDays: found.delayDays / Math.max(found.changes, 1),
    missedShare: found.missed / Math.max(all, 1),
    visits: found.visits,
    budgetShare: found.visits / (found.pageDays / everyDays),
    longestIntervals: found.longest / everyDays,
  };
}

/** The number of changes until a day, from a number that is known to be before it. */
function countUntil(changeDays: Float64Array, from: number, day: number): number {
  let count = from;
  while (count < changeDays.length && (changeDays[count] ?? 0) <= day) count += 1;
  return count;
}
