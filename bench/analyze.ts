/**
 * Two passes over a synthetic crawl: seconds, CPU time and memory of workerd, the longest step, and the price of each.
 * The rows and packs are written at once, without a crawl. Most links lead to pages near their own; the targets of the
 * others are drawn so that few pages have most of them. With `--faults`, rows and pages have what a report finds, too:
 * 4% of the URLs redirect and 2% are broken, 3% of the links say "here", a link of each page has a fragment, of which a
 * tenth is missing, each page names an alternate, half of which do not return it, a fifth shares its title, and 1% is a
 * twin of the page before. Exits 1 if a pass costs more, a step takes more CPU time, or workerd grows more than the
 * limits below allow; with faults, it only measures.
 *
 *     node bench/analyze.ts [--pages 100000] [--links 20] [--heap-mb 64] [--faults] [--passes 2] [--per-member 25]
 *       [--live]
 *
 * CPU time and memory are those of workerd, upper bounds: here they include D1, R2 and Workflows. Memory is what it has
 * more than after the analysis of a crawl of one page. As on Cloudflare, the heap of each isolate has a limit, so V8
 * collects its garbage. The heap and buffers of the Worker's own isolate are asked of workerd's inspector, which
 * answers between two tasks. A step that lasts less than two polls may be counted with the next one.
 */

import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
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
import { hashId } from "../src/media/id-hash.ts";
import type { PageLink } from "../src/media/links/links.ts";
import { SKETCH_BYTES } from "../src/twins/text-print.ts";
import { startGeneratedSite } from "../test/sites/generated-site.ts";
import { cpuMs } from "./cpu.ts";
import { IsolateMemory } from "./isolate-memory.ts";
import { residentBytes } from "./memory.ts";

const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "100000" },
    links: { type: "string", default: "20" },
    "heap-mb": { type: "string", default: "64" },
    faults: { type: "boolean", default: false },
    passes: { type: "string", default: "2" },
    "per-member": { type: "string", default: "25" },
    live: { type: "boolean", default: false },
  },
});
const pages = Number(values.pages);
const links = Number(values.links);
/** USD per million pages: the first pass, and a later one. */
const MAX_USD = [1.1, 0.1];
const MAX_STEP_CPU_MS = 20_000;
const MAX_GROWTH_BYTES = 128e6;
/** https://developers.cloudflare.com/workers/platform/limits/#memory */
const MAX_ISOLATE_BYTES = 128 * 2 ** 20;
const PAGES_PER_MEMBER = Number(values["per-member"]);
/** Members of an object: R2 is asked for each object, and a member is read by its place. */
const MEMBERS_PER_PACK = 40;
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
  const inspector = await freePort();
  process.env.ORBWEAVER_INSPECTOR = String(inspector);
  const worker = await startLocal(state);
  const isolate = await IsolateMemory.open(inspector, "core:user:orbweaver");
  try {
    await analyzeSmall(small, worker);
    for (const [number, most] of MAX_USD.slice(0, Number(values.passes)).entries())
      await measurePass(number + 1, most, id, worker, isolate);
  } finally {
    isolate.close();
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
    /** Of each member: its place in its pack. */
    const places: [offset: number, length: number][] = [];
    for (let first = 0; first < pages; first += PAGES_PER_MEMBER * MEMBERS_PER_PACK) {
      const members: Uint8Array[] = [];
      let offset = 0;
      for (let i = 0; i < MEMBERS_PER_PACK; i++) {
        const member = makeMember(first + i * PAGES_PER_MEMBER);
        members.push(member);
        places.push([offset, member.length]);
        offset += member.length;
      }
      await bucket.put(`${crawl}/packs/${packName(first)}.warc.gz`, joinBytes(members));
    }
    const ledger = await stores.getD1Database("LEDGER");
    const insert = ledger.prepare(
      `INSERT INTO urls (crawl, url, depth, via, priority, seq, title, content_type, bytes,
         duration_ms, sha256, links_pack, links_offset, links_length, status, reason, detail, http_status, fingerprint,
         words)
       SELECT ?1, j.value ->> 0, 3, ?3, 0, j.value ->> 1, j.value ->> 2, 'text/html', 17000, 120,
         j.value ->> 3, j.value ->> 4, j.value ->> 5, j.value ->> 6, j.value ->> 7, j.value ->> 8, j.value ->> 9,
         j.value ->> 10, j.value ->> 11, 400 FROM json_each(?2) j`,
    );
    // What was crawled, a page and the sitemaps that were looked for, counts among them.
    const crawled = await ledger
      .prepare("SELECT count(*) AS n FROM urls WHERE crawl = ?")
      .bind(crawl)
      .first<number>("n");
    const added = pages - (crawled ?? 0);
    for (let first = 0; first < added; first += ROWS_PER_STATEMENT) {
      const rows = Array.from({ length: Math.min(ROWS_PER_STATEMENT, added - first) }, (_, i) => {
        const page = first + i;
        const sha256 = page.toString(16).padStart(64, "0");
        const kind = kindOf(page);
        const isPage = kind === "page";
        const place = isPage ? [packName(page), ...(places[Math.floor(page / PAGES_PER_MEMBER)] ?? [])] : [];
        const [pack = null, offset = null, length = null] = place;
        return [
          urlOf(page),
          page + 10,
          titleOf(page),
          sha256,
          pack,
          offset,
          length,
          ...outcomeOf(kind, page),
          fingerprintOf(page),
        ];
      });
      await insert.bind(crawl, JSON.stringify(rows), urlOf(0)).run();
    }
  } finally {
    await stores.dispose();
  }
}

