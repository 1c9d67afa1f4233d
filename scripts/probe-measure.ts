import { setTimeout } from "node:timers/promises";
import type { CrawlDetail } from "../src/api/views.ts";
import { plural } from "../src/core/shown-values.ts";
import { UserError } from "../src/cli/errors.ts";
import { Client } from "../src/cli/installation/client.ts";

/** Measures an installation through its public API. */

export interface ProbeRequest {
  address: string;
  token: string;
  /** Pages on different hosts that answer quickly. */
  fast: string[];
  /** Pages on different hosts that never answer, or answer late, and whose robots.txt answers. */
  silent: string[];
  timeoutMs: number;
  /** The delay between two requests to a host. */
  minDelayMs: number;
}

/** Times are in milliseconds. */
export interface Measurements {
  /** Medians of requests to the API: no binding; one read of D1; a call of the gate of each fast host. */
  healthMs: number;
  ledgerMs: number;
  gatesMs: number;
  /** From the request that starts a crawl to the first page, on hosts that were not asked before. */
  firstPageMs: number;
  /** A dry run of one URL: a delivery of the queue, a gate call and a commit, and no request to a site. */
  dryRunMs: number;
  /** Until every fast page is stored: alone, and in one crawl after the silent ones. Null without silent pages. */
  aloneMs: number;
  besideMs: number | null;
  /** The same until the API shows them: until their batches were committed. */
  besideShownMs: number | null;
  /** The fast hosts with links of one page each. */
  pages: number;
  pagesPerSecond: number;
  /** URLs of that crawl for each batch of the queue. */
  urlsPerBatch: number;
  usdPerMillionPages: number;
}

const ROUNDS = 9;
const POLL_MS = 50;
/** A crawl waits at most for this many timeouts. */
const MAX_TIMEOUTS = 8;

/** Deletes the crawls that it makes. Throws UserError if the installation refuses, or a crawl does not end. */
export async function measure(request: ProbeRequest, say: (line: string) => void): Promise<Measurements> {
  const probe = new Probe(request);
  try {
    say("API, ledger ...");
    const healthMs = await median(() => probe.get("/health"));
    const ledgerMs = await median(() => probe.get("/api/crawls?limit=1"));
    say(`A first crawl of ${request.fast.length} hosts ...`);
    const first = await probe.crawl(request.fast, { depth: 0 });
    const gatesMs = await median(() => probe.get(`/api/crawls/${first.crawl.id}/hosts`));
    say("A dry run ...");
    const dryRun = await probe.crawl(request.fast.slice(0, 1), { depth: 0, dryRun: true });
    say("The same crawl again ...");
    const alone = await probe.crawl(request.fast, { depth: 0 });
    say("The same crawl with links ...");
    const rate = await probe.crawl(request.fast, { depth: 1, limit: request.fast.length * 5 });
    let beside: Run | null = null;
    if (request.silent.length > 0) {
      say(`The same crawl beside ${request.silent.length} silent hosts ...`);
      const urls = [...request.silent, ...request.fast];
      beside = await probe.crawl(urls, { depth: 0 }, request.fast.length);
    }
    const { counts, total, usage, costUsd, seconds } = rate.crawl;
    return {
      healthMs,
      ledgerMs,
      gatesMs,
      firstPageMs: first.firstPageMs,
      dryRunMs: dryRun.endMs,
      aloneMs: alone.lastPageMs,
      besideMs: beside?.lastPageMs ?? null,
      besideShownMs: beside?.endMs ?? null,
      pages: counts.completed,
      pagesPerSecond: counts.completed / Math.max(seconds, 0.001),
      urlsPerBatch: total / Math.max(1, usage.workerRequests ?? 1),
      usdPerMillionPages: (costUsd / Math.max(1, counts.completed)) * 1_000_000,
    };
  } finally {
    await probe.clear();
  }
}

interface Run {
  crawl: CrawlDetail;
  /** By the clock of the installation, from its answer that the crawl exists. */
  firstPageMs: number;
  lastPageMs: number;
  /** By the clock of this machine, until the crawl was seen to have ended. */
  endMs: number;
}

class Probe {
  readonly #request: ProbeRequest;
  readonly #client: Client;
  readonly #made: string[] = [];

  constructor(request: ProbeRequest) {
    this.#request = request;
    this.#client = new Client(request.address, request.token);
  }

  async get(path: string): Promise<void> {
    const headers = { authorization: `Bearer ${this.#request.token}` };
    const response = await fetch(new URL(path, this.#request.address), { headers });
    await response.arrayBuffer();
    if (!response.ok) throw new UserError(`${this.#request.address}${path} answered ${response.status}.`);
  }

  /** Waits until the crawl has ended, or has stored `enough` pages; then it is cancelled. */
  async crawl(urls: string[], options: Record<string, unknown>, enough = Number.POSITIVE_INFINITY): Promise<Run> {
    const { timeoutMs, minDelayMs } = this.#request;
    const politeness = { minDelayMs, maxDelayMs: Math.max(minDelayMs, 60_000) };
    const startedAt = performance.now();
    const { id } = await this.#client.start({
      urls,
      limit: urls.length,
      source: "links",
      timeoutMs,
      politeness,
      ...options,
    });
    this.#made.push(id);
    let crawl = await this.#client.crawl(id);
    while (crawl.status === "running" && crawl.counts.completed < enough) {
      if (performance.now() - startedAt > timeoutMs * MAX_TIMEOUTS + 60_000) {
        throw new UserError(`A crawl did not end: ${crawl.counts.completed} of ${crawl.total} URLs are stored.`);
      }
      await setTimeout(POLL_MS);
      crawl = await this.#client.crawl(id);
    }
    const endMs = performance.now() - startedAt;
    if (crawl.status === "running") await this.#client.act(id, "cancel");
    const times: number[] = [];
    for await (const { fetchedAt } of this.#client.records(id, { status: "completed" })) {
      if (fetchedAt !== null) times.push(Date.parse(fetchedAt) - Date.parse(crawl.createdAt));
    }
    if (times.length === 0 && options.dryRun !== true) throw new UserError(await this.#describeNone(id, urls.length));
    return { crawl, firstPageMs: Math.min(...times), lastPageMs: Math.max(...times), endMs };
  }

  async #describeNone(id: string, urls: number): Promise<string> {
    for await (const { url, explanation } of this.#client.records(id, {}))
      return `None of ${plural(urls, "page")} was stored, such as ${url}: ${explanation}.`;
    return `None of ${plural(urls, "page")} was stored.`;
  }

  async clear(): Promise<void> {
    for (const id of this.#made) while (!(await this.#client.delete(id, true)).done);
  }
}

async function median(work: () => Promise<void>): Promise<number> {
  await work();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
}
