import type { FC } from "hono/jsx";
import type { CrawlView, ReportView } from "../../api/views.ts";
import { bytes, count, duration, plural, short } from "../../core/shown-values.ts";
import { Chart } from "../parts/chart.tsx";
import { money } from "../parts/numbers.tsx";
import { hasEnded } from "./crawl-actions.tsx";
import { ProgressBar, pagesOf, pagesPerSecond, percent } from "./progress.tsx";

/** The progress and the speed of a crawl, as numbers and as charts over time. */

export const Progress: FC<{ crawl: CrawlView; report: ReportView | null }> = ({ crawl, report }) => {
  const { counts, options } = crawl;
  const isMoving = crawl.status === "running";
  const now = isMoving && report !== null ? rateNow(report) : null;
  const pages = now?.pages ?? pagesPerSecond(crawl);
  const kilobytes = now?.kilobytes ?? (crawl.seconds === 0 ? 0 : crawl.bytes / crawl.seconds / 1000);
  return (
    <div class="panel" data-key="progress">
      <p class="progress-line">
        <strong>{percent(crawl)}</strong>{" "}
        <span class="muted">
          {count(crawl.finished)} of {plural(crawl.total, "URL")} finished
          {hasEnded(crawl) ? "" : `, page limit ${count(options.limit)}`}
        </span>
      </p>
      <ProgressBar crawl={crawl} />
      <dl class="stats">
        <Stat name="Pages" value={count(pagesOf(crawl))} />
        {(crawl.options.assets || crawl.options.media) && <Stat name="Assets" value={count(crawl.assets.completed)} />}
        <Stat name={isMoving ? "Pages/s" : "Average pages/s"} value={short(pages)} />
        <Stat name="Size" value={bytes(crawl.bytes)} />
        <Stat name={isMoving ? "kB/s" : "Average kB/s"} value={short(kilobytes)} />
        <Stat name="Queued" value={count(counts.queued)} />
        <Stat name="Cost" value={money(crawl.costUsd)} />
        <Stat
          name={isMoving ? "Running for" : "Duration"}
          value={crawl.seconds === 0 ? "–" : duration(crawl.seconds)}
        />
      </dl>
      <p class="muted small after">The cost is what Cloudflare would charge at its list prices.</p>
    </div>
  );
};

export const Stat: FC<{ name: string; value: string }> = ({ name, value }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);

/** The rate over the last complete intervals, about ten seconds. */
function rateNow({ history }: ReportView): { pages: number; kilobytes: number } | null {
  const stepS = stepSeconds(history);
  const steps = history.slice(0, -1).slice(-Math.max(1, Math.round(10 / stepS)));
  if (steps.length === 0) return null;
  const seconds = steps.length * stepS;
  const sum = (of: "pages" | "bytes") => steps.reduce((total, step) => total + step[of], 0);
  return { pages: sum("pages") / seconds, kilobytes: sum("bytes") / seconds / 1000 };
}

function stepSeconds(history: ReportView["history"]): number {
  const [first, second] = history;
  return first && second ? (Date.parse(second.at) - Date.parse(first.at)) / 1000 : 1;
}

export const Charts: FC<{ report: ReportView; isMoving: boolean }> = ({ report, isMoving }) => {
  const stepS = stepSeconds(report.history);
  // The last interval is incomplete and would look like a drop.
  const history = isMoving ? report.history.slice(0, -1) : report.history;
  if (history.length < 3) return null;
  return (
    <div class="columns" data-key="charts">
      <div class="panel">
        <Chart
          title="Pages per second"
          isMoving={isMoving}
          unit="pages/s"
          steps={history.map(({ at, pages }) => ({ at, value: pages / stepS }))}
        />
      </div>
      <div class="panel">
        <Chart
          title="Kilobytes per second"
          isMoving={isMoving}
          unit="kB/s"
          steps={history.map((step) => ({ at: step.at, value: step.bytes / stepS / 1000 }))}
        />
      </div>
    </div>
  );
};
