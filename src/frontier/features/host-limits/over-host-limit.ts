import { type Attempt, unfetchedAttempt } from "../../attempt.ts";
import { isNewPage, type PageWork, type Work } from "../../work.ts";

/** The pages that a page limit for hosts concerns, and what becomes of those beyond it. */

/** A visit is no new page. */
export function isLimited(work: Work): work is PageWork {
  return isNewPage(work) && work.context.crawl.options.limitPerHost > 0;
}

/** The attempt of a URL that is not fetched, because its host has given as many pages as the crawl takes. */
export function overHostLimitAttempt(work: PageWork, now: number): Attempt {
  return unfetchedAttempt(work, "host-limit", `${work.context.crawl.options.limitPerHost} pages`, now);
}
