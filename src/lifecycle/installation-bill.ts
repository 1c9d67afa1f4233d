import { costUsd } from "../crawl/bounds/usage.ts";
import type { Deps } from "../frontier/deps.ts";
import { Meter } from "../store/installation/metered.ts";

/**
 * The installation's own bill: the usage of readers, schedules and the heartbeat, which belongs to no crawl. An isolate
 * counts it in memory and stores it from time to time, because a row for each request would cost more than most
 * requests. Usage that an isolate loses is not counted.
 */
export const installationMeter = new Meter();

/** A written row costs a tenth of this. */
const WORTH_A_ROW_USD = 1e-5;
const MAX_BILL_AGE_MS = 60_000;

let settledAt = 0;

/** Stores the usage of this isolate if it is worth a row, or if the last row is a minute old. */
export async function settleInstallationBill({ installationUsage, clock }: Pick<Deps, "installationUsage" | "clock">) {
  const now = clock.now();
  if (costUsd(installationMeter.usage) < WORTH_A_ROW_USD && now - settledAt < MAX_BILL_AGE_MS) return;
  settledAt = now;
  const usage = installationMeter.take();
  if (Object.keys(usage).length > 0) await installationUsage.add(usage, now);
}
