import type { Crawl } from "../../crawl/crawl.ts";
import type { FetchResult, PageResult } from "../../crawl/page/outcome.ts";
import { NO_SECRETS, type Secrets, type Sending } from "../../fetch/answer/answer.ts";
import { ASKS_NOTHING, type PageWants } from "../../fetch/request/page-request.ts";
import { compileCrawl } from "../context.ts";
import type { Deps } from "../deps.ts";
import { askForLane, type LaneTerms, type NoLane } from "./ask-for-lane.ts";
import { pageRequestOf } from "./request-of-work.ts";
import { useLane } from "./use-lane.ts";

/** Fetches a page that has no row in the ledger, for a crawl: in a lane of its own, through its host's gate. */

export type FetchOnceDeps = Pick<Deps, "gate" | "fetchPage" | "clock">;

/** As large as the crawl's pages. Redirects are results. */
export async function fetchOnce(
  url: string,
  crawl: Pick<Crawl, "id" | "epoch" | "options" | "hosts">,
  deps: FetchOnceDeps,
  asked: { wants?: PageWants; secrets?: Secrets | undefined } & LaneTerms = {},
): Promise<PageResult | NoLane> {
  const { wants = ASKS_NOTHING, secrets = NO_SECRETS, ...terms } = asked;
  const context = compileCrawl(crawl, "none");
  const lane = await askForLane(url, crawl, context, deps, terms);
  if (lane.kind !== "open") return lane;
  const ask = (_: string, sending: Sending) =>
    deps.fetchPage(pageRequestOf(url, { crawl, ...context }, wants, sending), secrets).then(asPage);
  const results = await useLane(lane, [url], ask, deps.clock);
  return results.get(url) ?? { kind: "waits", delayMs: 0 };
}

/** The result of a request without a place for a document. Throws for want of something of our own. */
export function asPage(result: FetchResult): PageResult {
  if (result.kind === "given-back") throw new Error(`there was no ${result.lacks} for the answer`);
  if (result.kind !== "document") return result;
  throw new Error("a document came that nobody ordered");
}
