import { WorkerEntrypoint } from "cloudflare:workers";
import { logError } from "../../core/log.ts";
import { ledgerOf } from "../../crawl/crawl-id.ts";
import { readPrivateAccess } from "../../url/private-access.ts";
import { depsOf } from "../deps.ts";
import { Activity } from "./activity.ts";
import { processHints } from "./deliver.ts";
import type { Hint } from "./message.ts";

/**
 * Processes batches side by side on this machine. Cloudflare starts more consumers while one waits; the local queue
 * delivers one batch at a time. So its consumer hands each batch to an invocation of this entrypoint, which outlives
 * the call: the queue goes on as soon as the batch only waits for rests and slow answers.
 */
export class LocalConsumer extends WorkerEntrypoint<Env> {
  /**
   * `hints`: of one ledger. Resolves when the batch only waits, or has ended. Throws if it ended with hints that nobody
   * will send again.
   */
  async process(hints: Hint[]): Promise<void> {
    const deps = depsOf(this.env, undefined, ledgerOf(hints[0]?.crawl ?? ""));
    const activity = new Activity();
    const ended = processHints(hints, deps, readPrivateAccess(this.env.ALLOW_PRIVATE), activity).finally(() =>
      deps.unbilled.add(hints, deps.meter.take()),
    );
    // The heartbeat repairs a crawl whose batch fails after the call.
    this.ctx.waitUntil(ended.catch((error: unknown) => logError("batch-not-processed", error)));
    await Promise.race([ended, activity.waiting]);
  }
}
