import { WorkerEntrypoint } from "cloudflare:workers";
import { depsOf } from "../frontier/deps.ts";
import { readPrivateAccess } from "../url/private-access.ts";
import { beatLedgers, type HeartbeatReport } from "./heartbeat.ts";
import { installationMeter } from "./installation-bill.ts";

/**
 * The heartbeat of some ledgers, in an invocation of its own: what it takes of the limits of an invocation, such as
 * 1,000 queries, the others do not lack.
 */
export class LedgerHeartbeat extends WorkerEntrypoint<Env> {
  async beat(numbers: number[]): Promise<HeartbeatReport> {
    const { ledgers } = depsOf(this.env, installationMeter);
    const each = numbers.map((ledger) => ledgers.at(ledger));
    return beatLedgers(each, readPrivateAccess(this.env.ALLOW_PRIVATE));
  }
}
