/**
 * What a crawl would cost on Cloudflare: every operation that it bills, counted by the bindings themselves, for one host and for a
 * hundred.
 *
 *     npm run bench:cost -- [--pages 3000] [--hosts 1,100] [--store warc|files] [--json]
 *
 * A single host is crawled without rests, a hundred at the default pace. CPU is that of workerd, which here does the work of
 * all of Cloudflare's parts: D1, R2, Queues and Durable Objects, none of which bills for CPU. So it is an upper bound.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { CrawlDetail } from "../src/api/views.ts";
import { costUsd, PRICES, RESOURCES, type Usage } from "../src/crawl/usage.ts";
import { startGeneratedSite } from "../test/sites/generated-site.ts";
import { cpuMs } from "./cpu.ts";

interface Measured {
  hosts: number;
  pages: number;
  seconds: number;
  usage: Usage;
}

const REPOSITORY = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "3000" },
    hosts: { type: "string", default: "1,100" },
    store: { type: "string" },
    json: { type: "boolean", default: false },
  },
});

const measures: Measured[] = [];
for (const hosts of values.hosts.split(",").map(Number)) measures.push(await measure(hosts));
if (values.json) console.log(JSON.stringify(measures));
else for (const measured of measures) print(measured);

async function measure(hosts: number): Promise<Measured> {
  const pages = Math.ceil(Number(values.pages) / hosts);
  const site = await startGeneratedSite({ pages, host: "0.0.0.0" });
  const state = await mkdtemp(join(tmpdir(), "orbweaver-cost-"));
  try {
    const seeds = Array.from(
      { length: hosts },
      (_, i) => `http://127.0.${1 + Math.floor(i / 250)}.${1 + (i % 250)}:${site.port}/`,
    );
    // All hosts serve the same pages.
    const content = ["--max-duplicates=1000000"];
    const pace = hosts === 1 ? ["--delay=0", "--concurrency=8"] : [];
    const store = values.store === undefined ? [] : [`--store=${values.store}`];
    const child = start(
      "crawl",
      ...seeds,
      "--limit=1000000",
      ...content,
      ...pace,
      ...store,
      "--json",
      `--state=${state}`,
    );
    // The last one that can be read while it runs.
    let cpu = 0;
    const timer = setInterval(() => {
      cpu = Math.max(cpu, cpuMs(child.pid ?? 0, "workerd"));
    }, 100);
    const summary = JSON.parse(await output(child)) as { id: string; completed: number; seconds: number };
    clearInterval(timer);
    if (summary.completed !== pages * hosts)
      throw new Error(`${summary.completed} of ${pages * hosts} pages were completed`);
    const { usage } = JSON.parse(
      await output(start("status", summary.id, "--json", `--state=${state}`)),
    ) as CrawlDetail;
    return { hosts, pages: summary.completed, seconds: summary.seconds, usage: { ...usage, cpuMs: cpu } };
  } finally {
    await site.close();
    await rm(state, { recursive: true, force: true, maxRetries: 3 });
  }
}

function start(...args: string[]): ChildProcess {
  return spawn(process.execPath, ["src/cli/main.ts", ...args], {
    cwd: REPOSITORY,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

async function output(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("a command without output");
  return text(child.stdout);
}

function print({ hosts, pages, seconds, usage }: Measured): void {
  console.log(`\n${pages} pages on ${hosts} host${hosts === 1 ? "" : "s"}, ${(pages / seconds).toFixed(1)} pages/s`);
  for (const resource of RESOURCES) {
    const perPage = (usage[resource] ?? 0) / pages;
    const perMillion = perPage * PRICES[resource];
    console.log(
      `${resource.padEnd(18)} ${perPage.toFixed(4).padStart(9)} a page  x ${String(PRICES[resource]).padStart(6)} USD a million = ${perMillion.toFixed(3).padStart(7)} USD per million pages`,
    );
  }
  console.log(`${"all".padEnd(18)} ${((costUsd(usage) / pages) * 1e6).toFixed(2).padStart(60)} USD per million pages`);
}
