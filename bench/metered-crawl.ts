/** Runs one crawl of generated hosts on this machine, and measures its use of the platform and of the machine. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { CrawlDetail } from "../src/api/views.ts";
import { Client } from "../src/cli/installation/client.ts";
import { startLocal } from "../src/cli/machine/workerd.ts";
import type { Usage } from "../src/crawl/bounds/usage.ts";
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
  /** Completed pages. */
  pages: number;
  /** From the first request to the last commit. */
  seconds: number;
  /** As the bindings report it. CPU time is that of all workerd processes. */
  usage: Usage;
  /** The peak of resident bytes of all workerd processes. */
  memory: number;
}

/** What a long crawl tells of itself meanwhile. */
export interface Watch {
  /** Called whenever this number of pages is completed, or a little later, with the crawl up to then. */
  every: number;
  onProgress(soFar: MeteredCrawl): void;
  /** Ends the crawl before its end. */
  stop: AbortSignal;
}

/** Memory and CPU time are read twice a second. The crawl is asked about as the command line does, ever more seldom. */
const SAMPLE_MS = 500;
const MAX_POLL_MS = 5_000;
/** Pages of the crawl that warms up the process: workerd compiles the Worker while it crawls. */
const WARM_UP_PAGES = 1_000;

/**
 * A first crawl of another site warms up the process, so that the rate of a small crawl is compared with that of a
 * large one; none of the measures counts it. Throws unless exactly all pages are completed or `stop` is aborted.
 */
export async function meteredCrawl({ hosts, pages, polite, store }: CrawlOrder, watch?: Watch): Promise<MeteredCrawl> {
  const state = await mkdtemp(join(tmpdir(), "orbweaver-metered-"));
  // It is priced as on Cloudflare.
  process.env.ORBWEAVER_LONG_LANES = "1";
  const worker = await startLocal(state);
  const client = new Client(worker.url, worker.token);
  try {
    await crawlSite(client, { hosts: 1, pages: WARM_UP_PAGES, polite: false, store });
    return await crawlSite(client, { hosts, pages, polite, store }, watch);
  } finally {
    await worker.dispose();
    await rm(state, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function crawlSite(client: Client, order: CrawlOrder, watch?: Watch): Promise<MeteredCrawl> {
  const { hosts, polite, store } = order;
  const pages = Math.ceil(order.pages / hosts);
  const site = await startGeneratedSite({ pages, host: "0.0.0.0", lazy: true });
  const address = (i: number) => `http://127.0.${1 + Math.floor(i / 250)}.${1 + (i % 250)}:${site.port}/`;
  const cpuBefore = cpuMs(process.pid, "workerd");
  let memory = 0;
  let watched = 0;
  try {
    const { id } = await client.start({
      urls: Array.from({ length: hosts }, (_, i) => address(i)),
      limit: 10_000_000,
      // All pages have one variant pattern.
      traps: { maxVariants: 10_000_000 },
      politeness: polite ? undefined : { minDelayMs: 0, maxConcurrencyPerHost: 8 },
      store,
    });
    for (let polledAt = 0, pollMs = SAMPLE_MS; ; await sleep(SAMPLE_MS)) {
      memory = Math.max(memory, residentBytes(process.pid, "workerd") ?? 0);
      if (performance.now() - polledAt < pollMs && !watch?.stop.aborted) continue;
      const crawl = await client.crawl(id);
      polledAt = performance.now();
      pollMs = Math.min(Math.max(SAMPLE_MS, crawl.seconds * 10), MAX_POLL_MS);
      // Of a million requests the log would take more than the crawl.
      site.log.length = 0;
      const soFar = measure(crawl, hosts, cpuMs(process.pid, "workerd") - cpuBefore, memory);
      if (crawl.status !== "running" && soFar.pages !== pages * hosts)
        throw new Error(`${soFar.pages} of ${pages * hosts} pages were completed`);
      if (crawl.status !== "running" || watch?.stop.aborted) return soFar;
      if (watch !== undefined && Math.floor(soFar.pages / watch.every) > watched) {
        watched = Math.floor(soFar.pages / watch.every);
        watch.onProgress(soFar);
      }
    }
  } finally {
    await site.close();
  }
}

function measure({ counts, seconds, usage }: CrawlDetail, hosts: number, cpu: number, memory: number): MeteredCrawl {
  return { hosts, pages: counts.completed, seconds, usage: { ...usage, cpuMs: cpu }, memory };
}
