import type { FC, PropsWithChildren } from "hono/jsx";
import type { ReportView } from "../api/report-view.ts";
import type { CrawlDetail, CrawlView, HostView, RecordView } from "../api/views.ts";
import { REASONS } from "../crawl/reason.ts";
import { recordAddress, recordsAddress } from "./addresses.ts";
import { Breakdown } from "./breakdown.tsx";
import { Chart } from "./chart.tsx";
import { hasEnded } from "./crawl-actions.tsx";
import { bytes, count, duration, money, plural, sentence, short, shortUrl, Time } from "./numbers.tsx";
import { ProgressBar, pagesPerSecond, percent } from "./progress.tsx";

/** The parts of a crawl's page that follow it as it goes. */

export const Progress: FC<{ crawl: CrawlView; report: ReportView | null }> = ({ crawl, report }) => {
  const { counts, options } = crawl;
  const isMoving = crawl.status === "running";
  const now = isMoving && report !== null ? rateNow(report) : null;
  const pages = now?.pages ?? pagesPerSecond(crawl);
  const kilobytes = now?.kilobytes ?? (crawl.seconds === 0 ? 0 : crawl.bytes / crawl.seconds / 1000);
  return (
    <div class="panel">
      <p class="progress-line">
        <strong>{percent(crawl)}</strong>{" "}
        <span class="muted">
          {count(crawl.finished)} of {plural(crawl.total, "URL")} finished
          {hasEnded(crawl) ? "" : `; it stops at ${plural(options.limit, "page")}`}
        </span>
      </p>
      <ProgressBar crawl={crawl} />
      <dl class="stats">
        <Stat name="Pages" value={count(counts.completed)} />
        <Stat name={isMoving ? "Pages/s" : "Pages/s, mean"} value={short(pages)} />
        <Stat name="Size" value={bytes(crawl.bytes)} />
        <Stat name={isMoving ? "KB/s" : "KB/s, mean"} value={short(kilobytes)} />
        <Stat name="In the queue" value={count(counts.queued)} />
        <Stat name="Cost so far" value={money(crawl.costUsd)} />
        <Stat name={isMoving ? "Running for" : "Took"} value={crawl.seconds === 0 ? "–" : duration(crawl.seconds)} />
      </dl>
    </div>
  );
};

const Stat: FC<{ name: string; value: string }> = ({ name, value }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);

/** Over the last whole intervals, about ten seconds of them. */
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
  // The last interval is not over yet: it would look like a fall.
  const history = isMoving ? report.history.slice(0, -1) : report.history;
  if (history.length < 3) return null;
  return (
    <div class="columns">
      <div class="panel">
        <Chart
          title="Pages a second"
          isMoving={isMoving}
          unit="pages/s"
          steps={history.map(({ at, pages }) => ({ at, value: pages / stepS }))}
        />
      </div>
      <div class="panel">
        <Chart
          title="Kilobytes a second"
          isMoving={isMoving}
          unit="KB/s"
          steps={history.map((step) => ({ at: step.at, value: step.bytes / stepS / 1000 }))}
        />
      </div>
    </div>
  );
};

export const Breakdowns: FC<{ crawl: CrawlView; report: ReportView | null }> = ({ crawl, report }) => (
  <div class="breakdowns">
    <Breakdown
      title="Status"
      of="Status"
      inOrder
      parts={Object.entries(crawl.counts)
        .toSorted(([a], [b]) => STATUS_ORDER.indexOf(a) - STATUS_ORDER.indexOf(b))
        .map(([name, number]) => ({
          name: sentence(name),
          count: number,
          isBad: name === "errored",
          href: recordsAddress(crawl, { status: name }),
        }))}
    />
    {report !== null && (
      <>
        <Breakdown
          title="HTTP codes"
          of="Code"
          parts={Object.entries(report.codes).map(([name, number]) => ({
            name,
            count: number,
            isBad: name >= "400",
            href: recordsAddress(crawl, { code: name }),
          }))}
        />
        <Breakdown
          title="Content types"
          of="Type"
          parts={Object.entries(report.types).map(([name, number]) => ({
            name,
            count: number,
            href: recordsAddress(crawl, { type: name }),
          }))}
        />
        <Breakdown
          title="Depth"
          of="Links from a seed"
          inOrder
          parts={Object.entries(report.depths)
            .toSorted(([a], [b]) => Number(a) - Number(b))
            .map(([name, number]) => ({ name, count: number }))}
        />
        <Breakdown
          title="Why not kept"
          of="Reason"
          parts={Object.entries(report.reasons).map(([name, number]) => ({
            name: sentence(name in REASONS ? REASONS[name as keyof typeof REASONS][1] : name),
            count: number,
            isBad: name in REASONS && REASONS[name as keyof typeof REASONS][0] === "errored",
            href: recordsAddress(crawl, { reason: name }),
          }))}
        />
      </>
    )}
  </div>
);

