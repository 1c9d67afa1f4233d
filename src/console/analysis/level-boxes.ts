import type { CrawlView } from "../../api/views.ts";
import { bytes, count, plural } from "../../core/shown-values.ts";
import type { TreeCounts, TreeLevel, TreeNode, TreeRange } from "../../crawl/page/url-tree.ts";
import { mapAddress } from "../parts/addresses.ts";
import { type Box, boxState } from "./map-picture.tsx";
import { nameOf, rangeAddress, rangeName } from "./map-tree.tsx";

/** A level of the tree of paths as boxes. Each leads to its level. */

export type MapMeasure = "urls" | "bytes";

/** A level, and the levels of its largest children by segment. */
export interface MapLevels {
  level: TreeLevel;
  below: ReadonlyMap<string, TreeLevel>;
}

/** More pages of one folder have no room for their names in the picture, so it shows ranges of names. */
const MOST_PAGES = 40;
const PAGE_RANGES = 24;

export function levelBoxes(crawl: CrawlView, { level, below }: MapLevels, by: MapMeasure): Box[] {
  const { path, children } = level;
  const pages = children.filter(({ isLeaf }) => isLeaf);
  const isFlat = pages.length + level.ranges.length > MOST_PAGES;
  const ranges = isFlat ? [...rangesOf(pages), ...level.ranges] : level.ranges;
  const nodes = children
    .filter(({ isLeaf }) => !isFlat || !isLeaf)
    .map((node): Box => {
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

/** Pages in ranges of about as many each, in the order of their names. */
function rangesOf(pages: readonly TreeNode[]): TreeRange[] {
  const sorted = pages.toSorted((a, b) => (a.segment < b.segment ? -1 : 1));
  const size = Math.max(1, Math.ceil(sorted.length / PAGE_RANGES));
  return Array.from({ length: Math.ceil(sorted.length / size) }, (_, i) => {
    const range = sorted.slice(i * size, (i + 1) * size);
    const sum = (of: keyof TreeCounts) => range.reduce((total, page) => total + page[of], 0);
    return {
      first: range[0]?.segment ?? "",
      last: range.at(-1)?.segment ?? "",
      children: range.length,
      ...{ urls: sum("urls"), completed: sum("completed"), queued: sum("queued"), errored: sum("errored") },
      bytes: sum("bytes"),
    };
  });
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
