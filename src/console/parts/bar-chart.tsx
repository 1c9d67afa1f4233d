import type { Child } from "hono/jsx";
import { count } from "../../core/shown-values.ts";

/** Bars of equal width. Their numbers are in a table for screen readers. */

const WIDTH = 600;
const HEIGHT = 120;
/** The share of a bar's place that stays empty. */
const GAP = 0.2;

interface BarChartProps {
  title: string;
  note: Child;
  /** For screen readers. */
  caption: string;
  /** The names of the table's columns. */
  columns: readonly [label: string, value: string];
  bars: readonly { label: Child; value: number }[];
}

export function BarChart({ title, note, caption, columns, bars }: BarChartProps) {
  const top = Math.max(1, ...bars.map(({ value }) => value));
  const width = WIDTH / bars.length;
  return (
    <figure class="chart">
      <figcaption>
        <h2 class="title">{title}</h2>
        <span class="muted small">{note}</span>
      </figcaption>
      <div class="due">
        <span class="scale small muted" aria-hidden="true">
          {count(top)}
        </span>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          <line class="grid" x1="0" x2={WIDTH} y1="0" y2="0" />
          {bars.map(({ value }, i) => {
            const height = (value / top) * HEIGHT;
            return <rect x={i * width} y={HEIGHT - height} width={width * (1 - GAP)} height={height} />;
          })}
          <line class="base" x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
        </svg>
        <p class="axis small muted" aria-hidden="true">
          {[bars[0], bars[Math.floor(bars.length / 2)]].map((bar) => (
            <span>{bar?.label}</span>
          ))}
        </p>
        <table class="visually-hidden">
          <caption>{caption}</caption>
          <thead>
            <tr>
              {columns.map((name) => (
                <th scope="col">{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {bars.map(({ label, value }) => (
              <tr>
                <th scope="row">{label}</th>
                <td>{count(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}
