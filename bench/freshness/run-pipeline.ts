/** Runs the real pipeline over the history of a site: Vitest starts workerd, which crawls a server of this process. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ServedLastmod, WatchOrder, WatchRun } from "./pipeline/order.ts";
import { type ServedSite, serveSite } from "./serve-site.ts";
import type { TextSite } from "./text-site.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const DAY_MS = 86_400_000;

export interface PipelineOrder {
  everyDays: number;
  fixed: boolean;
  lastmod: ServedLastmod;
}

/** Throws if the run fails. */
export async function runPipeline(site: TextSite, { everyDays, fixed, lastmod }: PipelineOrder): Promise<WatchRun> {
  const served = await serveSite(site, lastmod);
  const { origin } = served;
  try {
    return await runOrder(served, {
      origin,
      beginMs: site.beginMs,
      endMs: site.beginMs + site.days * DAY_MS,
      everyS: everyDays * 86_400,
      fixed,
      hasSitemap: lastmod !== "none",
      includePatterns: [`${origin}/`, `${origin}/p/**`],
    });
  } finally {
    served.close();
  }
}

/** Has a served site watched. Throws if the run fails. */
export async function runOrder(served: ServedSite, order: WatchOrder): Promise<WatchRun> {
  const args = ["node_modules/vitest/vitest.mjs", "run", "--config", "bench/freshness/pipeline/vitest.config.ts"];
  const env = { ...process.env, ORDER: JSON.stringify(order) };
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  child.stdout.on("data", (part: Buffer) => {
    printed += part.toString("utf8");
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`the pipeline's run failed:\n${printed}`);
  return served.run;
}
