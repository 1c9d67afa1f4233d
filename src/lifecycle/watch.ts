import type { Watch } from "../crawl/watch/watch.ts";
import type { RowDeps } from "./needs.ts";

/** Makes a crawl a watch, or changes how often it visits. False if it was cancelled, or keeps no pages. */
export async function watchCrawl(id: string, watch: Watch, deps: RowDeps): Promise<boolean> {
  return deps.ledger.watch(id, watch, deps.clock.now());
}
