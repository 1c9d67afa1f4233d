import { WorkerEntrypoint } from "cloudflare:workers";
import { logError } from "../core/log.ts";
import { depsOf } from "../frontier/deps.ts";
import { deliverTo } from "./deliver-notices.ts";

/**
 * Delivers notices on this machine, where a queue waits for the end of each batch: the call returns at once, and the
 * invocation outlives it. So a receiver that hangs delays no other.
 */
export class LocalSender extends WorkerEntrypoint<Env> {
  async send(receiver: string, ledger: number): Promise<void> {
    const sent = deliverTo(receiver, depsOf(this.env, undefined, ledger));
    // The heartbeat finds what is due.
    this.ctx.waitUntil(sent.catch((error: unknown) => logError("notices-not-delivered", error)));
  }
}
