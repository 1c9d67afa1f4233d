import type { Crawl } from "../../crawl/crawl.ts";
import type { Reason } from "../../crawl/page/reason.ts";
import { LANE_BUDGET_MS } from "../../host/full-lane.ts";
import { pacerOf } from "../../host/pace.ts";
import { isSilent } from "../../host/robots-verdict.ts";
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

/** `waits`: the host may not be asked for so much real time more. `denied`: `detail` is for people. */
export type NoLane = { kind: "waits"; delayMs: number } | { kind: "denied"; reason: Reason; detail: string };

export interface LaneTerms {
  /** Real time in which there must be a lane, in milliseconds. */
  patienceMs?: number;
  /** The caller has nothing to lose, as in `AdmitRequest`: a host in trouble is not waited for. */
  isNew?: boolean;
}

/** Whoever gets a lane has to settle it. */
export async function askForLane(
  url: string,
  { id, epoch, options }: Pick<Crawl, "id" | "epoch" | "options">,
  { agent, uses, rightsOn }: Pick<CrawlContext, "agent" | "uses" | "rightsOn">,
  deps: Pick<Deps, "clock" | "gate">,
  { patienceMs = GATE_PATIENCE_MS, isNew = false }: LaneTerms = {},
): Promise<(OpenLane & { kind: "open" }) | NoLane> {
  const { clock } = deps;
  const policy = strictest([options]);
  // A gate that has left memory meanwhile breaks its stub, so each call gets its own.
  const gate = () => deps.gate(hostKey(url));
  const about = { url, origin: originOf(url), agent, uses, isNew, ...rightsOn(url) };
  const asked = { urls: [{ crawl: id, epoch, ...about }], policy };
  const isInTrouble = async () => {
    const { failures, robots } = await gate().status({ ...about, origins: [about.origin], policy });
    return failures > 0 || robots.some(isSilent);
  };
  const until = clock.now() + patienceMs * clock.speed;
  let { verdicts, lane } = await gate().admit(asked);
  while (verdicts[0]?.kind === "wait") {
    const waitMs = Math.max(verdicts[0].delayMs, MIN_GATE_WAIT_MS * clock.speed);
    if (clock.now() + waitMs > until) break;
    if (isNew && (await isInTrouble())) break;
    await clock.sleep(waitMs);
    ({ verdicts, lane } = await gate().admit(asked));
  }
  const [verdict] = verdicts;
  if (verdict?.kind === "denied") return verdict;
  return lane === null
    ? { kind: "waits", delayMs: verdict?.kind === "wait" ? verdict.delayMs / clock.speed : 0 }
    : { kind: "open", gate, policy: policyOfLane(policy, lane), grant: lane, pacer: pacerOf(lane) };
}
