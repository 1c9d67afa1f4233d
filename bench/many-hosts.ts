/**
 * Pages per second over many hosts at a polite pace, beside other crawlers with the same delay, and beside hosts that
 * never answer. Measured by the hosts' log.
 *
 *     npm run bench:hosts -- [--hosts 100] [--pages 60] [--delay 1] [--silent 0] [--only PEER,...] [--runs 1]
 *
 * Peers with `-alone` have no fetcher process, those with `-content` make Markdown and fill the search index. CPU time
 * is that of all processes of workerd, looked at twice a second, and memory the most that they had together.
 *
 * `--silent N` lists N hosts that accept connections and never answer before the others, and ends a peer once all
 * pages of the others are there.
 */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { cpuMs } from "./cpu.ts";
import type { HostsReport } from "./hosts-child.ts";
import { median } from "./median.ts";
import { processTree, residentBytes } from "./memory.ts";

interface PoliteOptions {
  urls: string[];
  delayS: number;
  stateDir: string;
}

const ALONE = { ORBWEAVER_FETCHER: "off" };
const CONTENT = ["--markdown", "--search"];

function crawlOf({ urls, delayS, stateDir }: PoliteOptions): string[] {
  const flags = ["--limit=1000000", `--delay=${delayS}`, "--source=links", "--json", `--state=${stateDir}`];
  return ["src/cli/main.js", "crawl", ...urls, ...flags];
}

/** Each crawler with one connection and the same delay to a host. */
const PEERS: Record<string, (options: PoliteOptions) => { args: string[]; env?: Record<string, string> }> = {
  orbweaver: (options) => ({ args: crawlOf(options) }),
  "orbweaver-alone": (options) => ({ args: crawlOf(options), env: ALONE }),
  "orbweaver-content": (options) => ({ args: [...crawlOf(options), ...CONTENT] }),
  "orbweaver-content-alone": (options) => ({ args: [...crawlOf(options), ...CONTENT], env: ALONE }),
  // With its default of 16 requests at once, and with one to each host.
  scrapy: ({ urls, delayS, stateDir }) => ({
    args: ["bench/peers/scrapy-crawl.ts", urls.join(), stateDir, `${delayS}`],
  }),
  "scrapy-wide": ({ urls, delayS, stateDir }) => ({
    args: ["bench/peers/scrapy-crawl.ts", urls.join(), stateDir, `${delayS}`, `${urls.length}`],
  }),
  crawlee: ({ urls, delayS, stateDir }) => ({
    args: ["bench/peers/crawlee-crawl.ts", urls.join(), "polite", `${delayS}`],
    env: { CRAWLEE_STORAGE_DIR: stateDir, CRAWLEE_LOG_LEVEL: "OFF" },
  }),
};

const REPOSITORY = fileURLToPath(new URL("..", import.meta.url));
const POLL_MS = 500;
/** The run of a peer ends when this long nothing new was served. */
const PATIENCE_MS = 60_000;

const { values } = parseArgs({
  options: {
    hosts: { type: "string", default: "100" },
    pages: { type: "string", default: "60" },
    delay: { type: "string", default: "1" },
    silent: { type: "string", default: "0" },
    runs: { type: "string", default: "1" },
    only: { type: "string", default: "orbweaver,scrapy,scrapy-wide,crawlee" },
  },
});
const hosts = Number(values.hosts);
const pages = Number(values.pages);
const silent = Number(values.silent);

const rates = new Map<string, number[]>();
for (let round = 1; round <= Number(values.runs); round++) {
  for (const name of values.only.split(",")) {
    const report = await runPeer(name);
    const seconds = (report.lastPageAt - report.firstPageAt) / 1000;
    const rate = report.pages / seconds;
    rates.set(name, [...(rates.get(name) ?? []), rate]);
    process.stdout.write(
      [
        name.padEnd(12),
        `${rate.toFixed(1).padStart(6)} pages/s`,
        `${report.pages} of ${hosts * pages} pages in ${seconds.toFixed(1)} s`,
        `${report.pageRequests} page requests`,
        `shortest rest ${Math.round(report.shortestRestMs)} ms`,
        `CPU ${(report.cpu / report.pages).toFixed(2)} ms a page`,
        `memory ${(report.resident / 1_048_576).toFixed(0)} MiB\n`,
      ].join("  "),
    );
  }
}
const [[first = "", own = []] = []] = rates;
for (const [name, others] of rates) {
  if (name !== first) process.stdout.write(`${first} / ${name}: ${(median(own) / median(others)).toFixed(2)}\n`);
}

async function runPeer(name: string): Promise<Measured> {
  const peer = PEERS[name];
  if (peer === undefined) throw new Error(`--only takes ${Object.keys(PEERS).join(", ")}; not ${name}`);
  const silentHosts = Array.from({ length: silent }, (_, i) => `127.0.2.${i + 1}`);
  const site = fork(
    fileURLToPath(new URL("hosts-child.ts", import.meta.url)),
    [pages, 20, 17_000, ...silentHosts].map(String),
  );
  const [{ port }] = (await once(site, "message")) as [{ port: number }];
  const fastHosts = Array.from({ length: hosts }, (_, i) => `127.0.1.${i + 1}`);
  const urls = [...silentHosts, ...fastHosts].map((host) => `http://${host}:${port}/`);
  const stateDir = await mkdtemp(join(tmpdir(), `orbweaver-bench-${name}-`));
  const { args, env } = peer({ urls, delayS: Number(values.delay), stateDir });
  const child = spawn(process.execPath, args, {
    cwd: REPOSITORY,
    env: { ...process.env, NODE_ENV: "production", ...env },
    stdio: ["ignore", "ignore", "inherit"],
  });
  try {
    return await untilServed(child, site);
  } finally {
    for (const pid of child.pid === undefined ? [] : processTree(child.pid).reverse()) kill(pid);
    site.disconnect();
    await once(site, "exit");
    await rm(stateDir, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Measured extends HostsReport {
  /** Milliseconds. */
  cpu: number;
  /** The most bytes at any time. */
  resident: number;
}

async function untilServed(child: ChildProcess, site: ChildProcess): Promise<Measured> {
  const { pid = 0 } = child;
  let cpu = 0;
  let resident = 0;
  let ended = false;
  child.once("exit", () => {
    ended = true;
  });
  for (let lastNewAt = Date.now(), known = 0; ; ) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    // All are 0 once the command has ended.
    cpu = Math.max(cpu, cpuMs(pid, "workerd"));
    resident = Math.max(resident, residentBytes(pid, "workerd") ?? 0);
    site.send("report");
    const [report] = (await once(site, "message")) as [HostsReport];
    if (report.pages > known) lastNewAt = Date.now();
    known = report.pages;
    if (ended || known === hosts * pages || Date.now() - lastNewAt > PATIENCE_MS) return { ...report, cpu, resident };
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // The process has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
