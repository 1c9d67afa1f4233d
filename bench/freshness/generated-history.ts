/** Histories without a real site: pages that change at random, each at a rate of its own. */
import type { PageHistory, SiteHistory } from "./history.ts";
import { randomFrom } from "./random.ts";

export interface GeneratedSite {
  pages: number;
  days: number;
  /** The median time between two changes of a page. */
  medianDays: number;
  /** The standard deviation of its logarithm over pages: 0 for pages that change alike. */
  sigma: number;
  seed: number;
}

/** A site whose pages change as Poisson processes, with rates that have a log-normal distribution. */
export function generateHistory(name: string, { pages, days, medianDays, sigma, seed }: GeneratedSite): SiteHistory {
  const random = randomFrom(seed);
  return {
    name,
    days,
    pages: Array.from({ length: pages }, (_, i): PageHistory => {
      const meanDays = medianDays * Math.exp(sigma * normalFrom(random));
      const changeDays: number[] = [];
      for (let day = 0; ; ) {
        day -= meanDays * Math.log(1 - random());
        if (day > days) break;
        changeDays.push(day);
      }
      return {
        name: `/${i}`,
        bornDay: 0,
        goneDay: Number.POSITIVE_INFINITY,
        changeDays: Float64Array.from(changeDays),
      };
    }),
  };
}

/** A number of the standard normal distribution (Box and Muller). */
function normalFrom(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
