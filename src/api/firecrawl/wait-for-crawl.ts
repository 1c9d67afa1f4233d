import { systemClock } from "../../core/clock.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import type { Store } from "../../store/store.ts";

/** Waits for the end of a crawl that a request has started. */

/** Milliseconds between two looks at the crawl, each of which reads a row. */
const CRAWL_LOOK_MS = { first: 50, most: 1_000 };

/** The crawl as it is at its end, or at `until`, a time of the system's clock. */
export async function waitForCrawl(id: string, until: number, { ledger }: Pick<Store, "ledger">): Promise<Crawl> {
  for (let restMs = CRAWL_LOOK_MS.first; ; restMs = Math.min(CRAWL_LOOK_MS.most, restMs * 1.3)) {
    const crawl = await ledger.crawl(id);
    if (crawl === null) throw new Error("the crawl was deleted while a request waited for it");
    const left = until - systemClock.now();
    if (crawl.finishedAt !== null || crawl.status === "paused" || left <= 0) return crawl;
    await systemClock.sleep(Math.min(restMs, left));
  }
}
