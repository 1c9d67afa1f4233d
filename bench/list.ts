/**
 * Crawls a list of URLs by `crawl --urls` to its end, as a dry run and with its pages.
 *
 *     npm run bench:list -- [--urls 100000] [--bytes 2000] [--dry-run-only]
 *
 * The pages are generated in another process, on one host without rests, because it measures our own work.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Summary } from "../src/cli/output/summary.ts";
import { pagePath } from "../test/sites/generated-site.ts";
import { measureCommand, mebibytes } from "./measured-command.ts";
import { startSiteProcess } from "./site-process.ts";

const { values } = parseArgs({
  options: {
    urls: { type: "string", default: "100000" },
    bytes: { type: "string", default: "2000" },
    "dry-run-only": { type: "boolean", default: false },
  },
});
const pages = Number(values.urls);
const folder = await mkdtemp(join(tmpdir(), "orbweaver-bench-list-"));
const site = await startSiteProcess({ pages, links: 0, bytes: Number(values.bytes) }, [], () => undefined);
try {
  const list = join(folder, "list.txt");
  await writeFile(list, Array.from({ length: pages }, (_, i) => `${site.origin}${pagePath(i)}\n`).join(""));
  console.log(
    "| list | URLs | seconds in all | URLs/s | memory of workerd, MiB | memory of Node, MiB |\n| --- | --- | --- | --- | --- | --- |",
  );
  for (const dryRun of values["dry-run-only"] ? [true] : [true, false]) {
    const flags = dryRun ? ["--dry-run"] : [];
    const state = join(folder, `state-${dryRun}`);
    const ran = await measureCommand(
      ...["crawl", "--urls", list, "--delay", "0", "--concurrency", "8", "--json", "--state", state, ...flags],
    );
    const { status, total, completed, skipped } = JSON.parse(ran.stdout) as Summary;
    if (status !== "completed" || total !== pages || (dryRun ? skipped : completed) !== pages)
      throw new Error(`${status}: ${completed} completed and ${skipped} skipped of ${total}, not ${pages}`);
    const cells = [dryRun ? "dry run" : "crawl", pages.toLocaleString("en"), ran.seconds.toFixed(0)];
    cells.push((pages / ran.seconds).toFixed(0), mebibytes(ran.workerd), mebibytes(ran.node));
    console.log(`| ${cells.join(" | ")} |`);
    await rm(state, { recursive: true, force: true, maxRetries: 3 });
  }
  const { pages: served, pageRequests } = await site.report();
  console.log(`The site served ${served} pages by ${pageRequests} requests.`);
} finally {
  await site.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
