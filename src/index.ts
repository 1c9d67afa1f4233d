import { env, exports } from "cloudflare:workers";
import { app } from "./api/app.ts";
import { deliver } from "./frontier/batch/deliver.ts";
import type { LocalConsumer } from "./frontier/batch/local-consumer.ts";
import type { DocumentMessage, FrontierMessage, Hint } from "./frontier/batch/message.ts";
import { roleOfQueue } from "./frontier/batch/queue-role.ts";
import { depsOf } from "./frontier/deps.ts";
import { deliverDocuments } from "./frontier/documents/deliver-documents.ts";
import type { LocalReader } from "./frontier/documents/local-reader.ts";
import type { NoticeHint } from "./frontier/visits/notice-hint.ts";
import { beat } from "./lifecycle/beat.ts";
import { installationMeter } from "./lifecycle/installation-bill.ts";
import { loadReaders } from "./media/kind/kinds.ts";
import { deliverNotices } from "./notices/deliver-notices.ts";
import type { LocalSender } from "./notices/local-sender.ts";
import { readPrivateAccess } from "./url/private-access.ts";

// On Cloudflare the start of an isolate has CPU time of its own, and on the free plan an invocation has 10 ms. On this
// machine every command starts a Worker, and most read no page.
// https://developers.cloudflare.com/workers/platform/limits/#worker-startup-time
if ((env as Env).BOOT === undefined) await Promise.all([loadReaders(), loadSite()]);

/** The console's pages and the API. On this machine only `serve` has the console's files, and needs its pages. */
async function loadSite(): Promise<Pick<typeof app, "fetch">> {
  return (await import("./console/site.tsx")).site as unknown as Pick<typeof app, "fetch">;
}

/** The entrypoints of the Worker. */
export { ExportWriter } from "./api/exports/export-writer.ts";
export { BrowserSession } from "./fetch/browser/browser-session.ts";
export { PageFetcher } from "./fetch/page-fetcher.ts";
export { LocalConsumer } from "./frontier/batch/local-consumer.ts";
export { LocalReader } from "./frontier/documents/local-reader.ts";
export { HostGate } from "./host/host-gate.ts";
export { LedgerHeartbeat } from "./lifecycle/ledger-heartbeat.ts";
export { LocalSender } from "./notices/local-sender.ts";
export { PassWorkflow } from "./passes/pass-workflow.ts";

export default {
  async fetch(request, env, context) {
    const { fetch } = (env as Partial<Env>).ASSETS === undefined ? app : await loadSite();
    return fetch(request, env, context);
  },

  async queue(batch, env) {
    const role = roleOfQueue(batch.queue, env.QUEUES);
    if (role === "notices") return tell(batch as MessageBatch<NoticeHint>, env);
    if (role === "documents") return haveRead(batch as MessageBatch<DocumentMessage>, env);
    const local = exports.LocalConsumer as unknown as Pick<LocalConsumer, "process">;
    const elsewhere = env.BOOT === undefined ? undefined : (hints: Hint[]) => local.process(hints);
    await deliver(
      batch as MessageBatch<FrontierMessage>,
      role,
      depsOf(env),
      readPrivateAccess(env.ALLOW_PRIVATE),
      elsewhere,
    );
  },

  scheduled: (_controller, env) => beat(env),
} satisfies ExportedHandler<Env, FrontierMessage | NoticeHint | DocumentMessage>;

/** On this machine a queue delivers one batch at a time, so each message gets an invocation of its own. */
async function haveRead(batch: MessageBatch<DocumentMessage>, env: Env): Promise<void> {
  const local = exports.LocalReader as unknown as Pick<LocalReader, "read">;
  const elsewhere =
    env.BOOT === undefined ? undefined : (ticket: Hint, isRepeated: boolean) => local.read(ticket, isRepeated);
  await deliverDocuments(batch, depsOf(env), readPrivateAccess(env.ALLOW_PRIVATE), elsewhere);
}

/** On this machine a queue delivers one batch at a time, so each receiver gets an invocation of its own. */
async function tell(batch: MessageBatch<NoticeHint>, env: Env): Promise<void> {
  const local = exports.LocalSender as unknown as Pick<LocalSender, "send">;
  const elsewhere = env.BOOT === undefined ? undefined : (...to: Parameters<typeof local.send>) => local.send(...to);
  await deliverNotices(batch, depsOf(env, installationMeter), elsewhere);
}
