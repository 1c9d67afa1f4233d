import { exports } from "cloudflare:workers";
import { depsOf } from "../frontier/deps.ts";
import { readPrivateAccess } from "../url/private-access.ts";
import { heartbeat } from "./heartbeat.ts";
import { installationMeter } from "./installation-bill.ts";
import type { LedgerHeartbeat } from "./ledger-heartbeat.ts";

/** A heartbeat of the installation, as cron sends it once a minute. */
export async function beat(env: Env): Promise<void> {
  const apart = exports.LedgerHeartbeat as unknown as Pick<LedgerHeartbeat, "beat">;
  await heartbeat(depsOf(env, installationMeter), readPrivateAccess(env.ALLOW_PRIVATE), (ledgers) =>
    apart.beat(ledgers),
  );
}
