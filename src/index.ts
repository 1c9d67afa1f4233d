import { env, exports } from "cloudflare:workers";
import { site } from "./console/site.tsx";
import { deliver } from "./frontier/deliver.ts";
import { depsOf } from "./frontier/deps.ts";
import type { LocalConsumer } from "./frontier/local-consumer.ts";
import type { FrontierMessage, Hint } from "./frontier/message.ts";
import { roleOfQueue } from "./frontier/queue-role.ts";
import { heartbeat } from "./lifecycle/heartbeat.ts";
import { installationMeter } from "./lifecycle/installation-bill.ts";
import { loadReaders } from "./media/kinds.ts";

// On Cloudflare the start of an isolate has CPU time of its own, and on the free plan an invocation has 10 ms. On this
// machine every command starts a Worker, and most read no page.
// https://developers.cloudflare.com/workers/platform/limits/#worker-startup-time
if ((env as Env).BOOT === undefined) await loadReaders();

/** The entrypoints of the Worker. */
export { PageFetcher } from "./fetch/page-fetcher.ts";
export { LocalConsumer } from "./frontier/local-consumer.ts";
export { HostGate } from "./host/host-gate.ts";

export default {
  fetch: site.fetch,

  async queue(batch, env) {
    const local = exports.LocalConsumer as unknown as Pick<LocalConsumer, "process">;
    const elsewhere = env.BOOT === undefined ? undefined : (hints: Hint[]) => local.process(hints);
    const role = roleOfQueue(batch.queue, env.QUEUES);
    await deliver(batch, role, depsOf(env), env.ALLOW_PRIVATE === "true", elsewhere);
  },

  async scheduled(_controller, env) {
    await heartbeat(depsOf(env, installationMeter));
  },
} satisfies ExportedHandler<Env, FrontierMessage>;