const STATUS_ORDER = ["completed", "queued", "skipped", "disallowed", "errored", "cancelled"];

export const Hosts: FC<{ hosts: HostView[] }> = ({ hosts }) => (
  <section class="panel">
    <h2>Hosts</h2>
    <div class="table">
      <table>
        <thead>
          <tr>
            <th scope="col">Host</th>
            <th scope="col" class="number">
              Queued
            </th>
            <th scope="col" class="number">
              Rest
            </th>
            <th scope="col">Waits for</th>
          </tr>
        </thead>
        <tbody>
          {hosts.map((host) => (
            <tr>
              <th scope="row" class="url">
                {host.host}
              </th>
              <td class="number">{count(host.queued)}</td>
              <td class="number">{duration(host.delayMs / 1000)}</td>
              <td>
                {host.why}
                {host.failures > 0 && <span class="tag">{plural(host.failures, "failure")} in a row</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
);

export const Newest: FC<{ id: string; report: ReportView }> = ({ id, report }) => (
  <div class="columns">
    <section class="panel">
      <h2>Newest pages</h2>
      {report.newest.length === 0 ? (
        <p class="muted">None was kept yet.</p>
      ) : (
        <ul class="records">
          {report.newest.map((record) => (
            <li>
              <p>{record.title || shortUrl(record.url)}</p>
              <Line id={id} record={record}>
                {bytes(record.bytes ?? 0)} · <Time at={record.fetchedAt} />
              </Line>
            </li>
          ))}
        </ul>
      )}
    </section>
    <section class="panel">
      <h2>Newest errors</h2>
      {report.errors.length === 0 ? (
        <p class="muted">Nothing has failed.</p>
      ) : (
        <ul class="records">
          {report.errors.map((record) => (
            <li>
              <p>{sentence(record.explanation ?? "")}</p>
              <Line id={id} record={record}>
                <Time at={record.fetchedAt} />
              </Line>
            </li>
          ))}
        </ul>
      )}
    </section>
  </div>
);

/** Its URL, which leads to its record, and what else there is to say. */
const Line: FC<PropsWithChildren<{ id: string; record: RecordView }>> = ({ id, record, children }) => (
  <p class="line muted small">
    <a class="url" href={recordAddress(id, record.url)}>
      {shortUrl(record.url)}
    </a>
    <span class="nowrap">{children}</span>
  </p>
);

function why(id: string, url: string): string {
  return `/crawls/${id}/explain?${new URLSearchParams({ url })}`;
}

export const Refused: FC<{ crawl: CrawlDetail }> = ({ crawl }) => (
  <section class="panel">
    <h2>Links not taken</h2>
    <ul class="records">
      {crawl.refused.map(({ text, count: number, examples }) => (
        <li>
          <p class="line">
            <span>{sentence(text)}</span>
            <span>{count(number)}</span>
          </p>
          <p class="muted small">
            such as{" "}
            {examples.slice(0, 3).map((url, i) => (
              <>
                {i > 0 && ", "}
                <a class="url" href={why(crawl.id, url)}>
                  {shortUrl(url)}
                </a>
              </>
            ))}
          </p>
        </li>
      ))}
    </ul>
  </section>
);
