import { packJson, unpackJson } from "../../core/formats/gzip-json.ts";
import { isEdgeKind } from "../../graph/linked-page.ts";
import { type Listed, ROWS_PER_RANGE } from "../list-rows.ts";
import { countMemberSteps, memberGroups } from "../members.ts";
import type { PassDeps, PassOrder, PassRun } from "../pass-run.ts";
import { readPages } from "../text/read-pages.ts";
import { openIndex } from "./read-links.ts";

/**
 * Reads the words of links: the different texts of the links to each page. Objects `anchors-N` have those that a step
 * found, divided by ranges of the targets. A menu has the same texts on each page, so they are few.
 */

/** Different texts of links to a page; the first ones count. */
const MAX_TEXTS = 20;
/** Texts that a step keeps: some 40 MB. */
const MAX_TEXTS_OF_STEP = 300_000;
const CPU_MS_PER_PAGE = 0.1;

/** The texts of links to a node. */
type Anchors = [node: number, texts: string[]];

/** Where the anchors of a range are in `anchors-N`. */
type Place = [range: number, offset: number, length: number];

export interface AnchorRuns {
  /** By run. */
  places: Place[][];
}

/** The number of steps of `gatherAnchors`. */
export function countAnchorSteps({ members }: Listed): number {
  return countMemberSteps(members);
}

export async function gatherAnchors(run: PassRun, { members }: Listed): Promise<AnchorRuns> {
  const places: Place[][] = [];
  for (const { group: number, numbers } of memberGroups(members)) {
    places.push(
      await run.step(`anchors ${number}`, "Reading the words of links", (deps, order) =>
        readMembers(numbers(), number, deps, order),
      ),
    );
  }
  return { places };
}

async function readMembers(numbers: number[], run: number, deps: PassDeps, order: PassOrder): Promise<Place[]> {
  const { passObjects, meter } = deps;
  const index = await openIndex(deps, order);
  const texts = new Map<number, Set<string>>();
  let kept = 0;
  for await (const { node, page } of readPages(numbers, index, deps, order)) {
    for (const { url, text, kind } of page.links) {
      const target = text !== "" && isEdgeKind(kind) ? index.find(url) : null;
      if (target === null || target === node) continue;
      const known = texts.get(target) ?? new Set<string>();
      texts.set(target, known);
      if (known.has(text) || known.size >= MAX_TEXTS || kept >= MAX_TEXTS_OF_STEP) continue;
      known.add(text);
      kept += 1;
    }
    meter.add({ cpuMs: CPU_MS_PER_PAGE });
  }
  const anchors = [...texts].map(([node, known]): Anchors => [node, [...known]]).sort(([a], [b]) => a - b);
  const byRange = [...Map.groupBy(anchors, ([node]) => Math.floor(node / ROWS_PER_RANGE))];
  const packed = byRange.map(([range, some]) => [range, packJson(some)] as const);
  const places: Place[] = [];
  let offset = 0;
  for (const [range, bytes] of packed) {
    places.push([range, offset, bytes.length]);
    offset += bytes.length;
  }
  await passObjects.put(order, `anchors-${run}`, Buffer.concat(packed.map(([, bytes]) => bytes)));
  return places;
}

/** The texts of links to the pages of a range, by node. */
export async function readAnchors(
  range: number,
  { places }: AnchorRuns,
  { passObjects }: PassDeps,
  order: PassOrder,
): Promise<Map<number, string[]>> {
  const texts = new Map<number, string[]>();
  for (const [run, own] of places.entries())
    for (const [, offset, length] of own.filter((place) => place[0] === range)) {
      const bytes = await passObjects.bytes(order, `anchors-${run}`, { offset, length });
      for (const [node, found] of unpackJson<Anchors[]>(bytes)) {
        const known = texts.get(node) ?? [];
        texts.set(node, [...new Set([...known, ...found])].slice(0, MAX_TEXTS));
      }
    }
  return texts;
}
