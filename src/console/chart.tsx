import type { FC } from "hono/jsx";
import { short } from "./numbers.tsx";

/**
 * A line of values over time, drawn on the server: it is there without scripts, and a page that is brought up to date brings its charts
 * along. What it shows is said in a sentence too, and where scripts run each value where one points (`chart.js`).
 */

const WIDTH = 600;
const HEIGHT = 120;
/** Room for the line's own width. */
const TOP = 4;

export interface Step {
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
  const most = niceCeiling(Math.max(0, ...values));
  const last = values.at(-1) ?? 0;
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const width = WIDTH / Math.max(1, steps.length - 1);
  const y = (value: number) => HEIGHT - (value / most) * (HEIGHT - TOP);
  const line = values.map((value, i) => `${(i * width).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  return (
    <figure class="chart">
      <figcaption>
        <span class="title">{title}</span>
        <span class="muted small">
          {short(mean)} {unit} on average, {short(Math.max(0, ...values))} at most{isMoving && `, ${short(last)} now`}
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
          {most.toLocaleString("en")}
        </span>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          <line class="grid" x1="0" x2={WIDTH} y1={y(most)} y2={y(most)} />
          <line class="grid" x1="0" x2={WIDTH} y1={y(most / 2)} y2={y(most / 2)} />
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

/** 1, 2 or 5 times a power of ten, and no less. */
function niceCeiling(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value) ?? value;
}
