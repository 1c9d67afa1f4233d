import type { Crawl } from "../../crawl/crawl.ts";
import type { WatchVisits } from "../../crawl/watch/survey.ts";
import { findNextVisit } from "../explain/next-visit.ts";
import type { WatchDeps } from "../needs.ts";

/** Says how fresh a watch is, what it visits next and what it told. */

const MOST_NEXT = 5;

/**
 * Reads a row for each page that may be next, and at most 10,000 changes. So it costs the same for a million pages as
 * for ten.
 */
export async function readWatchVisits(crawl: Crawl, deps: WatchDeps): Promise<WatchVisits> {
  const [{ done }, kinds] = await Promise.all([deps.surveys.read(crawl.id), deps.changes.countKinds(crawl)]);
  const planned = await Promise.all(
    (done?.first ?? []).map(async ({ url }) => {
      const visit = await findNextVisit(crawl, url, deps);
      return visit === null ? [] : [{ url, ...visit }];
    }),
  );
  const next = planned.flat().toSorted((a, b) => a.at - b.at);
  return { survey: done, next: next.slice(0, MOST_NEXT), kinds };
}
