import { BEAT_MS } from "../core/clock.ts";
import { policyOf, visitDueAt } from "../crawl/watch/visit-time.ts";
import type { DueRow, WatchedCrawl } from "../store/watches/due-visits.ts";
import type { VisitDeps } from "./needs.ts";
import { rowsPerBeat } from "./rows-per-beat.ts";

/**
 * Rows of a watch that a heartbeat reads at least. Of as many of 100,000 pages, some 24 visits are due. A batch has the
 * same price for one as for all that it can settle: 25 or so on Cloudflare, where it may start 32 invocations, and a
 * visit takes one, or two with a second look.
 */
const LEAST_ROWS = 1_900;

/** Where a lap over the rows of a watch is, and how many laps there are in a mean interval. */
interface Lap {
  after: string;
  perInterval: number;
  /** The factor of all intervals. */
  scale: number;
  now: number;
}

/**
 * The next rows of a watch with the time when each is due, as many as a heartbeat reads. When a page is due follows
 * from its row, which has no index for it: so an unchanged visit writes one row, and laps read all rows. A million rows
 * read cost a thousandth of a dollar.
 */
export async function nextDatedRows(
  { id, watch, knowledge, size, askedAt }: WatchedCrawl,
  { after, perInterval, scale, now }: Lap,
  { dueVisits }: Pick<VisitDeps, "dueVisits">,
): Promise<{ pages: (DueRow & { dueAt: number; everyMs: number })[]; last: string | null }> {
  const rows = rowsPerBeat(Math.max(LEAST_ROWS, (size * BEAT_MS * perInterval) / (watch.everyS * 1000)));
  const { pages, last } = await dueVisits.next(id, after, rows);
  const policy = policyOf(watch, knowledge, scale);
  return {
    pages: pages.map((page) => {
      const own = policy(page.url);
      return { ...page, everyMs: own.everyMs, dueAt: visitDueAt(page, own, askedAt, now) };
    }),
    last,
  };
}
