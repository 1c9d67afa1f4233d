import { BEFORE_NEXT_BEAT_MS, DAY_MS } from "../core/clock.ts";
import type { Deps } from "../frontier/deps.ts";
import { hintReceivers } from "../frontier/visits/notice-hint.ts";
import { dayOf } from "../store/watches/watch-hosts.ts";
import { type ChangeTelling, tellChanges } from "./tell-changes.ts";

/**
 * The heartbeat's part of the notices: what changed in watches, and which hosts are in trouble no more, goes into the
 * outbox. What is due there is hinted to the queue, whose consumer sends it (deliver-notices.ts).
 */

/** Changes are gathered for so long, so that a new design of a site is told in few messages. */
const GATHER_MS = 60_000;
/** Webhooks, and hosts, that one heartbeat tells of. */
const MOST = 100;
/** Receivers that one heartbeat sends hints for. */
const MAX_RECEIVERS = 1_000;
/** A delivery is listed for this long after its end. */
const DELIVERIES_KEPT_MS = 30 * DAY_MS;
/** Deliveries that one heartbeat removes. */
const MAX_FORGOTTEN = 1_000;

type Telling = Pick<Deps, "toldTroubles" | "deliveries" | "notices" | "ledgerNumber"> & ChangeTelling;
/** Does a part of the work, and goes on if it fails. `crawl`: null if it is for all. */
type Attempt = (crawl: string | null, work: () => Promise<void>) => Promise<unknown>;

/** Two calls at once tell each change and each end of a trouble once. */
export async function tellDue(deps: Telling, attempt: Attempt): Promise<void> {
  const { toldChanges, toldTroubles, clock } = deps;
  const now = clock.now();
  await attempt(null, async () => {
    const waiting = await toldChanges.waiting(GATHER_MS, MOST, now);
    for (const webhook of [...waiting, ...(await toldChanges.digestsDue(MOST, now))])
      await attempt(webhook.crawl, () => tellChanges(webhook, deps));
    for (const trouble of await toldTroubles.ended(dayOf(now), MOST))
      await attempt(trouble.crawl, () => toldTroubles.tellEnd(trouble, now));
  });
  await attempt(null, () => hintDue(deps));
}

/** Sends a hint for each receiver with deliveries that are due before the next heartbeat, and ends old ones. */
async function hintDue({
  deliveries,
  ...outlet
}: Pick<Telling, "deliveries" | "notices" | "clock" | "ledgerNumber">): Promise<void> {
  const { clock } = outlet;
  const now = clock.now();
  const due = await deliveries.due(now + BEFORE_NEXT_BEAT_MS * clock.speed, MAX_RECEIVERS);
  await hintReceivers(
    outlet,
    due.map(({ receiver, dueAt }) => ({ receiver, delayMs: Math.max(0, dueAt - now) })),
  );
  await deliveries.forget(now - DELIVERIES_KEPT_MS, MAX_FORGOTTEN);
}
