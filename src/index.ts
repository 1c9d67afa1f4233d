import { app } from "./api/app.ts";
import { consume } from "./frontier/consumer.ts";
import { settleDeadLetters } from "./frontier/dead-letter.ts";
import { depsOf } from "./frontier/deps.ts";
import { heartbeat } from "./frontier/heartbeat.ts";
import type { FrontierMessage } from "./frontier/message.ts";

/** What the Worker exports. */
export { PageFetcher } from "./fetch/page-fetcher.ts";
export { HostGate } from "./host/host-gate.ts";

export default {
  fetch: app.fetch,

  async queue(batch, env) {
    const messages = batch.messages.map((message) => message.body);
    if (batch.queue.endsWith("dead-letter")) await settleDeadLetters(messages, depsOf(env));
    else await consume(messages, depsOf(env), env.ALLOW_PRIVATE === "true");
  },

  async scheduled(_controller, env) {
    const report = await heartbeat(depsOf(env));
    const { due, ...crawls } = report;
    if (due > 0 || Object.values(crawls).some((ids) => ids.length > 0))
      console.log("heartbeat", JSON.stringify(report));
  },
} satisfies ExportedHandler<Env, FrontierMessage>;
