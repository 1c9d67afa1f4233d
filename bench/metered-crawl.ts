/** Runs one crawl of generated hosts by the command line, and measures its use of the platform and of this machine. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { CrawlDetail } from "../src/api/views.ts";
import type { Usage } from "../src/crawl/usage.ts";
import { startGeneratedSite } from "../test/sites/generated-site.ts";
import { cpuMs } from "./cpu.ts";
import { residentBytes } from "./memory.ts";

export interface CrawlOrder {
  hosts: number;
  /** Pages of all hosts together. */
  pages: number;
  /** Whether to crawl at the default pace, or without rests. */
  polite: boolean;
  store?: string | undefined;
}

export interface MeteredCrawl {
  hosts: number;
  pages: number;
  /** From the first request to the last commit. */
  seconds: number;
  /** As the bindings report it. CPU time is that of all workerd processes. */
  usage: Usage;
  /** The peak of resident bytes of all workerd processes. */
  memory: number;
}

const REPOSITORY = fileURLToPath(new URL("..", import.meta.url));
const SAMPLE_MS = 500;

/** Throws unless exactly all pages are completed. */
export async function meteredCrawl({ hosts, pages: wanted, polite, store }: CrawlOrder): Promise<MeteredCrawl> {
  const pages = Math.ceil(wanted / hosts);
  const site = await startGeneratedSite({ pages, host: "0.0.0.0", lazy: true });
  const state = await mkdtemp(join(tmpdir(), "orbweaver-metered-"));
  try {
    const address = (i: number) => `http://127.0.${1 + Math.floor(i / 250)}.${1 + (i % 250)}:${site.port}/`;
    const seeds = Array.from({ length: hosts }, (_, i) => address(i));
    const pace = polite ? [] : ["--delay=0", "--concurrency=8"];
    // All pages have one variant pattern.
    const traps = ["--max-variants=10000000"];
    const kept = store === undefined ? [] : [`--store=${store}`];
    const child = start(
      "crawl",
      ...seeds,
      "--limit=10000000",
      ...traps,
      ...pace,
      ...kept,
      "--json",
      `--state=${state}`,
    );
    // The last values before the process ends.
    let cpu = 0;
    let memory = 0;
    const timer = setInterval(() => {
      cpu = Math.max(cpu, cpuMs(child.pid ?? 0, "workerd"));
      memory = Math.max(memory, residentBytes(child.pid ?? 0, "workerd") ?? 0);
    }, SAMPLE_MS);
    const summary = JSON.parse(await output(child)) as { id: string; completed: number; seconds: number };
    clearInterval(timer);
    if (summary.completed !== pages * hosts)
      throw new Error(`${summary.completed} of ${pages * hosts} pages were completed`);
    const { usage } = JSON.parse(
      await output(start("status", summary.id, "--json", `--state=${state}`)),
    ) as CrawlDetail;
    return { hosts, pages: summary.completed, seconds: summary.seconds, usage: { ...usage, cpuMs: cpu }, memory };
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
