import type { FC } from "hono/jsx";
import { short } from "../../core/shown-values.ts";

/**
 * A line chart over time, drawn on the server: it works without scripts and updates with the page. The caption gives
 * its numbers in text. With scripts, `chart.js` shows the value under the pointer.
 */

const WIDTH = 600;
const HEIGHT = 120;
/** Space for the line's own width. */
const TOP = 4;

interface Step {
  /** ISO 8601. */
  at: string;
  /** Per second. */
  value: number;
}

interface ChartProps {
  title: string;
  unit: string;
  steps: Step[];
  isMoving: boolean;
}

export const Chart: FC<ChartProps> = ({ title, unit, steps, isMoving }) => {
  const values = steps.map(({ value }) => value);
  const top = niceCeiling(Math.max(0, ...values));
  const last = values.at(-1) ?? 0;
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const width = WIDTH / Math.max(1, steps.length - 1);
  const y = (value: number) => HEIGHT - (value / top) * (HEIGHT - TOP);
  const line = values.map((value, i) => `${(i * width).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  return (
    <figure class="chart">
      <figcaption>
        <span class="title">{title}</span>
        <span class="muted small">
          {unit}: average {short(mean)}, maximum {short(Math.max(0, ...values))}
          {isMoving && `, now ${short(last)}`}
        </span>
      </figcaption>
      <div
        class="plot"
        data-unit={unit}
        data-from={steps[0]?.at}
        data-to={steps.at(-1)?.at}
        data-values={values.map((value) => short(value).replaceAll(",", "")).join(" ")}
      >
        <span class="scale small muted" aria-hidden="true">
          {top.toLocaleString("en")}
        </span>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          <line class="grid" x1="0" x2={WIDTH} y1={y(top)} y2={y(top)} />
          <line class="grid" x1="0" x2={WIDTH} y1={y(top / 2)} y2={y(top / 2)} />
          <line class="base" x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
          <polygon class="area" points={`0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}`} />
          <polyline class="line" points={line} />
          <line class="cursor" y1="0" y2={HEIGHT} data-own />
        </svg>
        <p class="axis small muted" aria-hidden="true">
          <time datetime={steps[0]?.at ?? ""}>{steps[0]?.at.slice(11, 19)} UTC</time>
          <time datetime={steps.at(-1)?.at ?? ""}>{steps.at(-1)?.at.slice(11, 19)} UTC</time>
        </p>
        <p class="pointed small" aria-hidden="true" data-own />
      </div>
    </figure>
  );
};

/** The smallest of 1, 2 or 5 times a power of ten that is at least `value`. */
function niceCeiling(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value) ?? value;
}
