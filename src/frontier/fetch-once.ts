import type { Crawl } from "../crawl/crawl.ts";
import type { FetchResult, PageResult } from "../crawl/outcome.ts";
import { LANE_BUDGET_MS } from "../host/full-lane.ts";
import { hostKey, originOf } from "../url/host-key.ts";
import { strictest } from "./admit.ts";
import { compileCrawl } from "./context.ts";
import type { Deps } from "./deps.ts";
import { useLane } from "./use-lane.ts";

/** Fetches a small text that has no row in the ledger, for a crawl: in a lane of its own, through its host's gate. */

const MAX_BYTES = 10_000;
/** How often the gate is asked for a lane. */
const TRIES = 3;

/** `waits`: the host may not be asked now. `denied`: by robots.txt. Redirects are results. */
export async function fetchOnce(
  url: string,
  { id, epoch, options, hosts }: Crawl,
  deps: Deps,
): Promise<PageResult | { kind: "waits" | "denied" }> {
  const { clock } = deps;
  const { agent, uses } = compileCrawl({ options, hosts }, false);
  const policy = strictest([options]);
  const gate = deps.gate(hostKey(url));
  const asked = { urls: [{ crawl: id, epoch, url, origin: originOf(url), agent, uses }], policy };
  let { verdicts, lane } = await gate.admit(asked);
  for (let tries = 1; verdicts[0]?.kind === "wait" && tries < TRIES; tries++) {
    const { delayMs } = verdicts[0];
    if (delayMs > LANE_BUDGET_MS * clock.speed) break;
    await clock.sleep(delayMs);
    ({ verdicts, lane } = await gate.admit(asked));
  }
  if (verdicts[0]?.kind === "denied") return { kind: "denied" };
  if (lane === null) return { kind: "waits" };
  const { userAgent, from, timeoutMs } = options;
  const request = {
    ...{ url, userAgent, from, headers: {}, timeoutMs, agent, maxBodyBytes: MAX_BYTES, keepBroken: false },
    ...{ pageRobots: false, scriptLinks: false, assets: false, asset: false, parts: [], search: false },
    ...{
      documents: [],
      document: null,
      modifiedSince: null,
      capture: null,
      onCondition: false,
      validators: null,
      version: null,
    },
  };
  const results = await useLane(
    { gate, policy, grant: lane },
    [url],
    () => deps.fetchPage(request).then(asPage),
    clock,
  );
  return results.get(url) ?? { kind: "waits" };
}

/** The result of a request without a place for a document. */
export function asPage(result: FetchResult): PageResult {
  if (result.kind !== "document") return result;
  throw new Error("a document came that nobody ordered");
}
