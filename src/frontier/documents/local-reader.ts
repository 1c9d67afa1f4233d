import { WorkerEntrypoint } from "cloudflare:workers";
import { logError } from "../../core/log.ts";
import { ledgerOf } from "../../crawl/crawl-id.ts";
import { readPrivateAccess } from "../../url/private-access.ts";
import type { Hint } from "../batch/message.ts";
import { depsOf } from "../deps.ts";
import { processTicket } from "./deliver-documents.ts";

/**
 * Reads documents side by side on this machine, where the queue delivers one message at a time and waits for its
 * consumer: each message gets an invocation of this entrypoint, which outlives the call. The queue goes on as soon as a
 * reader process is free.
 */

/** Messages that are worked on now. This machine has one isolate. */
let busy = 0;
/** Real time. An invocation cannot wait for a promise of another one, which may end first. */
const READER_LOOK_MS = 25;

export class LocalReader extends WorkerEntrypoint<Env> {
  /** Resolves when a reader is free for the next message. Throws if this one ended before, and must come again. */
  async read(ticket: Hint, isRepeated: boolean): Promise<void> {
    const deps = depsOf(this.env, undefined, ledgerOf(ticket.crawl));
    busy += 1;
    let hasEnded = false;
    const ended = processTicket(ticket, isRepeated, deps, readPrivateAccess(this.env.ALLOW_PRIVATE)).finally(() => {
      busy -= 1;
      hasEnded = true;
    });
    // The heartbeat repairs a crawl whose message fails after the call.
    this.ctx.waitUntil(ended.catch((error: unknown) => logError("documents-not-read", error)));
    while (!hasEnded && busy >= deps.limits.readers)
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, READER_LOOK_MS))]);
    if (hasEnded) await ended;
  }
}
