/**
 * The program that stands for the limit: `node limit-crawl.ts URL DIR WORKER`. Prints `{completed, seconds}`.
 *
 * It starts a Worker of this folder as the command line starts Orbweaver: the same wrangler, compatibility date and
 * settings of workerd.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { configureMiniflare } from "../../src/cli/machine/load-miniflare.ts";

const [url, dir, worker] = process.argv.slice(2);
if (url === undefined || dir === undefined || worker === undefined) {
  throw new Error("usage: node limit-crawl.ts URL DIR WORKER");
}

configureMiniflare(dir);
const { unstable_readConfig, unstable_startWorker } = await import("wrangler");
const { compatibility_date, compatibility_flags } = unstable_readConfig({
  config: join(import.meta.dirname, "..", "..", "wrangler.toml"),
});
// Without a file of its own, wrangler would take the wrangler.toml of the repository, with its bindings.
const config = join(dir, "limit.json");
const main = join(import.meta.dirname, worker);
writeFileSync(config, JSON.stringify({ name: "limit", main, compatibility_date, compatibility_flags }));
const started = await unstable_startWorker({
  config,
  dev: { server: { hostname: "127.0.0.1", port: 0 }, persist: dir, inspector: false, watch: false, logLevel: "none" },
});
await started.ready;
const startedAt = performance.now();
const answer = await fetch(new URL(`/?url=${encodeURIComponent(url)}`, await started.url));
if (!answer.ok) throw new Error(await answer.text());
const completed = Number(await answer.text());
const seconds = (performance.now() - startedAt) / 1000;
process.stdout.write(`${JSON.stringify({ completed, seconds })}\n`);
await started.dispose();
