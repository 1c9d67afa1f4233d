import { site } from "./console/site.tsx";
import { deliver } from "./frontier/deliver.ts";
import { depsOf } from "./frontier/deps.ts";
import type { FrontierMessage } from "./frontier/message.ts";
import { heartbeat } from "./lifecycle/heartbeat.ts";

/** What the Worker exports. */
export { PageFetcher } from "./fetch/page-fetcher.ts";
export { HostGate } from "./host/host-gate.ts";

export default {
  fetch: site.fetch,

  async queue(batch, env) {
    await deliver(batch, depsOf(env), env.ALLOW_PRIVATE === "true");
  },

  async scheduled(_controller, env) {
    const report = await heartbeat(depsOf(env));
    const { due, ...crawls } = report;
    if (due > 0 || Object.values(crawls).some((ids) => ids.length > 0))
      console.log("heartbeat", JSON.stringify(report));
  },
} satisfies ExportedHandler<Env, FrontierMessage>;
