import type { FC } from "hono/jsx";
import { type Area, squarify } from "./treemap.ts";

/**
 * Boxes as a treemap, drawn on the server: wide for desktops and tall for phones. Screen readers skip it, because the
 * list below it has the same numbers as text.
 */

export interface Box {
  name: string;
  /** Null for a page. */
  href: string | null;
  size: number;
  /** The size for people. */
  sizeText: string;
  /** All numbers in words. */
  summary: string;
  state: BoxState;
  /** What is in it; empty if that is not shown. */
  below: readonly Box[];
}

type BoxState = "stored" | "failed" | "queued" | "other";

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

/** What the colours mean, and the measures to choose from. */
export const MapHead: FC<{ measures: readonly { name: string; href: string; isCurrent: boolean }[] }> = ({
  measures,
}) => (
  <div class="map-head">
    <p class="muted small legend">
      <span data-state="stored">mostly stored</span>
      <span data-state="queued">mostly queued</span>
      <span data-state="other">mostly not stored</span>
      <span data-state="failed">over 20% errors</span>
    </p>
    <p class="measure small">
      Size by{" "}
      {measures.map(({ name, href, isCurrent }) => (
        <>
          <a href={href} aria-current={isCurrent ? "true" : undefined}>
            {name}
          </a>{" "}
        </>
      ))}
    </p>
  </div>
);

export const MapPicture: FC<{ boxes: readonly Box[] }> = ({ boxes }) => (
  <>
    {SHAPES.map(({ name, width, height }) => (
      <svg class={`treemap ${name}`} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        <Boxes boxes={boxes} area={{ x: 0, y: 0, width, height }} />
      </svg>
    ))}
  </>
);

/** The boxes with a size, largest first. */
const Boxes: FC<{ boxes: readonly Box[]; area: Area }> = ({ boxes, area }) => {
  const sorted = boxes.filter(({ size }) => size > 0).toSorted((a, b) => b.size - a.size);
  const areas = squarify(
    sorted.map(({ size }) => size),
    area,
  );
  return (
    <>
      {sorted.map((box, i) => (
        <BoxPicture box={box} area={areas[i] ?? area} />
      ))}
    </>
  );
};

const BoxPicture: FC<{ box: Box; area: Area }> = ({ box, area }) => {
  const { name, href, sizeText, summary, state, below } = box;
  const { x, y } = area;
  const [width, height] = [Math.max(0, area.width - GAP), Math.max(0, area.height - GAP)];
  const hasName = width >= MIN_WIDTH && height >= MIN_HEIGHT;
  const inner = { x: x + GAP, y: y + HEAD, width: width - GAP, height: height - HEAD };
  const isNested = below.length > 0 && hasName && inner.height > MIN_HEIGHT;
  const maxLength = Math.floor((width - 14) / CHARACTER_WIDTH);
  const shape = (
    <>
      <title>{`${name}: ${summary}`}</title>
      <rect x={x} y={y} width={width} height={height} rx="4" />
      {hasName && (
        <text x={x + 7} y={y + 16}>
          {name.length > maxLength ? `${name.slice(0, Math.max(1, maxLength - 1))}…` : name}
        </text>
      )}
      {hasName && !isNested && height >= 2 * MIN_HEIGHT && (
        <text class="size" x={x + 7} y={y + 33}>
          {sizeText}
        </text>
      )}
    </>
  );
  return (
    <g data-state={state}>
      {href === null ? (
        shape
      ) : (
        <a href={href} tabindex={-1}>
          {shape}
        </a>
      )}
      {isNested && (
        <g class="nested">
          <Boxes boxes={below.map((each) => ({ ...each, below: [] }))} area={inner} />
        </g>
      )}
    </g>
  );
};

/** The state that colours the area. A URL that waits has not been refused. */
export function boxState({
  urls,
  completed,
  queued,
  errored,
}: Record<"urls" | "completed" | "queued" | "errored", number>): BoxState {
  if (errored / urls > 0.2) return "failed";
  if (completed / urls >= 0.5) return "stored";
  return queued >= (urls - completed) / 2 ? "queued" : "other";
}
