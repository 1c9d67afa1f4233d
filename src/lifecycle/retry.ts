import type { Crawl } from "../crawl/crawl.ts";
import { TOPIC_EXHAUSTED } from "../crawl/page/status.ts";
import { forgetRecent } from "../crawl/subject/learned-topic.ts";
import { dispatchNow } from "../frontier/batch/message.ts";
import { requireRoom } from "../frontier/batch/require-room.ts";
import type { Deps } from "../frontier/deps.ts";
import { isFull } from "../store/ledger/advance.ts";
import { isOfDryPages, type Retry } from "../store/ledger/retrying.ts";
import type { StartDeps, SteerDeps } from "./needs.ts";
import { retryShards } from "./shards/steer-shards.ts";

/** Retries the URLs that a crawl gave up, and sets the crawl running again. */

type Retried =
  /** `retried` counts URLs, including sitemaps and pages whose links are to be looked at again. */
  | { kind: "retried"; retried: number }
  /** The crawl has reached its page limit: retried URLs would be skipped. */
  | { kind: "full" }
  /** The crawl was cancelled, and some of its URLs have not been ended yet. */
  | { kind: "ending" };

/**
 * Works in chunks, in the order of URLs, so a URL that fails again at once is not retried twice. A chunk is one
 * transaction, and is sent before the next. A chunk that is not sent stalls, and is repaired; another call retries the
 * rest. A crawl without such URLs stays as it is. Throws NoRoom.
 */
export async function retryCrawl(
  crawl: Crawl,
  retry: Retry,
  deps: StartDeps & SteerDeps & Pick<Deps, "topics">,
): Promise<Retried> {
  if (crawl.shards !== null) return retryShards(crawl.shards, retry, deps);
  await requireRoom(deps, crawl.watchingSince !== null);
  const { id, status, counters, options, assets, dryPages } = crawl;
  const counted = counters.completed - assets.completed + (isOfDryPages(retry) ? 0 : dryPages);
  // The page limit does not count assets.
  if (counted >= (retry.limit ?? options.limit) && !options.assets && !options.media) return { kind: "full" };
  if (status.startsWith("cancelled") && counters.pending + counters.queued > 0) return { kind: "ending" };
  if (status === TOPIC_EXHAUSTED) await deps.topics.change(id, forgetRecent);
  let retried = 0;
  for (let after = ""; ; ) {
    const moved = await deps.ledger.retry(id, retry, after, deps.clock.now());
    if (moved === null) return { kind: "retried", retried };
    retried += moved.retried.length + moved.reopened + moved.unlooked;
    if (moved.state?.status === "running") await dispatchNow(deps, { crawl: id, epoch: moved.state.epoch }, moved);
    if (moved.state !== null && isFull(moved.state)) await deps.ledger.retireOverLimit(id, deps.clock.now());
    const last = moved.retried.toSorted().at(-1);
    if (last === undefined) return { kind: "retried", retried };
    after = last;
  }
}
