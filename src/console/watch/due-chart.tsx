import type { FC } from "hono/jsx";
import type { VisitsView } from "../../api/views.ts";
import { count, plural } from "../../core/shown-values.ts";
import { Time } from "../parts/numbers.tsx";

/** When the pages of a watch are due: a bar for each step. Its numbers are in a table for screen readers. */

const WIDTH = 600;
const HEIGHT = 120;
/** Between two bars. */
const GAP = 6;

interface DueChartProps {
  freshness: NonNullable<VisitsView["freshness"]>;
}

export const DueChart: FC<DueChartProps> = ({ freshness: { due, dueNow, dueLater } }) => {
  const top = Math.max(1, ...due.map(({ visits }) => visits));
  const width = WIDTH / due.length;
  return (
    <figure class="chart">
      <figcaption>
        <h2 class="title">Visits due</h2>
        <span class="muted small">
          {plural(dueNow, "page")} due now
          {dueLater > 0 && `, ${count(dueLater)} later than shown`}
        </span>
      </figcaption>
      <div class="due">
        <span class="scale small muted" aria-hidden="true">
          {count(top)}
        </span>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          <line class="grid" x1="0" x2={WIDTH} y1="0" y2="0" />
          {due.map(({ visits }, i) => {
            const height = (visits / top) * HEIGHT;
            return <rect x={i * width} y={HEIGHT - height} width={width - GAP} height={height} />;
          })}
          <line class="base" x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
        </svg>
        <p class="axis small muted" aria-hidden="true">
          {[due[0], due[Math.floor(due.length / 2)]].map((step) => (
            <Time at={step?.from ?? null} />
          ))}
        </p>
        <table class="visually-hidden">
          <caption>Pages by the time at which they are due</caption>
          <thead>
            <tr>
              <th scope="col">From</th>
              <th scope="col">Pages</th>
            </tr>
          </thead>
          <tbody>
            {due.map(({ from, visits }) => (
              <tr>
                <th scope="row">
                  <Time at={from} />
                </th>
                <td>{count(visits)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
};
