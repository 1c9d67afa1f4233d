/** When the pages of a site changed: what the simulation replays. Times are days since the history began. */
export interface PageHistory {
  name: string;
  /** When the page appeared. */
  bornDay: number;
  /** When it went away; Infinity if it stayed. */
  goneDay: number;
  /** Each later change, oldest first. */
  changeDays: Float64Array;
}

export interface SiteHistory {
  name: string;
  days: number;
  pages: PageHistory[];
}

/**
 * The delay of uniform visits that is left, 0 to 1, if each page's mean rate were known in advance and each page
 * changed as a Poisson process: intervals in proportion to 1 / sqrt(rate).
 */
export function delayWithKnownRates({ days, pages }: SiteHistory): number {
  const sums = { days: 0, roots: 0, changes: 0 };
  for (const { bornDay, goneDay, changeDays } of pages) {
    const pageDays = Math.min(goneDay, days) - bornDay;
    sums.days += pageDays;
    sums.roots += Math.sqrt(changeDays.length * pageDays);
    sums.changes += changeDays.length;
  }
  return sums.roots ** 2 / Math.max(sums.days * sums.changes, 1);
}
