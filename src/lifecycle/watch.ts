import type { Watch } from "../crawl/watch/watch.ts";
import type { RowDeps } from "./needs.ts";

/** Makes a crawl a watch, or changes how often it visits. False if it was cancelled, or keeps no pages. */
export async function watchCrawl(id: string, watch: Watch, deps: RowDeps): Promise<boolean> {
  return deps.ledger.watch(id, watch, deps.clock.now());
}

/**
 * Has a watch visit all of its pages as soon as the pace of their hosts allows, beside its budget. The next heartbeat
 * begins. False if it visits nothing now: it is no watch, is paused, or its first crawl has not ended.
 */
export async function visitAll(id: string, deps: RowDeps): Promise<boolean> {
  return deps.ledger.visitAll(id, deps.clock.now());
}
