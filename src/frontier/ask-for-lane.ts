import type { Crawl } from "../crawl/crawl.ts";
import { LANE_BUDGET_MS } from "../host/full-lane.ts";
import { hostKey, originOf } from "../url/host-key.ts";
import { strictest } from "./admit.ts";
import type { CrawlContext } from "./context.ts";
import type { Deps } from "./deps.ts";
import type { OpenLane } from "./use-lane.ts";

/** Asks a host's gate for a lane, for a URL that has no row in the ledger. */

/** How often the gate is asked. */
const TRIES = 3;

/** `waits`: the host may not be asked now. `denied`: by robots.txt. Whoever gets a lane has to settle it. */
export async function askForLane(
  url: string,
  { id, epoch, options }: Pick<Crawl, "id" | "epoch" | "options">,
  { agent, uses }: Pick<CrawlContext, "agent" | "uses">,
  deps: Pick<Deps, "clock" | "gate">,
): Promise<(OpenLane & { kind: "open" }) | { kind: "waits" | "denied" }> {
  const { clock } = deps;
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
  return lane === null ? { kind: "waits" } : { kind: "open", gate, policy, grant: lane };
}
