import type { FC } from "hono/jsx";
import type { VisitsView } from "../../api/views.ts";
import { count, plural } from "../../core/shown-values.ts";
import { BarChart } from "../parts/bar-chart.tsx";
import { Time } from "../parts/numbers.tsx";

/** When the pages of a watch are due: a bar for each step. */

interface DueChartProps {
  freshness: NonNullable<VisitsView["freshness"]>;
}

export const DueChart: FC<DueChartProps> = ({ freshness: { due, dueNow, dueLater } }) => (
  <BarChart
    title="Visits due"
    note={`${plural(dueNow, "page")} due now${dueLater > 0 ? `, ${count(dueLater)} later than shown` : ""}`}
    caption="Pages by the time at which they are due"
    columns={["From", "Pages"]}
    bars={due.map(({ from, visits }) => ({ label: <Time at={from} />, value: visits }))}
  />
);
