/**
 * Two passes over a synthetic crawl: seconds, CPU time and memory of workerd, the longest step, and the price of each.
 * The rows and packs are written at once, without a crawl. Most links lead to pages near their own; the targets of the
 * others are drawn so that few pages have most of them. Exits 1 if a pass costs more, a step takes more CPU time, or
 * workerd grows more than the limits below allow.
 *
 *     node bench/analyze.ts [--pages 100000] [--links 20] [--heap-mb 24]
 *
 * CPU time and memory are those of workerd, upper bounds: here they include D1, R2 and Workflows. Memory is what it has
 * more than after the analysis of a crawl of one page. As on Cloudflare, the heap of each isolate has a limit, so V8
 * collects its garbage. A step that lasts less than two polls may be counted with the next one.
 */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { gzipMember } from "../src/archive/gzip-member.ts";
import { sha256Of } from "../src/archive/sha256.ts";
import { resourceRecord } from "../src/archive/warc-record.ts";
import { Client } from "../src/cli/installation/client.ts";
import { startLocal } from "../src/cli/machine/workerd.ts";
import { joinBytes } from "../src/core/join-bytes.ts";
import { costUsd, RESOURCES, type Usage } from "../src/crawl/bounds/usage.ts";
import { encodePageLinks } from "../src/graph/page-links.ts";
import type { PageLink } from "../src/media/links/links.ts";
import { startGeneratedSite } from "../test/sites/generated-site.ts";
import { cpuMs } from "./cpu.ts";
import { residentBytes } from "./memory.ts";

const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "100000" },
    links: { type: "string", default: "20" },
    "heap-mb": { type: "string", default: "24" },
  },
});
const pages = Number(values.pages);
const links = Number(values.links);
/** USD per million pages: the first pass, and a later one. */
const MAX_USD = [1.1, 0.1];
const MAX_STEP_CPU_MS = 20_000;
const MAX_GROWTH_BYTES = 128e6;
const PAGES_PER_PACK = 25;
const PACKS_AT_ONCE = 8;
const ROWS_PER_STATEMENT = 5_000;
/** Of the links, the share that leads to pages near their own, and how near. */
const NEAR = 0.9;
const NEAR_PAGES = 200;
const POLL_MS = 50;
/** Each of the isolates in workerd has so much; buffers lie outside. On Cloudflare ours has 128 MB with its buffers. */
const HEAP_MB = Number(values["heap-mb"]);

const state = await mkdtemp(join(tmpdir(), "orbweaver-analyze-"));
try {
  const [small, id] = await crawlTwice();
  await addPages(id);
  process.env.MINIFLARE_WORKERD_V8_FLAGS = `--max-semi-space-size=1 --initial-old-space-size=4 --max-old-space-size=${HEAP_MB}`;
  const worker = await startLocal(state);
  try {
    await analyzeSmall(small, worker);
    for (const [number, most] of MAX_USD.entries()) await measurePass(number + 1, most, id, worker);
  } finally {
    await worker.dispose();
  }
} finally {
  await rm(state, { recursive: true, force: true, maxRetries: 3 });
}

/** Two crawls of one page. The pages are added to the second. */
async function crawlTwice(): Promise<[string, string]> {
  const site = await startGeneratedSite({ pages: 1, links: 0, bytes: 500 });
  const worker = await startLocal(state);
  try {
    const client = new Client(worker.url, worker.token);
    const crawlOne = async () => {
      const { id } = await client.start({ urls: [`${site.origin}/`], politeness: { minDelayMs: 0 } });
      while ((await client.crawl(id)).status === "running") await sleep(POLL_MS);
      return id;
    };
    return [await crawlOne(), await crawlOne()];
  } finally {
    await worker.dispose();
    await site.close();
  }
}

async function addPages(crawl: string): Promise<void> {
  const options = {
    modules: true,
    script: "export default {}",
    d1Databases: { LEDGER: { id: "LEDGER" } },
    r2Buckets: { MIRROR: "orbweaver-mirror" },
    resourcePersistencePath: join(state, "v3"),
  };
  const stores = new Miniflare(convertV4MiniflareOptions(options));
  try {
    const bucket = await stores.getR2Bucket("MIRROR");
    const lengths: number[] = [];
    for (let first = 0; first < pages; first += PAGES_PER_PACK * PACKS_AT_ONCE) {
      const firsts = Array.from({ length: PACKS_AT_ONCE }, (_, i) => first + i * PAGES_PER_PACK);
      await Promise.all(
        firsts.map(async (from) => {
          const member = makeMember(from);
          lengths[from / PAGES_PER_PACK] = member.length;
          await bucket.put(`${crawl}/packs/${packName(from)}.warc.gz`, member);
        }),
      );
    }
    const ledger = await stores.getD1Database("LEDGER");
    const insert = ledger.prepare(
      `INSERT INTO urls (crawl, url, status, depth, via, priority, seq, http_status, title, content_type, bytes,
         duration_ms, sha256, links_pack, links_offset, links_length)
       SELECT ?1, j.value ->> 0, 'completed', 3, ?3, 0, j.value ->> 1, 200, j.value ->> 2, 'text/html', 17000, 120,
         j.value ->> 3, j.value ->> 4, 0, j.value ->> 5 FROM json_each(?2) j`,
    );
    for (let first = 0; first < pages; first += ROWS_PER_STATEMENT) {
      const rows = Array.from({ length: Math.min(ROWS_PER_STATEMENT, pages - first) }, (_, i) => {
        const page = first + i;
        const pack = Math.floor(page / PAGES_PER_PACK);
        const sha256 = page.toString(16).padStart(64, "0");
        return [urlOf(page), page + 10, titleOf(page), sha256, packName(page), lengths[pack]];
      });
      await insert.bind(crawl, JSON.stringify(rows), urlOf(0)).run();
    }
  } finally {
    await stores.dispose();
  }
}

