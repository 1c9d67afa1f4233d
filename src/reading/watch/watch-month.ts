import { heldByHost } from "../../changes/held-back.ts";
import { DAY_MS } from "../../core/clock.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { MONTH_DAYS, type WatchMonth } from "../../crawl/watch/watch-month.ts";
import type { MonthDeps } from "../needs.ts";

/** Says what a watch noticed in the last thirty days, what was in trouble, and what it held back. */

const MOST_PAGES = 20;
const MOST_TROUBLES = 20;
const MOST_HELD = 50;
/** Hosts whose tables are read, of up to 100 kB each. */
const MOST_HOSTS = 20;

/** Costs the same for a million pages as for ten. */
export async function readWatchMonth(
  crawl: Crawl,
  { months, pageTroubles, clock }: MonthDeps,
  most = MOST_HELD,
): Promise<WatchMonth> {
  const to = clock.now();
  const from = Math.floor(to / DAY_MS) * DAY_MS - (MONTH_DAYS - 1) * DAY_MS;
  const [days, changed, hosts, troubledPages, tables] = await Promise.all([
    months.days(crawl, from),
    months.pages(crawl, from, MOST_PAGES),
    months.troubles(crawl.id, from, to, MOST_TROUBLES),
    pageTroubles.list(crawl.id, MOST_TROUBLES),
    months.evidence(crawl.id, MOST_HOSTS + 1),
  ]);
  const times = { since: from, now: to, everyMs: (crawl.options.watch?.everyS ?? 0) * 1_000 };
  const held = heldByHost(tables.slice(0, MOST_HOSTS), times)
    .toSorted((a, b) => b.at - a.at)
    .slice(0, most);
  return { from, to, days, ...changed, hosts, troubledPages, held, isHeldCut: tables.length > MOST_HOSTS };
}
