import type { FC } from "hono/jsx";
import type { CrawlView } from "../api/views.ts";
import type { TreeCounts, TreeLevel } from "../crawl/url-tree.ts";
import { mapAddress } from "./addresses.ts";
import { nameOf, rangeAddress, rangeName } from "./map-tree.tsx";
import { bytes, count, plural } from "./numbers.tsx";
import { type Area, squarify } from "./treemap.ts";

/**
 * A level of the tree as a treemap, drawn on the server: wide for desktops and tall for phones. Each area links to its
 * level. Screen readers skip it, because the tree below it has the same numbers as text.
 */

export type MapMeasure = "urls" | "bytes";

/** A level, and the levels of its largest children by segment. */
export interface MapLevels {
  level: TreeLevel;
  below: ReadonlyMap<string, TreeLevel>;
}

interface PictureProps extends MapLevels {
  crawl: CrawlView;
  by: MapMeasure;
}

const SHAPES = [
  { name: "wide", width: 1000, height: 400 },
  { name: "tall", width: 360, height: 440 },
] as const;
/** Heights in SVG units: of the name above nested areas, and of the gap around an area. */
const HEAD = 22;
const GAP = 3;
/** Smaller areas have no name and no nested areas. */
const MIN_WIDTH = 42;
const MIN_HEIGHT = 24;
/** The approximate width of a character. */
const CHARACTER_WIDTH = 6.7;

export const MapPicture: FC<PictureProps> = (props) => (
  <>
    {SHAPES.map(({ name, width, height }) => (
      <svg class={`treemap ${name}`} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        <Level {...props} area={{ x: 0, y: 0, width, height }} />
      </svg>
    ))}
  </>
);

const Level: FC<PictureProps & { area: Area }> = ({ crawl, by, level, below, area }) => {
  const boxes = boxesOf(crawl, level, by);
  const areas = squarify(
    boxes.map(({ counts }) => counts[by]),
    area,
  );
  return (
    <>
      {boxes.map((box, i) => (
        <BoxPicture
          crawl={crawl}
          by={by}
          box={box}
          area={areas[i] ?? area}
          below={box.segment === null ? null : (below.get(box.segment) ?? null)}
        />
      ))}
    </>
  );
};

/** A child of a level, or a range of its small children. */
interface Box {
  name: string;
  /** Null for a range. */
  segment: string | null;
  /** Null for a page. */
  href: string | null;
  counts: TreeCounts;
}

interface BoxProps {
  crawl: CrawlView;
  by: MapMeasure;
  box: Box;
  area: Area;
  below: TreeLevel | null;
}

const BoxPicture: FC<BoxProps> = ({ crawl, by, box: { name, href, counts }, area, below }) => {
  const { x, y } = area;
  const [width, height] = [Math.max(0, area.width - GAP), Math.max(0, area.height - GAP)];
  const hasName = width >= MIN_WIDTH && height >= MIN_HEIGHT;
  const inner = { x: x + GAP, y: y + HEAD, width: width - GAP, height: height - HEAD };
  const nested = below !== null && hasName && inner.height > MIN_HEIGHT ? below : null;
  const maxLength = Math.floor((width - 14) / CHARACTER_WIDTH);
  const queued = counts.queued > 0 ? `, ${count(counts.queued)} queued` : "";
  const shape = (
    <>
      <title>
        {`${name}: ${plural(counts.urls, "URL")}, ${count(counts.completed)} stored${queued}, ${count(counts.errored)} errored, ${bytes(counts.bytes)}`}
      </title>
      <rect x={x} y={y} width={width} height={height} rx="4" />
      {hasName && (
        <text x={x + 7} y={y + 16}>
          {name.length > maxLength ? `${name.slice(0, Math.max(1, maxLength - 1))}…` : name}
        </text>
      )}
      {hasName && nested === null && height >= 2 * MIN_HEIGHT && (
        <text class="size" x={x + 7} y={y + 33}>
          {by === "bytes" ? bytes(counts.bytes) : count(counts.urls)}
        </text>
      )}
    </>
  );
  return (
    <g data-state={stateOf(counts)}>
      {href === null ? (
        shape
      ) : (
        <a href={href} tabindex={-1}>
          {shape}
        </a>
      )}
      {nested !== null && (
        <g class="nested">
          <Level crawl={crawl} by={by} level={nested} below={new Map()} area={inner} />
        </g>
      )}
    </g>
  );
};

/** The boxes with a size, largest first. */
function boxesOf(crawl: CrawlView, { path, children, ranges }: TreeLevel, by: MapMeasure): Box[] {
  const nodes = children.map((node): Box => {
    const href = node.isLeaf ? null : mapAddress(crawl.id, path + node.segment, by);
    return { name: nameOf(node), segment: node.segment, href, counts: node };
  });
  const others = ranges.map((range, i): Box => {
    const href = rangeAddress(crawl, path, ranges[i - 1]);
    return { name: rangeName(range), segment: null, href, counts: range };
  });
  return [...nodes, ...others].filter(({ counts }) => counts[by] > 0).toSorted((a, b) => b.counts[by] - a.counts[by]);
}

/** The state that colours the area. A URL that waits has not been refused. */
function stateOf({ urls, completed, queued, errored }: TreeCounts): "stored" | "failed" | "queued" | "other" {
  if (errored / urls > 0.2) return "failed";
  if (completed / urls >= 0.5) return "stored";
  return queued >= (urls - completed) / 2 ? "queued" : "other";
}