/** The links of the pages of a pack. */
function makeMember(first: number): Uint8Array {
  const lines = Array.from({ length: Math.max(0, Math.min(PAGES_PER_PACK, pages - first)) }, (_, i) => {
    const random = randomFrom(first + i);
    const page = { title: titleOf(first + i), description: null, canonical: null, alternates: [], ids: [], dropped: 0 };
    return encodePageLinks({
      ...page,
      url: urlOf(first + i),
      links: Array.from({ length: links }, (): PageLink => {
        const near = Math.min(pages - 1, Math.max(0, first + i + Math.floor((random() - 0.5) * NEAR_PAGES)));
        const target = random() < NEAR ? near : Math.floor(random() ** 3 * pages);
        const place = random() < 0.5 ? "content" : "navigation";
        return {
          url: urlOf(target),
          text: titleOf(target),
          kind: "a",
          rel: "",
          place,
          fragment: null,
          nofollow: false,
        };
      }),
    });
  });
  const payload = joinBytes(lines);
  const facts = { url: `urn:links:${first}`, date: 1, sha256: sha256Of(payload), contentType: "application/jsonl" };
  return gzipMember(resourceRecord({ ...facts, payload }));
}

function urlOf(page: number): string {
  return `https://bench.test/section-${page % 37}/articles/${page}.html`;
}

function titleOf(page: number): string {
  return `Article ${page} of the bench`;
}

function packName(page: number): string {
  return `pack-${Math.floor(page / PAGES_PER_PACK)}`;
}

/** mulberry32. */
function randomFrom(seed: number): () => number {
  let state32 = (seed + 1) * 0x9e37_79b1;
  return () => {
    state32 = (state32 + 0x6d2b_79f5) | 0;
    let t = Math.imul(state32 ^ (state32 >>> 15), 1 | state32);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** workerd has started all parts of itself then. */
async function analyzeSmall(id: string, worker: { url: string; token: string }): Promise<void> {
  const client = new Client(worker.url, worker.token);
  await client.analyze(id);
  while ((await client.passes(id))[0]?.status === "running") await sleep(POLL_MS);
}

async function measurePass(number: number, maxUsd: number, id: string, worker: { url: string; token: string }) {
  const client = new Client(worker.url, worker.token);
  const { usage: before } = await client.crawl(id);
  const memoryBefore = residentBytes(process.pid, "workerd") ?? 0;
  const startedAt = performance.now();
  const cpuBefore = cpuMs(process.pid, "workerd");
  let memory = memoryBefore;
  let pass = (await client.analyze(id)) as Awaited<ReturnType<Client["passes"]>>[number];
  let step = { done: pass.stepsDone, cpu: cpuBefore };
  /** By stage: steps, CPU milliseconds, those of the longest step, and the most resident bytes. */
  const stages = new Map<string, { steps: number; cpu: number; longest: number; memory: number }>();
  while (pass.status === "running") {
    await sleep(POLL_MS);
    const [now] = await client.passes(id);
    if (now === undefined) throw new Error("the pass is gone");
    const resident = residentBytes(process.pid, "workerd") ?? 0;
    memory = Math.max(memory, resident);
    if (now.stepsDone !== step.done || now.status !== "running") {
      const cpu = cpuMs(process.pid, "workerd");
      const stage = stages.get(pass.stage) ?? { steps: 0, cpu: 0, longest: 0, memory: 0 };
      const took = (cpu - step.cpu) / Math.max(1, now.stepsDone - step.done);
      stages.set(pass.stage, {
        steps: stage.steps + Math.max(1, now.stepsDone - step.done),
        cpu: stage.cpu + cpu - step.cpu,
        longest: Math.max(stage.longest, took),
        memory: Math.max(stage.memory, resident),
      });
      step = { done: now.stepsDone, cpu };
    }
    pass = now;
  }
  if (pass.status !== "completed") throw new Error(`the pass failed: ${pass.error}`);
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpu = cpuMs(process.pid, "workerd") - cpuBefore;
  const { usage: after } = await client.crawl(id);
  const usage: Usage = Object.fromEntries(RESOURCES.map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)]));
  const perMillion = (costUsd(usage) / pages) * 1e6;
  const growth = memory - memoryBefore;
  const longest = Math.max(...[...stages.values()].map((stage) => stage.longest));
  console.log(`\nPass ${number} over ${pages} pages with ${links} links each: ${seconds.toFixed(1)} s`);
  console.log(`${pass.stepsDone} steps, ${perMillion.toFixed(3)} USD per million pages`);
  console.log(`workerd: ${(cpu / 1_000).toFixed(1)} s of CPU, ${(growth / 1e6).toFixed(0)} MB more memory`);
  for (const [name, stage] of stages)
    console.log(
      `${name.padEnd(24)} ${String(stage.steps).padStart(4)} steps, ${(stage.cpu / 1_000).toFixed(1).padStart(7)} s of CPU, the longest ${(stage.longest / 1_000).toFixed(1)} s, ${((stage.memory - memoryBefore) / 1e6).toFixed(0)} MB more`,
    );
  for (const name of RESOURCES)
    if ((usage[name] ?? 0) > 0) console.log(`${name.padEnd(24)} ${usage[name]?.toFixed(0)}`);
  if (perMillion > maxUsd || longest > MAX_STEP_CPU_MS || growth > MAX_GROWTH_BYTES) process.exitCode = 1;
}
