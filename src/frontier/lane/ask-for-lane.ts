import type { Crawl } from "../../crawl/crawl.ts";
import { LANE_BUDGET_MS } from "../../host/full-lane.ts";
import { pacerOf } from "../../host/pace.ts";
import { hostKey, originOf } from "../../url/host-key.ts";
import { policyOfLane, strictest } from "../batch/admit.ts";
import type { CrawlContext } from "../context.ts";
import type { Deps } from "../deps.ts";
import type { OpenLane } from "./lane-driver.ts";

/** Asks a host's gate for a lane, for a URL that has no row in the ledger. */

/** How long the gate is asked again for what a page needs, in milliseconds. */
export const GATE_PATIENCE_MS = 2 * LANE_BUDGET_MS;
/** The gate is not asked more often, in milliseconds. */
const MIN_GATE_WAIT_MS = 200;

/**
 * `waits`: the host may not be asked for so much real time more. `denied`: by robots.txt. Whoever gets a lane has to
 * settle it. `patienceMs`: real time in which there must be one.
 */
export async function askForLane(
  url: string,
  { id, epoch, options }: Pick<Crawl, "id" | "epoch" | "options">,
  { agent, uses, rightsOn }: Pick<CrawlContext, "agent" | "uses" | "rightsOn">,
  deps: Pick<Deps, "clock" | "gate">,
  patienceMs = GATE_PATIENCE_MS,
): Promise<(OpenLane & { kind: "open" }) | { kind: "waits"; delayMs: number } | { kind: "denied" }> {
  const { clock } = deps;
  const policy = strictest([options]);
  // A gate that has left memory meanwhile breaks its stub, so each call gets its own.
  const gate = () => deps.gate(hostKey(url));
  const about = { url, origin: originOf(url), agent, uses, ...rightsOn(url) };
  const asked = { urls: [{ crawl: id, epoch, ...about }], policy };
  const until = clock.now() + patienceMs * clock.speed;
  let { verdicts, lane } = await gate().admit(asked);
  while (verdicts[0]?.kind === "wait") {
    const waitMs = Math.max(verdicts[0].delayMs, MIN_GATE_WAIT_MS * clock.speed);
    if (clock.now() + waitMs > until) break;
    await clock.sleep(waitMs);
    ({ verdicts, lane } = await gate().admit(asked));
  }
  const [verdict] = verdicts;
  if (verdict?.kind === "denied") return { kind: "denied" };
  return lane === null
    ? { kind: "waits", delayMs: verdict?.kind === "wait" ? verdict.delayMs / clock.speed : 0 }
    : { kind: "open", gate, policy: policyOfLane(policy, lane), grant: lane, pacer: pacerOf(lane) };
}
