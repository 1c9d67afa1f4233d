import type { Crawl } from "../crawl/crawl.ts";
import type { Deps } from "../frontier/deps.ts";
import { cancelCrawl } from "./start.ts";

/** Stops a crawl because somebody asks for it: its lanes in this isolate end with the page under way. */

/** Pauses it until somebody resumes it. False if it does not run. */
export async function pauseByUser(
  crawl: Pick<Crawl, "id" | "epoch">,
  { ledger, clock, workload }: Pick<Deps, "ledger" | "clock" | "workload">,
): Promise<boolean> {
  const isPaused = await ledger.pause(crawl.id, clock.now());
  if (isPaused) workload.stopped.add(crawl);
  return isPaused;
}

/** Ends it for good. False if it had already ended. */
export async function cancelByUser(
  crawl: Pick<Crawl, "id" | "epoch">,
  deps: Parameters<typeof cancelCrawl>[2] & Pick<Deps, "workload">,
): Promise<boolean> {
  const isCancelled = await cancelCrawl(crawl.id, "cancelled_by_user", deps);
  if (isCancelled) deps.workload.stopped.add(crawl);
  return isCancelled;
}
