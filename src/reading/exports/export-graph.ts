import { unpackJson } from "../../core/formats/gzip-json.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { EdgeDecoder } from "../../graph/edges.ts";
import type { Graph, GraphEdge, GraphNode } from "../../graph/graph-files.ts";
import type { ListedRow } from "../../passes/list-rows.ts";
import { openResult, type PassResult } from "../../passes/sectioned-object.ts";
import type { PassResults } from "../needs.ts";

/**
 * Reads the link graph from the result of the crawl's last pass. In memory are one range of rows, one chunk of edges,
 * and 12 bytes for each URL.
 */

/** Null if no pass has ended with a result. */
export async function openGraph(
  { id: crawl }: Pick<Crawl, "id">,
  { passes, passObjects }: PassResults,
): Promise<Graph | null> {
  const pass = await passes.lastCompleted(crawl);
  if (pass === undefined) return null;
  const result = await openResult(pass, passObjects);
  return { nodes: () => readNodes(result), edges: () => readEdges(result) };
}

async function* readNodes(result: PassResult): AsyncGenerator<GraphNode, void> {
  const { rows, rowsPerRange, nodesPerBucket } = result.header;
  const ranks = rows === 0 ? new Float64Array() : new Float64Array((await result.bytes("ranks")).buffer);
  const inLinks = new Uint32Array(rows);
  for (let bucket = 0; bucket * nodesPerBucket < rows; bucket++)
    inLinks.set(new Uint32Array((await result.bytes(`in-counts-${bucket}`)).buffer), bucket * nodesPerBucket);
  for (let first = 0; first < rows; first += rowsPerRange) {
    const listed = unpackJson<ListedRow[]>(await result.bytes(`rows-${first / rowsPerRange}`));
    for (const [i, { url, status, title }] of listed.entries()) {
      const id = first + i;
      yield { id, url, status, title, pageRank: ranks[id] as number, inLinks: inLinks[id] as number };
    }
  }
}

async function* readEdges(result: PassResult): AsyncGenerator<GraphEdge, void> {
  const names = Object.keys(result.header.sections).filter((name) => name.startsWith("edges-"));
  let found: GraphEdge[] = [];
  const decoder = new EdgeDecoder((source, targets) => {
    for (const target of targets) found.push({ source, target });
  });
  for (const name of names) {
    for await (const chunk of await result.stream(name)) {
      decoder.push(chunk);
      yield* found;
      found = [];
    }
  }
  decoder.end();
  yield* found;
}
