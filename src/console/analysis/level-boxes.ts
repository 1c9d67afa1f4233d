import type { CrawlView } from "../../api/views.ts";
import type { TreeCounts, TreeLevel } from "../../crawl/page/url-tree.ts";
import { mapAddress } from "../parts/addresses.ts";
import { bytes, count, plural } from "../parts/numbers.tsx";
import { type Box, boxState } from "./map-picture.tsx";
import { nameOf, rangeAddress, rangeName } from "./map-tree.tsx";

/** A level of the tree of paths as boxes. Each leads to its level. */

export type MapMeasure = "urls" | "bytes";

/** A level, and the levels of its largest children by segment. */
export interface MapLevels {
  level: TreeLevel;
  below: ReadonlyMap<string, TreeLevel>;
}

export function levelBoxes(crawl: CrawlView, { level, below }: MapLevels, by: MapMeasure): Box[] {
  const { path, children, ranges } = level;
  const nodes = children.map((node): Box => {
    const nested = below.get(node.segment);
    return {
      name: nameOf(node),
      href: node.isLeaf ? null : mapAddress(crawl.id, path + node.segment, by),
      ...boxOf(node, by),
      below: nested === undefined ? [] : levelBoxes(crawl, { level: nested, below: new Map() }, by),
    };
  });
  const others = ranges.map(
    (range, i): Box => ({
      name: rangeName(range),
      href: rangeAddress(crawl, path, ranges[i - 1]),
      ...boxOf(range, by),
      below: [],
    }),
  );
  return [...nodes, ...others];
}

function boxOf(counts: TreeCounts, by: MapMeasure): Pick<Box, "size" | "sizeText" | "summary" | "state"> {
  const queued = counts.queued > 0 ? `, ${count(counts.queued)} queued` : "";
  return {
    size: counts[by],
    sizeText: by === "bytes" ? bytes(counts.bytes) : count(counts.urls),
    summary: `${plural(counts.urls, "URL")}, ${count(counts.completed)} stored${queued}, ${count(counts.errored)} errored, ${bytes(counts.bytes)}`,
    state: boxState(counts),
  };
}
