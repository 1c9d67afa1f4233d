/**
 * Pages per second of Orbweaver and other crawlers, on one machine and one site, measured by the site's log.
 *
 *     npm run bench:throughput -- [--pages 3000] [--links 100] [--bytes 17000] [--runs 5] [--only PEER,...]
 *       [--against DIR]... [--json]
 *
 * Each DIR is another checkout, with its packages: the chosen peers named `orbweaver` run in it too, in turns. CPU time
 * a page is that of workerd (of the other peers, of their own program), user and system.
 */
import { basename, resolve } from "node:path";
import { parseArgs } from "node:util";
import { DEFAULT_SIZE } from "../test/sites/generated-site.ts";
import { median } from "./median.ts";
import type { Peer } from "./peer.ts";
import { crawlee, crawleeTuned } from "./peers/crawlee.ts";
import { limit, limitFitted } from "./peers/limit.ts";
import {
  orbweaver,
  orbweaverContent,
  orbweaverFiles,
  orbweaverMarkdown,
  orbweaverSearch,
  orbweaverTopic,
} from "./peers/orbweaver.ts";
import { scrapy } from "./peers/scrapy.ts";
import { wget } from "./peers/wget.ts";
import { type Run, runPeer } from "./run.ts";

interface Summary {
  peer: string;
  pagesPerSecond: number;
  cpuMsPerPage: number;
  readyMs: number;
  /** Medians of the resident bytes; undefined if not measured. */
  memory: Run["memory"];
  /** Memory at nine tenths of the pages divided by memory at a third. */
  memoryRatio: number | undefined;
}

const { values } = parseArgs({
  options: {
    pages: { type: "string", default: String(DEFAULT_SIZE.pages) },
    links: { type: "string", default: String(DEFAULT_SIZE.links) },
    bytes: { type: "string", default: String(DEFAULT_SIZE.bytes) },
    runs: { type: "string", default: "5" },
    only: { type: "string" },
    against: { type: "string", multiple: true, default: [] },
    json: { type: "boolean", default: false },
  },
});
const size = { pages: readCount("pages"), links: readCount("links"), bytes: readCount("bytes") };
const defaultPeers = [orbweaver, orbweaverFiles, limit, limitFitted, crawlee, crawleeTuned, scrapy, wget];
const allPeers = [...defaultPeers, orbweaverMarkdown, orbweaverSearch, orbweaverContent, orbweaverTopic];
const chosen = values.only === undefined ? defaultPeers : values.only.split(",").map(findPeer);
const peers = chosen.flatMap((peer) => [peer, ...(peer.name.startsWith("orbweaver") ? elsewhere(peer) : [])]);

const runs: Run[] = [];
for (let round = 1; round <= readCount("runs"); round++) {
  // Peers take turns, so that other load on the machine slows all of them.
  for (const peer of peers) {
    const run = await runPeer(peer, size);
    runs.push(run);
    process.stderr.write(`round ${round}: ${formatRun(run)}\n`);
  }
}
const summaries = peers.map(summarize);
const [ours] = summaries;
/** The median of the first peer divided by that of each other. */
const ratios = Object.fromEntries(
  summaries.flatMap(({ peer, pagesPerSecond }) =>
    ours === undefined || peer === ours.peer ? [] : [[peer, ours.pagesPerSecond / pagesPerSecond]],
  ),
);

if (values.json) {
  process.stdout.write(`${JSON.stringify({ ...size, runs, summaries, ratios })}\n`);
} else {
  const lines = [
    `${size.pages} pages of ${size.bytes} bytes with ${size.links} links, on loopback`,
    ...runs.map(formatRun),
    ...summaries.map(
      (summary) =>
        `${summary.peer.padEnd(18)} median ${perSecond(summary.pagesPerSecond)}, CPU ${summary.cpuMsPerPage.toFixed(2)} ms a page, ready in ${Math.round(summary.readyMs)} ms, memory ${memoryLine(summary.memory)}, ratio ${summary.memoryRatio?.toFixed(2) ?? "not measured"}`,
    ),
    ...Object.entries(ratios).map(([peer, ratio]) => `${ours?.peer} / ${peer}: ${ratio.toFixed(2)}`),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}

function findPeer(name: string): Peer {
  const peer = allPeers.find((one) => one.name === name);
  if (peer === undefined) throw new Error(`--only takes ${allPeers.map((one) => one.name).join(", ")}; not ${name}`);
  return peer;
}

/** The peer in the other checkouts. */
function elsewhere(peer: Peer): Peer[] {
  return values.against.map((folder) => ({
    ...peer,
    name: `${peer.name} in ${basename(resolve(folder))}`,
    folder: resolve(folder),
  }));
}

function summarize({ name }: Peer): Summary {
  const own = runs.filter(({ peer }) => peer === name);
  const memory = {
    third: medianMeasured(own.map((run) => run.memory.third)),
    ninety: medianMeasured(own.map((run) => run.memory.ninety)),
    end: medianMeasured(own.map((run) => run.memory.end)),
  };
  return {
    peer: name,
    pagesPerSecond: median(own.map((run) => run.pagesPerSecond)),
    cpuMsPerPage: median(own.map((run) => run.cpuMsPerPage)),
    readyMs: median(own.map((run) => run.readyMs)),
    memory,
    memoryRatio: memory.third && memory.ninety ? memory.ninety / memory.third : undefined,
  };
}

/** Undefined unless every run measured it. */
function medianMeasured(measures: (number | undefined)[]): number | undefined {
  const measured = measures.filter((bytes) => bytes !== undefined);
  return measured.length === measures.length ? median(measured) : undefined;
}

function formatRun(run: Run): string {
  return [
    run.peer.padEnd(18),
    perSecond(run.pagesPerSecond),
    `${run.seconds.toFixed(2)} s (own count ${run.ownSeconds.toFixed(2)} s)`,
    `CPU ${run.cpuMsPerPage.toFixed(2)} ms a page`,
    `in all ${run.cpuSeconds === undefined ? "not measured" : `${run.cpuSeconds.toFixed(2)} s`}`,
    `ready ${Math.round(run.readyMs)} ms`,
    `${run.pageRequests} page requests`,
    `${run.connections} connections`,
    `memory ${memoryLine(run.memory)}`,
  ].join("  ");
}

/** At a third of the pages, at nine tenths, and at the end. */
function memoryLine({ third, ninety, end }: Run["memory"]): string {
  return [third, ninety, end].map(megabytes).join(" > ");
}

function megabytes(bytes: number | undefined): string {
  return bytes === undefined ? "not measured" : `${Math.round(bytes / 1024 / 1024)} MiB`;
}

function perSecond(pagesPerSecond: number): string {
  return `${pagesPerSecond.toFixed(1).padStart(7)} pages/s`;
}

function readCount(option: "pages" | "links" | "bytes" | "runs"): number {
  const value = Number(values[option]);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${option} takes a whole number of at least 1`);
  return value;
}
