/** Runs one crawl of one fresh site by one peer, and measures it by the site's log. */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { SiteSize } from "../test/sites/generated-site.ts";
import { cpuMs } from "./cpu.ts";
import { cpuSecondsOf } from "./cpu-time.ts";
import { processTree, residentBytes } from "./memory.ts";
import type { Peer } from "./peer.ts";
import { type SiteProcess, startSiteProcess } from "./site-process.ts";
import type { SiteReport } from "./site-report.ts";

export interface Run {
  peer: string;
  pagesPerSecond: number;
  /** From the first request for a page to the last byte of the last one, by the site's log. */
  seconds: number;
  /** The seconds that the peer reports, by its own definition. */
  ownSeconds: number;
  /** CPU time of all its processes when the last page was served; undefined if not measured. */
  cpuSeconds: number | undefined;
  /** CPU time a page of the processes that are called `executable`, after the first tenth of the pages. */
  cpuMsPerPage: number;
  /** From starting the program to the first request of any kind. */
  readyMs: number;
  pageRequests: number;
  connections: number;
  /** Resident bytes when a third, nine tenths and all of the pages were served; undefined if not measured. */
  memory: { third: number | undefined; ninety: number | undefined; end: number | undefined };
}

const REPOSITORY = fileURLToPath(new URL("..", import.meta.url));
const MAX_RUN_MS = 15 * 60_000;

/** The only output of every peer. */
const outputSchema = z.object({ completed: z.number(), seconds: z.number() });

/** Throws if the peer fails, takes more than 15 minutes, or does not complete exactly all pages. */
export async function runPeer(peer: Peer, size: SiteSize): Promise<Run> {
  const tenth = Math.ceil(size.pages / 10);
  const third = Math.ceil(size.pages / 3);
  const ninety = Math.ceil(size.pages * 0.9);
  const memory = new Map<number, number | undefined>();
  let pid: number | undefined;
  let cpuSeconds: number | undefined;
  const cpu = new Map<number, number>();
  const site = await startSiteProcess(size, [tenth, third, ninety, size.pages], (pages) => {
    if (pid === undefined) return;
    cpu.set(pages, cpuMs(pid, peer.executable));
    memory.set(pages, residentBytes(pid, peer.executable));
    cpuSeconds = cpuSecondsOf(pid);
  });
  const stateDir = await mkdtemp(join(tmpdir(), `orbweaver-bench-${peer.name}-`));
  try {
    const startedAt = performance.timeOrigin + performance.now();
    const { args, env } = peer.command(`${site.origin}/`, stateDir);
    const output = await runNode(args, env, peer.folder ?? REPOSITORY, (started) => {
      pid = started;
    });
    const own = outputSchema.parse(JSON.parse(output));
    const report = await site.report();
    await verify(peer, size, own.completed, report, stateDir);
    const seconds = ((report.lastPageDoneAt ?? 0) - (report.firstPageAt ?? 0)) / 1000;
    return {
      peer: peer.name,
      pagesPerSecond: size.pages / seconds,
      seconds,
      ownSeconds: own.seconds,
      cpuSeconds,
      cpuMsPerPage: ((cpu.get(size.pages) ?? 0) - (cpu.get(tenth) ?? 0)) / (size.pages - tenth),
      readyMs: (report.firstRequestAt ?? 0) - startedAt,
      pageRequests: report.pageRequests,
      connections: report.connections,
      memory: { third: memory.get(third), ninety: memory.get(ninety), end: memory.get(size.pages) },
    };
  } finally {
    await closeAll(site, stateDir);
  }
}

async function verify(peer: Peer, size: SiteSize, completed: number, report: SiteReport, stateDir: string) {
  const bodies = (await peer.countBodies?.(stateDir)) ?? size.pages;
  if (completed !== size.pages || report.pages !== size.pages || bodies !== size.pages) {
    throw new Error(
      `${peer.name} did not complete all ${size.pages} pages: it says ${completed}, the site served ${report.pages}, ${bodies} bodies kept`,
    );
  }
}

/** Returns the standard output. Throws unless the program exits with 0. */
async function runNode(
  args: string[],
  env: Record<string, string>,
  folder: string,
  onStarted: (pid: number) => void,
): Promise<string> {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, NODE_ENV: "production", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = new Promise<string | number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(code ?? signal));
  });
  const { pid } = child;
  if (pid !== undefined) onStarted(pid);
  let stopped: string | undefined;
  const stop = (why: string) => {
    stopped = why;
    killTree(pid);
  };
  const timer = setTimeout(stop, MAX_RUN_MS, `more than ${MAX_RUN_MS / 1000} s`);
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  try {
    const [code, output, errors] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
    if (code !== 0)
      throw new Error(
        `node ${args.join(" ")} ended with ${code}${stopped ? ` (${stopped})` : ""}:\n${errors.slice(-4000)}`,
      );
    return output;
  } finally {
    clearTimeout(timer);
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
  }
}

/** Kills the program and its children. workerd would run on without it. */
function killTree(pid: number | undefined): void {
  if (pid === undefined) return;
  for (const member of processTree(pid).reverse()) {
    try {
      process.kill(member, "SIGKILL");
    } catch (error) {
      // The process has ended meanwhile.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

async function closeAll(site: SiteProcess, stateDir: string): Promise<void> {
  await site.close();
  await rm(stateDir, { recursive: true, force: true, maxRetries: 3 });
}
