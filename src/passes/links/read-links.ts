import { unpackJson } from "../../core/formats/gzip-json.ts";
import { redirectTarget } from "../../crawl/page/redirect-target.ts";
import { encodeEdges, splitByTarget } from "../../graph/edges.ts";
import { isEdgeKind } from "../../graph/linked-page.ts";
import { PairSink } from "../../graph/pairs.ts";
import { type Listed, type Member, readRows } from "../list-rows.ts";
import type { PassDeps, PassOrder, PassRun } from "../pass-run.ts";
import { ShapeSink } from "../text/page-shapes.ts";
import { MEMBERS_PER_STEP, membersFrom, readPages } from "../text/read-pages.ts";
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
  for (let first = 0; first < members; first += MEMBERS_PER_STEP) {
    const number = written.length;
    const stage = "Reading the links";
    written.push(await run.step(`links ${number}`, stage, (deps, order) => readMembers(first, number, deps, order)));
  }
  return {
    runs: written.length,
    places: written.map(({ places }) => places),
    edges: written.reduce((sum, { edges }) => sum + edges, 0),
  };
}

/** The number of steps of `readLinks`. */
export function countLinkSteps({ members }: Listed): number {
  return 1 + Math.ceil(members / MEMBERS_PER_STEP);
}

async function readRedirects(ranges: number, deps: PassDeps, order: PassOrder) {
  const index = await openIndex(deps, order);
  const pairs = new PairSink();
  let source = 0;
  for await (const row of readRows(ranges, deps, order)) {
    const url = redirectTarget({ reason: row.reason as never, detail: row.detail });
    const target = url === null ? null : index.find(url);
    if (target !== null) pairs.add(source, target);
    source += 1;
  }
  deps.meter.add({ cpuMs: source * CPU_MS_PER_REDIRECT_ROW });
  return writeRun(0, pairs, deps, order);
}

async function readMembers(first: number, run: number, deps: PassDeps, order: PassOrder) {
  const index = await openIndex(deps, order);
  const members = unpackJson<Member[]>(await deps.passObjects.bytes(order, "members"));
  const pairs = new PairSink();
  const shapes = new ShapeSink();
  for await (const { node, page } of readPages(membersFrom(first, members.length), members, index, deps, order)) {
    for (const { url, kind } of page.links) {
      const target = isEdgeKind(kind) ? index.find(url) : null;
      if (target !== null) pairs.add(node, target);
    }
    shapes.add(node, page);
    deps.meter.add({ cpuMs: CPU_MS_PER_PAGE + page.links.length * CPU_MS_PER_LINK });
  }
  await deps.passObjects.put(order, `shapes-${run}`, shapes.toBytes());
  return writeRun(run, pairs, deps, order);
}

async function writeRun(run: number, sink: PairSink, { passObjects }: PassDeps, order: PassOrder) {
  const pairs = sink.toPairs();
  const turned = [...splitByTarget(pairs, NODES_PER_BUCKET)].sort(([a], [b]) => a - b);
  const places: Place[] = [];
  let offset = 0;
  for (const [bucket, bytes] of turned) {
    places.push([bucket, offset, bytes.length]);
    offset += bytes.length;
  }
  const edges = pairs.length / 2;
  await passObjects.put(order, `turned-${run}`, Buffer.concat(turned.map(([, bytes]) => bytes)));
  await passObjects.put(order, `edges-${run}`, encodeEdges(pairs));
  return { places, edges };
}

export async function openIndex({ passObjects }: Pick<PassDeps, "passObjects">, order: PassOrder): Promise<UrlIndex> {
  return new UrlIndex(await passObjects.bytes(order, "index"), await readNames({ passObjects }, order));
}
