import { BEFORE_NEXT_BEAT_MS, DAY_MS } from "../core/clock.ts";
import type { Deps } from "../frontier/deps.ts";
import { hintReceivers } from "../frontier/notice-hint.ts";

/** The heartbeat's part: hints for what is due, and an end of old deliveries. */

/** Receivers that one heartbeat sends hints for. */
const MAX_RECEIVERS = 1_000;
/** A delivery is listed for this long after its end. */
const KEPT_MS = 30 * DAY_MS;
/** Deliveries that one heartbeat removes. */
const MAX_FORGOTTEN = 1_000;

/** Sends a hint for each receiver with deliveries that are due before the next heartbeat. */
export async function hintDue({
  deliveries,
  notices,
  clock,
}: Pick<Deps, "deliveries" | "notices" | "clock">): Promise<void> {
  const now = clock.now();
  const due = await deliveries.due(now + BEFORE_NEXT_BEAT_MS * clock.speed, MAX_RECEIVERS);
  await hintReceivers(
    { notices, clock },
    due.map(({ receiver, dueAt }) => ({ receiver, delayMs: Math.max(0, dueAt - now) })),
  );
  await deliveries.forget(now - KEPT_MS, MAX_FORGOTTEN);
}
