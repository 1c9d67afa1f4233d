import type { Clock } from "../../core/clock.ts";
import type { Answered, PageRejected } from "../../crawl/page/outcome.ts";
import type { Sending } from "../../fetch/answer/answer.ts";
import { LaneDriver, type OpenLane } from "./lane-driver.ts";

/**
 * Sends requests that have no rows in the ledger, one after the other, in a lane of their own, and gives it back.
 * Returns the results by URL; a URL has none if the lane was over. `until`: no request starts from then on.
 * Throws if a request does not end in time.
 */
export async function useLane<T extends Answered>(
  lane: OpenLane,
  urls: readonly string[],
  fetch: (url: string, sending: Sending) => Promise<T>,
  clock: Clock,
  until = Number.POSITIVE_INFINITY,
): Promise<Map<string, T | PageRejected>> {
  const driver = new LaneDriver(lane, clock);
  const results = new Map<string, T | PageRejected>();
  try {
    for (const url of urls) {
      const answer = clock.now() < until ? await driver.ask((sending) => fetch(url, sending)) : null;
      if (answer === null) break;
      results.set(url, answer.result);
    }
  } finally {
    await driver.settle();
  }
  return results;
}
