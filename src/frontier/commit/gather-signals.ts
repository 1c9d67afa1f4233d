import { END_OF_DAY_MS } from "../../crawl/watch/modified-since.ts";
import { type Signal, signalRoom } from "../../crawl/watch/signal.ts";
import { isUntested, NO_SIGNALS as NOTHING_TESTED, trustOf } from "../../revisit/signal-trust.ts";
import type { MovedPage } from "../../store/watches/signals.ts";
import { hostKey } from "../../url/host-key.ts";
import type { CrawlContext } from "../context.ts";
import type { Deps } from "../deps.ts";

/** Decides which pages of a watch are due because a sitemap or a feed that was read again has a later date for them. */

/** A later date is a mistake. A day allows for time zones. */
const FUTURE_MS = 86_400_000;
/** Signals of a host that is not trusted: so many are taken at a reading, to test them. */
const TRIAL_SIGNALS = 10;

interface Dated {
  url: string;
  lastmod: number;
}

export interface GatheredSignals {
  signals: Signal[];
  /** First dates of pages, which are no signals. */
  dated: Dated[];
  /** Whether signals are left for the next reading, which must then be unconditional. */
  isCut: boolean;
}

const NO_SIGNALS: GatheredSignals = { signals: [], dated: [], isCut: false };

/** `listed`: the dates that were read. A watch that visits all pages alike takes none of them. */
export async function gatherSignals(
  { crawl: { id, options } }: CrawlContext,
  listed: readonly Dated[],
  deps: Pick<Deps, "clock" | "signals">,
): Promise<GatheredSignals> {
  if (listed.length === 0 || options.watch === null || options.watch.fixed) return NO_SIGNALS;
  const now = deps.clock.now();
  const { first = [], later = [] } = Object.groupBy(
    await deps.signals.moved(id, latestOf(listed, now + FUTURE_MS)),
    (page) => (isFirstDate(page) ? "first" : "later"),
  );
  const dated = first.map(({ url, lastmod }) => ({ url, lastmod }));
  const budget = later.length === 0 ? null : await deps.signals.budget(id);
  if (budget === null) return { ...NO_SIGNALS, dated };
  const byHost = [...Map.groupBy(later, ({ url }) => hostKey(url))];
  const counts = await deps.signals.counts(
    id,
    byHost.map(([host]) => host),
  );
  let room = signalRoom(budget, now);
  let isCut = false;
  const signals = byHost.flatMap(([host, pages]) => {
    const count = counts.get(host) ?? NOTHING_TESTED;
    const isTrial = isUntested(count);
    const isTrusted = !isTrial && trustOf(count).precision > 0;
    const isDue = isTrial || isTrusted;
    // The newest first: they are the most likely ones.
    const sorted = pages.toSorted((a, b) => b.lastmod - a.lastmod);
    // The budget of visits bounds what a trusted host may bring (revisit/visit-budget.ts).
    const taken = isTrusted ? sorted : sorted.slice(0, isTrial ? Math.min(TRIAL_SIGNALS, room) : TRIAL_SIGNALS);
    if (isTrial) {
      room -= taken.length;
      isCut ||= taken.length < pages.length;
    }
    return taken.map(({ url, lastmod }) => ({ url, lastmod, isDue }));
  });
  return { signals, dated, isCut };
}

/** The latest date of each URL. Two sitemaps, or a sitemap and a feed, may have different ones. */
function latestOf(listed: readonly Dated[], most: number): Dated[] {
  const latest = new Map<string, number>();
  for (const { url, lastmod } of listed)
    if (lastmod <= most && lastmod > (latest.get(url) ?? 0)) latest.set(url, lastmod);
  return [...latest].map(([url, lastmod]) => ({ url, lastmod }));
}

/** The first date of a page is a signal only if it is after the last visit. A date may mean the whole day. */
function isFirstDate({ isFirst, lastmod, lastAt }: MovedPage): boolean {
  return isFirst && lastmod + END_OF_DAY_MS <= lastAt;
}
