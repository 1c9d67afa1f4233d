import type { CrawlView, HostView } from "../../api/views.ts";
import { count, minuteOf, plural } from "../../core/shown-values.ts";
import { commandAt, type Place } from "./go-on.ts";

/** Says that a crawl can do nothing for a while: until when, why, how to stop and how to go on. */

/** A shorter wait is not worth a line. */
const LONG_MS = 120_000;

interface LongWait {
  /** The same for waits that need to be said only once. */
  key: string;
  line: string;
}

/** Null unless every queued URL of the crawl waits for longer than two minutes. */
export function describeLongWait(
  { id, counts, options }: Pick<CrawlView, "id" | "counts" | "options">,
  hosts: readonly HostView[],
  now: number,
  place: Place,
): LongWait | null {
  const waiting = hosts.filter(({ queued }) => queued > 0);
  // The installation names the busiest hosts alone.
  if (counts.queued === 0 || waiting.reduce((sum, { queued }) => sum + queued, 0) < counts.queued) return null;
  const soonest = waiting.toSorted((a, b) => timeOf(a) - timeOf(b))[0];
  if (soonest === undefined || timeOf(soonest) - now <= LONG_MS) return null;
  const { host, nextAt, waitingSince, why } = soonest;
  const until = `${minuteOf(nextAt ?? "")} UTC`;
  const who = waiting.length === 1 ? host : `${host} and ${plural(waiting.length - 1, "more host")}`;
  const urls = counts.queued === 1 ? "The only URL left waits" : `All ${count(counts.queued)} URLs that are left wait`;
  const stop = place.remote === undefined ? "Ctrl-C" : commandAt(`pause ${id}`, place);
  const orEnd = options.maxDurationS > 0 ? "" : ", with --max-time 30m to end it by itself";
  return {
    key: waitingSince === null ? why : `${nextAt}`,
    line: `${urls} until ${until} for ${who}: ${why}. To stop: ${stop}. To go on later: ${commandAt(`resume ${id}`, place)}${orEnd}`,
  };
}

function timeOf({ nextAt }: HostView): number {
  return nextAt === null ? 0 : Date.parse(nextAt);
}
