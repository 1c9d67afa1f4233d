import { readingIntervalMs } from "../crawl/watch/signal.ts";
import { dispatch } from "../frontier/batch/message.ts";
import type { Deps } from "../frontier/deps.ts";
import type { ReadingWatch } from "../store/watches/readings.ts";
import type { Deeds } from "./deed.ts";
import { LOST_MS } from "./visits.ts";

/** Sends the sitemaps and feeds of watches that are due to be read again: one of a host at a time. */

/** Hosts of a watch at one heartbeat. */
const MOST_HOSTS = 100;
/** A watch of which nothing is due is looked at so often in the time between two readings. */
const LOOKS = 8;

type ReadingDeps = Pick<Deps, "readings" | "frontier" | "clock">;

/** Returns the number of readings that were sent. */
export async function sendReadings(deps: ReadingDeps, deeds: Deeds): Promise<number> {
  let sent = 0;
  for (const watch of await deps.readings.watches(deps.clock.now())) {
    await deeds.attempt("read", watch.id, async () => {
      sent += await sendOf(watch, deps);
    });
  }
  return sent;
}

async function sendOf({ id, epoch, everyMs, sources, pages }: ReadingWatch, deps: ReadingDeps): Promise<number> {
  const now = deps.clock.now();
  const intervalMs = readingIntervalMs(everyMs, sources, pages);
  const asked = { before: now - intervalMs, sentAfter: now - LOST_MS, most: MOST_HOSTS };
  const due = sources === 0 ? [] : await deps.readings.due(id, asked);
  await dispatch(
    deps,
    due.map(({ url, reading }) => ({ crawl: id, epoch, url, sitemap: true, visit: reading, delayMs: 0 })),
  );
  // While some are due, each heartbeat sends the next one of each host.
  const nextAt = due.length > 0 ? now : now + Math.floor(intervalMs / LOOKS);
  await deps.readings.note(
    id,
    due.map(({ url }) => url),
    now,
    nextAt,
  );
  return due.length;
}