type Kind = "page" | "redirect" | "broken";

function kindOf(page: number): Kind {
  if (!values.faults || page === 0) return "page";
  const drawn = randomFrom(page + 7_000_000)();
  return drawn < 0.04 ? "redirect" : drawn < 0.06 ? "broken" : "page";
}

function outcomeOf(
  kind: Kind,
  page: number,
): [status: string, reason: string | null, detail: string | null, http: number] {
  if (kind === "redirect") return ["skipped", "redirected", `to ${urlOf((page * 7 + 1) % pages)}`, 301];
  if (kind === "broken") return ["errored", "http-status", "status 404", 404];
  return ["completed", null, null, 200];
}

/** That of a twin differs in one bit from that of the page before. */
function fingerprintOf(page: number): string | null {
  if (!values.faults || kindOf(page) !== "page") return null;
  const isTwin = page % 100 === 1;
  const random = randomFrom((isTwin ? page - 1 : page) + 9_000_000);
  const words = [random(), random()].map((word) => Math.floor(word * 2 ** 32));
  if (isTwin) words[1] = ((words[1] as number) ^ 1) >>> 0;
  return words.map((word) => word.toString(16).padStart(8, "0")).join("");
}

/** Twins have the same one. */
function sketchOf(page: number): Uint8Array {
  const random = randomFrom((page % 100 === 1 ? page - 1 : page) + 9_000_000);
  return Uint8Array.from({ length: SKETCH_BYTES }, () => Math.floor(random() * 256));
}

/** The links of the pages of a member. */
function makeMember(first: number): Uint8Array {
  const lines = Array.from({ length: Math.max(0, Math.min(PAGES_PER_MEMBER, pages - first)) }, (_, i) => {
    const random = randomFrom(first + i);
    if (kindOf(first + i) !== "page") return new Uint8Array();
    const page = { title: titleOf(first + i), description: null, canonical: null, alternates: [], ids: [], dropped: 0 };
    return encodePageLinks({
      ...page,
      ...(values.faults ? faultsOf(first + i) : {}),
      url: urlOf(first + i),
      links: Array.from({ length: links }, (_, at): PageLink => {
        const near = Math.min(pages - 1, Math.max(0, first + i + Math.floor((random() - 0.5) * NEAR_PAGES)));
        const target = random() < NEAR ? near : Math.floor(random() ** 3 * pages);
        const place = random() < 0.5 ? "content" : "navigation";
        return {
          url: urlOf(target),
          text: values.faults && random() < 0.03 ? "here" : titleOf(target),
          kind: "a",
          rel: "",
          place,
          fragment: values.faults && at === 0 ? `part-${Math.floor(random() * 10)}` : null,
          nofollow: false,
        };
      }),
    });
  });
  const payload = joinBytes(lines);
  const facts = { url: `urn:links:${first}`, date: 1, sha256: sha256Of(payload), contentType: "application/jsonl" };
  return gzipMember(resourceRecord({ ...facts, payload }));
}

/** Nine ids of ten that links name; an alternate that names this page where both are even. */
function faultsOf(page: number) {
  const other = page % 2 === 0 ? page + 2 * (page % 4 === 0 ? 1 : -1) : page + 1;
  return {
    ids: Array.from({ length: 9 }, (_, i) => hashId(`part-${i}`)),
    alternates: [{ url: urlOf(Math.min(pages - 1, Math.max(0, other))), language: "fr" }],
    sketch: sketchOf(page),
  };
}

function urlOf(page: number): string {
  return `https://bench.test/section-${page % 37}/articles/${page}.html`;
}

function titleOf(page: number): string {
  return `Article ${values.faults && page % 5 === 0 ? Math.floor(page / 50) : page} of the bench`;
}

