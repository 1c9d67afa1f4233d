import type { FC } from "hono/jsx";
import type { CrawlView } from "../api/views.ts";
import type { TreeLevel, TreeNode } from "../crawl/url-tree.ts";
import { mapAddress } from "./addresses.ts";
import { nameOf } from "./map-tree.tsx";
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
  const nodes = visibleNodes(level, by);
  const areas = squarify(
    nodes.map((node) => node[by]),
    area,
  );
  return (
    <>
      {nodes.map((node, i) => (
        <Node
          crawl={crawl}
          by={by}
          path={level.path}
          node={node}
          area={areas[i] ?? area}
          below={below.get(node.segment) ?? null}
        />
      ))}
    </>
  );
};

interface NodeProps {
  crawl: CrawlView;
  by: MapMeasure;
  path: string;
  node: TreeNode;
  area: Area;
  below: TreeLevel | null;
}

const Node: FC<NodeProps> = ({ crawl, by, path, node, area, below }) => {
  const { x, y } = area;
  const [width, height] = [Math.max(0, area.width - GAP), Math.max(0, area.height - GAP)];
  const hasName = width >= MIN_WIDTH && height >= MIN_HEIGHT;
  const inner = { x: x + GAP, y: y + HEAD, width: width - GAP, height: height - HEAD };
  const nested = below !== null && hasName && inner.height > MIN_HEIGHT ? below : null;
  const name = nameOf(node);
  const maxLength = Math.floor((width - 14) / CHARACTER_WIDTH);
  const shape = (
    <>
      <title>
        {`${name}: ${plural(node.urls, "URL")}, ${count(node.completed)} stored, ${count(node.errored)} errored, ${bytes(node.bytes)}`}
      </title>
      <rect x={x} y={y} width={width} height={height} rx="4" />
      {hasName && (
        <text x={x + 7} y={y + 16}>
          {name.length > maxLength ? `${name.slice(0, Math.max(1, maxLength - 1))}…` : name}
        </text>
      )}
      {hasName && nested === null && height >= 2 * MIN_HEIGHT && (
        <text class="size" x={x + 7} y={y + 33}>
          {by === "bytes" ? bytes(node.bytes) : count(node.urls)}
        </text>
      )}
    </>
  );
  return (
    <g data-state={stateOf(node)}>
      {node.isLeaf ? (
        shape
      ) : (
        <a href={mapAddress(crawl.id, path + node.segment, by)} tabindex={-1}>
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

/** Nodes with a size, largest first; the rest of a large level is one node. */
function visibleNodes({ children, rest }: TreeLevel, by: MapMeasure): TreeNode[] {
  const others: TreeNode[] = rest === null ? [] : [{ ...rest, segment: `${rest.children} others`, isLeaf: true }];
  return [...children, ...others].filter((node) => node[by] > 0).toSorted((a, b) => b[by] - a[by]);
}

/** The state that colours the area: over a fifth errored, at least half stored, or neither. */
function stateOf({ urls, completed, errored }: TreeNode): "stored" | "failed" | "other" {
  if (errored / urls > 0.2) return "failed";
  return completed / urls >= 0.5 ? "stored" : "other";
}
