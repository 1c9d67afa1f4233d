import type { FC } from "hono/jsx";
import type { TopicView } from "../../api/views.ts";
import { count } from "../../core/shown-values.ts";
import { RELEVANT } from "../../topic/course/topic-state.ts";

/** The harvest rate of a crawl with a subject, as a line over the pages in their order, drawn on the server. */

const WIDTH = 600;
const HEIGHT = 120;
/** Space for the line's own width. */
const TOP = 4;

export const HarvestChart: FC<TopicView["harvest"]> = ({ points, pagesPerPoint }) => {
  const width = WIDTH / Math.max(1, points.length - 1);
  const y = (value: number) => HEIGHT - value * (HEIGHT - TOP);
  const line = points.map((value, i) => `${(i * width).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const mean = points.reduce((sum, value) => sum + value, 0) / Math.max(1, points.length);
  return (
    <figure class="chart">
      <figcaption>
        <span class="title">Harvest rate</span>
        <span class="muted small">
          mean relevance of {count(pagesPerPoint)} pages each: average {mean.toFixed(2)}, now{" "}
          {(points.at(-1) ?? 0).toFixed(2)}
        </span>
      </figcaption>
      <div class="plot">
        <span class="scale small muted" aria-hidden="true">
          1
        </span>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          <line class="grid" x1="0" x2={WIDTH} y1={y(1)} y2={y(1)} />
          <line class="grid" x1="0" x2={WIDTH} y1={y(RELEVANT)} y2={y(RELEVANT)} />
          <line class="base" x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
          <polygon class="area" points={`0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}`} />
          <polyline class="line" points={line} />
        </svg>
        <p class="axis small muted" aria-hidden="true">
          <span>first page</span>
          <span>page {count(points.length * pagesPerPoint)}</span>
        </p>
      </div>
    </figure>
  );
};
