import type { Crawl } from "../crawl/crawl.ts";
import type { Deps } from "../frontier/deps.ts";
import type { SteerDeps } from "./needs.ts";
import { cancelShards, pauseShards } from "./shards/steer-shards.ts";
import { cancelCrawl } from "./start.ts";

/** Stops a crawl because somebody asks for it: its lanes in this isolate end with the page under way. */

type Stopped = Pick<Crawl, "id" | "epoch" | "shards">;

/** Pauses it until somebody resumes it. False if it does not run. */
export async function pauseByUser(crawl: Stopped, deps: SteerDeps & Pick<Deps, "workload">): Promise<boolean> {
  const { ledger, clock, workload } = deps;
  const { id, shards } = crawl;
  const isPaused = await (shards === null ? ledger.pause(id, clock.now()) : pauseShards(shards, null, deps));
  if (isPaused) workload.stopped.add(crawl);
  return isPaused;
}

/** Ends it for good. False if it had already ended. */
export async function cancelByUser(crawl: Stopped, deps: SteerDeps & Pick<Deps, "workload">): Promise<boolean> {
  const { id, shards } = crawl;
  const as = "cancelled_by_user";
  const isCancelled = await (shards === null ? cancelCrawl(id, as, deps) : cancelShards(shards, as, deps));
  if (isCancelled) deps.workload.stopped.add(crawl);
  return isCancelled;
}
