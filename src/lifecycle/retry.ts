import type { Crawl } from "../crawl/crawl.ts";
import type { Deps } from "../frontier/deps.ts";
import { dispatchNow } from "../frontier/message.ts";
import { isFull } from "../store/advance.ts";
import type { Retry } from "../store/retrying.ts";

/** Sets going again what a crawl had given up, and with it the crawl. */

export type Retried =
  /** URLs, sitemaps among them. */
  | { kind: "retried"; retried: number }
  /** It has all the pages that its limit allows: what is taken up again would be skipped. */
  | { kind: "full" }
  /** It was cancelled, and URLs of it are still being ended. */
  | { kind: "ending" };

/**
 * A chunk a transaction, each sent before the next, in the order of URLs, so that each URL is taken up once however soon it fails again.
 * What is interrupted here stalls, and is repaired; who asks again takes up the rest. A crawl with nothing to retry is left as it is.
 */
export async function retryCrawl(crawl: Crawl, retry: Retry, deps: Deps): Promise<Retried> {
  const { id, status, counters, options } = crawl;
  // In a dry run skipped pages count too, and those that are taken up again no longer do.
  const taken =
    counters.completed - crawl.assets.completed + (options.dryRun && retry.status !== "skipped" ? counters.skipped : 0);
  // Assets are taken up whatever the limit says of pages.
  if (taken >= (retry.limit ?? options.limit) && !options.assets) return { kind: "full" };
  if (status.startsWith("cancelled") && counters.pending + counters.queued > 0) return { kind: "ending" };
  let retried = 0;
  for (let after = ""; ; ) {
    const moved = await deps.ledger.retry(id, retry, after, deps.clock.now());
    if (moved === null) return { kind: "retried", retried };
    retried += moved.retried.length + moved.reopened;
    if (moved.state?.status === "running")
      await dispatchNow(deps.frontier, { crawl: id, epoch: moved.state.epoch }, moved);
    if (moved.state !== null && isFull(moved.state)) await deps.ledger.retireOverLimit(id, deps.clock.now());
    const last = moved.retried.toSorted().at(-1);
    if (last === undefined) return { kind: "retried", retried };
    after = last;
  }
}