function packName(page: number): string {
  return `pack-${Math.floor(page / PAGES_PER_MEMBER / MEMBERS_PER_PACK)}`;
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** workerd has started all parts of itself then. */
async function analyzeSmall(id: string, worker: { url: string; token: string }): Promise<void> {
  const client = new Client(worker.url, worker.token);
  await client.analyze(id);
  while ((await client.passes(id))[0]?.status === "running") await sleep(POLL_MS);
}

async function measurePass(
  number: number,
  maxUsd: number,
  id: string,
  worker: { url: string; token: string },
  isolate: IsolateMemory,
) {
  const client = new Client(worker.url, worker.token);
  const { usage: before } = await client.crawl(id);
  const memoryBefore = residentBytes(process.pid, "workerd") ?? 0;
  const startedAt = performance.now();
  const cpuBefore = cpuMs(process.pid, "workerd");
  let memory = memoryBefore;
  let pass = (await client.analyze(id)) as Awaited<ReturnType<Client["passes"]>>[number];
  let step = { done: pass.stepsDone, cpu: cpuBefore };
  /**
   * By stage: steps, CPU milliseconds, those of the longest step, and the most resident bytes; those of the isolate.
   */
  const stages = new Map<
    string,
    { steps: number; cpu: number; longest: number; memory: number; heap: number; buffers: number }
  >();
  isolate.takePeak();
  while (pass.status === "running") {
    isolate.ask(values.live);
    await sleep(POLL_MS);
    const [now] = await client.passes(id);
    if (now === undefined) throw new Error("the pass is gone");
    const resident = residentBytes(process.pid, "workerd") ?? 0;
    memory = Math.max(memory, resident);
    if (now.stepsDone !== step.done || now.status !== "running") {
      const cpu = cpuMs(process.pid, "workerd");
      const stage = stages.get(pass.stage) ?? { steps: 0, cpu: 0, longest: 0, memory: 0, heap: 0, buffers: 0 };
      const own = isolate.takePeak();
      const most = own.heap + own.buffers > stage.heap + stage.buffers ? own : stage;
      const took = (cpu - step.cpu) / Math.max(1, now.stepsDone - step.done);
      stages.set(pass.stage, {
        steps: stage.steps + Math.max(1, now.stepsDone - step.done),
        cpu: stage.cpu + cpu - step.cpu,
        longest: Math.max(stage.longest, took),
        memory: Math.max(stage.memory, resident),
        heap: most.heap,
        buffers: most.buffers,
      });
      step = { done: now.stepsDone, cpu };
    }
    if (now.stage !== pass.stage) console.log(`${seconds(startedAt)} s: ${pass.stage}, ${now.stepsDone} steps done`);
    pass = now;
  }
  if (pass.status !== "completed") throw new Error(`the pass failed: ${pass.error}`);
  const cpu = cpuMs(process.pid, "workerd") - cpuBefore;
  const { usage: after } = await client.crawl(id);
  const usage: Usage = Object.fromEntries(RESOURCES.map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)]));
  const perMillion = (costUsd(usage) / pages) * 1e6;
  const growth = memory - memoryBefore;
  const longest = Math.max(...[...stages.values()].map((stage) => stage.longest));
  console.log(`\nPass ${number} over ${pages} pages with ${links} links each: ${seconds(startedAt)} s`);
  console.log(`${pass.stepsDone} steps, ${perMillion.toFixed(3)} USD per million pages`);
  console.log(`workerd: ${(cpu / 1_000).toFixed(1)} s of CPU, ${(growth / 1e6).toFixed(0)} MB more memory`);
  const own = Math.max(...[...stages.values()].map(({ heap, buffers }) => heap + buffers));
  console.log(`the Worker's isolate: at most ${(own / 2 ** 20).toFixed(0)} MiB of heap and buffers`);
  for (const [name, stage] of stages)
    console.log(
      `${name.padEnd(24)} ${String(stage.steps).padStart(4)} steps, ${(stage.cpu / 1_000).toFixed(1).padStart(7)} s of CPU, the longest ${(stage.longest / 1_000).toFixed(1)} s, ${((stage.memory - memoryBefore) / 1e6).toFixed(0)} MB more; isolate ${(stage.heap / 2 ** 20).toFixed(0)} + ${(stage.buffers / 2 ** 20).toFixed(0)} MiB`,
    );
  for (const name of RESOURCES)
    if ((usage[name] ?? 0) > 0) console.log(`${name.padEnd(24)} ${usage[name]?.toFixed(0)}`);
  if (own > MAX_ISOLATE_BYTES) process.exitCode = 1;
  if (values.faults) return;
  if (perMillion > maxUsd || longest > MAX_STEP_CPU_MS || growth > MAX_GROWTH_BYTES) process.exitCode = 1;
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1_000).toFixed(1);
}
