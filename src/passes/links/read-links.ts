import { redirectTarget } from "../../crawl/page/redirect-target.ts";
import { encodeEdges, splitByTarget } from "../../graph/edges.ts";
import { isEdgeKind } from "../../graph/linked-page.ts";
import { PairSink } from "../../graph/pairs.ts";
import { type Listed, readRows } from "../list-rows.ts";
import { countMemberSteps, memberGroups } from "../members.ts";
import type { PassDeps, PassOrder, PassRun } from "../pass-run.ts";
import { ShapeSink } from "../text/page-shapes.ts";
import { readPages } from "../text/read-pages.ts";
import { UrlIndex } from "./url-index.ts";
import { readNames } from "./write-same-pages.ts";

/**
 * Reads the links of all pages, and writes them as edges in runs: `edges-N` from sources to targets, and `turned-N`
 * from targets to sources, divided by buckets of targets. Run 0 has the redirects, and each other one the members of a
 * range, so all links of a source are in one run. `shapes-N` has what the sections need of the pages.
 */

/** In-links of this many targets are read together. */
export const NODES_PER_BUCKET = 16_384;
/** As measured in Node, rounded up: 0.07 ms for a page of 20 links, 0.26 ms for one of 100. */
const CPU_MS_PER_PAGE = 0.03;
const CPU_MS_PER_LINK = 0.003;
const CPU_MS_PER_REDIRECT_ROW = 0.01;

/** Where the run of a bucket is in `turned-N`. */
type Place = [bucket: number, offset: number, length: number];

export interface LinkRuns {
  /** Objects `edges-N` and `turned-N`. */
  runs: number;
  /** By run. */
  places: Place[][];
  edges: number;
}

export async function readLinks(run: PassRun, { ranges, members }: Listed): Promise<LinkRuns> {
  const written = [
    await run.step("redirects", "Reading the redirects", (deps, order) => readRedirects(ranges, deps, order)),
  ];
  for (const { group, numbers } of memberGroups(members)) {
    const number = group + 1;
    const stage = "Reading the links";
    written.push(
      await run.step(`links ${number}`, stage, (deps, order) => readMembers(numbers(), number, deps, order)),
    );
  }
  return {
    runs: written.length,
    places: written.map(({ places }) => places),
    edges: written.reduce((sum, { edges }) => sum + edges, 0),
  };
}

/** The number of steps of `readLinks`. */
export function countLinkSteps({ members }: Listed): number {
  return 1 + countMemberSteps(members);
}

async function readRedirects(ranges: number, deps: PassDeps, order: PassOrder) {
  const index = await openIndex(deps, order);
  const runs = new RunSink();
  let source = 0;
  for await (const row of readRows(ranges, deps, order)) {
    const url = redirectTarget({ reason: row.reason as never, detail: row.detail });
    const target = url === null ? null : index.find(url);
    if (target !== null) runs.add(source, target);
    runs.endSource();
    source += 1;
  }
  deps.meter.add({ cpuMs: source * CPU_MS_PER_REDIRECT_ROW });
  return writeRun(0, runs, deps, order);
}

async function readMembers(numbers: number[], run: number, deps: PassDeps, order: PassOrder) {
  const index = await openIndex(deps, order);
  const runs = new RunSink();
  const shapes = new ShapeSink();
  for await (const { node, page } of readPages(numbers, index, deps, order)) {
    for (const { url, kind } of page.links) {
      const target = isEdgeKind(kind) ? index.find(url) : null;
      if (target !== null) runs.add(node, target);
    }
    runs.endSource();
    shapes.add(node, page);
    deps.meter.add({ cpuMs: CPU_MS_PER_PAGE + page.links.length * CPU_MS_PER_LINK });
  }
  await deps.passObjects.put(order, `shapes-${run}`, shapes.toBytes());
  return writeRun(run, runs, deps, order);
}

/** Pairs in memory until they are encoded: 8 MB, and as much again while they are turned. */
const MAX_PAIRS = 1_000_000;

/** Collects edges as runs: some two bytes an edge, however many links the pages of a step have. */
class RunSink {
  #pairs = new PairSink();
  readonly #runs: Uint8Array[] = [];
  /** By bucket. */
  readonly #turned = new Map<number, Uint8Array[]>();
  edges = 0;

  add(source: number, target: number): void {
    this.#pairs.add(source, target);
  }

  /** All links of a source are in one run. */
  endSource(): void {
    if (this.#pairs.count >= MAX_PAIRS) this.#encode();
  }

  finish(): { bytes: Uint8Array; turned: [bucket: number, bytes: Uint8Array][] } {
    if (this.#pairs.count > 0 || this.#runs.length === 0) this.#encode();
    const turned = [...this.#turned].sort(([a], [b]) => a - b);
    return {
      bytes: Buffer.concat(this.#runs),
      turned: turned.map(([bucket, runs]) => [bucket, Buffer.concat(runs)]),
    };
  }

  #encode(): void {
    const pairs = this.#pairs.toPairs();
    this.edges += pairs.length / 2;
    for (const [bucket, bytes] of splitByTarget(pairs, NODES_PER_BUCKET)) {
      const runs = this.#turned.get(bucket) ?? [];
      this.#turned.set(bucket, runs);
      runs.push(bytes);
    }
    this.#runs.push(encodeEdges(pairs));
    this.#pairs = new PairSink();
  }
}

async function writeRun(run: number, sink: RunSink, { passObjects }: PassDeps, order: PassOrder) {
  const { bytes, turned } = sink.finish();
  const places: Place[] = [];
  let offset = 0;
  for (const [bucket, { length }] of turned) {
    places.push([bucket, offset, length]);
    offset += length;
  }
  await passObjects.put(order, `turned-${run}`, Buffer.concat(turned.map(([, some]) => some)));
  await passObjects.put(order, `edges-${run}`, bytes);
  return { places, edges: sink.edges };
}

export async function openIndex({ passObjects }: Pick<PassDeps, "passObjects">, order: PassOrder): Promise<UrlIndex> {
  return new UrlIndex(await passObjects.bytes(order, "index"), await readNames({ passObjects }, order));
}
