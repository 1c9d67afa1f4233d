import type { FetchResult } from "../../crawl/page/outcome.ts";
import type { Secrets, Sending } from "../../fetch/answer/answer.ts";
import type { StoredCopy } from "../../fetch/reading/stored-copy.ts";
import type { PageWants } from "../../fetch/request/page-request.ts";
import type { Lane } from "../batch/admit.ts";
import type { Batch } from "../batch/batch.ts";
import type { OpenFeatures } from "../features/open-features.ts";
import type { PageWork } from "../work.ts";
import { drawingUsage } from "./drawing-usage.ts";
import type { LaneDriver } from "./lane-driver.ts";
import { PageGateway } from "./page-gateway.ts";
import { pageRequestOf } from "./request-of-work.ts";

/** A lane whose URLs are fetched. */
export interface RunningLane {
  lane: Lane;
  driver: LaneDriver;
  features: OpenFeatures;
  batch: Batch;
}

/**
 * Requests a page of a lane, whose turn has come. A browser draws it if that is wanted, and is billed. `copy`: what it
 * is compared with; null if it is not.
 */
export async function requestPage(
  work: PageWork,
  wants: PageWants,
  secrets: Secrets,
  sending: Sending,
  { lane, driver, features, batch }: RunningLane,
  copy: StoredCopy | null,
): Promise<FetchResult> {
  const { deps } = batch;
  const compared = copy ?? undefined;
  const request = pageRequestOf(work.row.url, work.context, wants, sending);
  if (wants.render === null) return deps.fetchPage(request, secrets, undefined, compared);
  const gateway = new PageGateway(work, lane, features, deps);
  try {
    const result = await deps.fetchPage(request, secrets, gateway, compared);
    if (result.billedMs !== undefined) {
      deps.meter.add(drawingUsage(result.billedMs));
      batch.countDrawing();
    }
    return result;
  } finally {
    // How the page's own host failed what the page asked for.
    const trouble = await gateway.end();
    if (trouble !== null) driver.judge(trouble);
  }
}
