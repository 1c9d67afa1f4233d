import { BaseSet } from "../../graph/base-set.ts";
import { EdgeDecoder, type VisitEdges } from "../../graph/edges.ts";
import { scoreHits } from "../../graph/hits.ts";
import { UrlIndex } from "../../passes/links/url-index.ts";
import { openResult, type PassResult } from "../../passes/sectioned-object.ts";
import type { PassResults } from "../needs.ts";

/**
 * Scores the results of a search by the links among them and their neighbours, as the crawl's last pass found them. It
 * reads all edges twice: for a million pages with twenty million links, some 80 MB of R2 and half a second of CPU time.
 */

/** The authority of each of these URLs of the crawl, 0 to 1. A URL that the pass did not list has none. */
export type ReadAuthorities = (urls: readonly string[]) => Promise<ReadonlyMap<string, number>>;

/** Null if no pass has ended with a result. */
export async function openAuthorities(
  crawl: string,
  { passes, passObjects }: PassResults,
): Promise<ReadAuthorities | null> {
  const pass = await passes.lastCompleted(crawl);
  if (pass === undefined) return null;
  return async (urls) => {
    if (urls.length === 0) return new Map();
    const result = await openResult(pass, passObjects);
    const index = new UrlIndex(await result.bytes("index"));
    const nodes = new Map(
      urls.flatMap((url) => {
        const node = index.find(url);
        return node === null ? [] : [[url, node] as const];
      }),
    );
    const roots = [...new Set(nodes.values())];
    const set = new BaseSet(result.header.rows, roots);
    await readEdges(result, set.addNeighbours);
    await readEdges(result, set.addLinks);
    const { authorities } = scoreHits(set.size, set.links());
    return new Map([...nodes].map(([url, node]) => [url, authorities[roots.indexOf(node)] ?? 0]));
  };
}

async function readEdges(result: PassResult, visit: VisitEdges): Promise<void> {
  const decoder = new EdgeDecoder(visit);
  for (const name of Object.keys(result.header.sections).filter((section) => section.startsWith("edges-")))
    for await (const chunk of await result.stream(name)) decoder.push(chunk);
  decoder.end();
}
