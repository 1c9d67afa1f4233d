import type { FC } from "hono/jsx";
import type { CrawlDetail, CrawlView, VisitsView } from "../../api/views.ts";
import { everyInWords, intervalInWords } from "../../core/interval.ts";
import { bytes, count, duration, plural } from "../../core/shown-values.ts";
import type { ChangeKind, VisitResult } from "../../crawl/watch/watch.ts";
import { Breakdown } from "../crawl/breakdown.tsx";
import { Stat } from "../crawl/crawl-progress.tsx";
import { money, sentence, shortUrl, Time } from "../parts/numbers.tsx";
import { Table } from "../parts/table.tsx";
import { DueChart } from "./due-chart.tsx";

/** What a watch does: how fresh its pages are, what it visits when, what it found, and which hosts are in trouble. */

interface WatchProps {
  crawl: CrawlDetail;
  visits: VisitsView;
}

export const WatchPanels: FC<WatchProps> = ({ crawl, visits }) => (
  <>
    {crawl.troubledHosts.length > 0 && <Trouble hosts={crawl.troubledHosts} />}
    {crawl.troubledPages.length > 0 && <FailingPages pages={crawl.troubledPages} />}
    <Freshness crawl={crawl} visits={visits} />
    <div class="columns" data-key="visits">
      <div class="panel">{visits.freshness === null ? <NotSurveyed /> : <DueChart freshness={visits.freshness} />}</div>
      <NextVisits id={crawl.id} next={visits.next} isPaused={crawl.status === "paused"} />
    </div>
    <div class="breakdowns" data-key="found">
      <Breakdown title="Changes" of="Kind" parts={changeParts(crawl, visits)} />
      <Breakdown title="Visits" of="Result" parts={visitParts(crawl)} />
    </div>
  </>
);

const Freshness: FC<WatchProps> = ({ crawl, visits: { freshness } }) => {
  const { watching, options } = crawl;
  const everyS = options.watch?.everyS ?? 0;
  const now = Date.parse(freshness?.surveyedAt ?? "");
  const ageS = (time: string) => Math.max(0, now - Date.parse(time)) / 1000;
  return (
    <section class="panel" data-key="freshness">
      <h2>Freshness</h2>
      <p class="sentence">{describeState(crawl)}</p>
      {freshness !== null && (
        <dl class="stats after">
          <Stat name={`Seen within ${intervalInWords(everyS)}`} value={shareOf(freshness)} />
          <Stat name="Median age" value={freshness.medianAgeS === null ? "–" : age(freshness.medianAgeS)} />
          <Stat name="Oldest" value={freshness.oldestVisitAt === null ? "–" : age(ageS(freshness.oldestVisitAt))} />
          <Stat name="Pages" value={count(freshness.pages)} />
          <Stat name="Changes" value={count(watching?.changes ?? 0)} />
          <Stat name="Cost this month" value={money(watching?.monthCostUsd ?? 0)} />
          {options.maxCostUsd > 0 && <Stat name="Limit per month" value={money(options.maxCostUsd)} />}
        </dl>
      )}
      {watching?.removed != null && (
        <p class="muted small after">
          Removed what is older than <Time at={watching.removed.until} />:{" "}
          {plural(watching.removed.versions, "version")}, {plural(watching.removed.visits, "visit record")},{" "}
          {plural(watching.removed.changes, "change")}; {bytes(watching.removed.bytes)} of packs.
        </p>
      )}
      {freshness !== null && (
        <p class="muted small after">
          The last visit was at <Time at={freshness.lastVisitAt} />. These ages are of{" "}
          <Time at={freshness.surveyedAt} />.
        </p>
      )}
    </section>
  );
};

function describeState({ status, options, watching }: CrawlView): string {
  const every = everyInWords(options.watch?.everyS ?? 0);
  if (status === "paused") return "The visits are paused. Resume the watch to go on.";
  if (status === "running" && watching?.since == null) return "The first crawl has not ended. Then the visits begin.";
  if (status === "running") return "It reads new pages, and goes on with its visits.";
  if (status !== "watching") return "It visits no page any more. What it stored stays.";
  return options.watch?.fixed
    ? `It visits each page ${every}.`
    : `It visits a page ${every} on average: pages that change often more often, and others less.`;
}

/** 99.96% must not round to 100%. */
function shareOf({ pages, withinInterval }: NonNullable<VisitsView["freshness"]>): string {
  if (pages === 0) return "–";
  return `${pages === withinInterval ? 100 : Math.min(99, Math.floor((withinInterval / pages) * 100))}%`;
}

/** Ages are estimates, so seconds say nothing beside minutes. */
function age(seconds: number): string {
  return duration(seconds < 60 ? seconds : Math.round(seconds / 60) * 60).replace(/ 0 (s|h|min)$/, "");
}

const NotSurveyed: FC = () => (
  <>
    <h2>Visits due</h2>
    <p class="muted">The pages are counted within a few minutes after the first crawl.</p>
  </>
);

const NextVisits: FC<{ id: string; next: VisitsView["next"]; isPaused: boolean }> = ({ id, next, isPaused }) => (
  <section class="panel">
    <h2>Next visits</h2>
    {next.length === 0 ? (
      <p class="muted">No visit is planned yet.</p>
    ) : (
      <ul class="records">
        {next.map(({ url, at, why }) => (
          <li data-key={url}>
            <p class="line">
              <a class="url" href={`/crawls/${id}/explain?${new URLSearchParams({ url })}`}>
                {shortUrl(url)}
              </a>
              <span class="nowrap muted small">{isPaused ? "After the pause" : <Time at={at} />}</span>
            </p>
            <p class="muted small">{sentence(why)}</p>
          </li>
        ))}
      </ul>
    )}
  </section>
);

const RESULTS: Record<VisitResult, string> = {
  "not-modified": "Not modified (304)",
  same: "Says the same",
  changed: "Changed",
  missing: "Missing, not confirmed yet",
  failed: "Failed",
  forbidden: "Forbidden by robots.txt or country",
};

function visitParts({ watching }: CrawlView) {
  return (Object.entries(RESULTS) as [VisitResult, string][]).map(([result, name]) => ({
    name,
    count: watching?.visits[result] ?? 0,
    isBad: result === "failed",
  }));
}

function changeParts({ id }: CrawlView, { changes }: VisitsView) {
  return (Object.entries(changes) as [ChangeKind, number][]).map(([kind, number]) => ({
    name: sentence(kind),
    count: number,
    href: `/crawls/${id}/changes?kind=${kind}`,
  }));
}

const Trouble: FC<{ hosts: CrawlDetail["troubledHosts"] }> = ({ hosts }) => (
  <section class="panel" data-key="trouble">
    <h2>{plural(hosts.length, "host")} in trouble</h2>
    <p class="sentence">
      Many pages are missing, moved, failing or behind a log-in at once. What they say is held back until it lasts.
    </p>
    <Table
      caption="Hosts in trouble"
      columns={[
        { text: "Host", class: "url", cell: ({ host }) => host },
        { text: "Since", cell: ({ since }) => <Time at={since} /> },
        { text: "Lost visits", class: "number", cell: ({ lost, visits }) => `${count(lost)} of ${count(visits)}` },
        { text: "Found", cell: ({ why }) => why ?? "" },
      ]}
      rows={hosts}
      keyOf={({ host }) => host}
    />
  </section>
);

const FailingPages: FC<{ pages: CrawlDetail["troubledPages"] }> = ({ pages }) => (
  <section class="panel" data-key="failing">
    <h2>{plural(pages.length, "page")} in trouble</h2>
    <p class="sentence">They have failed at three visits in a row or more. What was kept of them stays.</p>
    <Table
      caption="Pages in trouble"
      columns={[
        { text: "Page", class: "url", cell: ({ url }) => url },
        { text: "Since", cell: ({ since }) => <Time at={since} /> },
        { text: "Found", cell: ({ why }) => why },
      ]}
      rows={pages}
      keyOf={({ url }) => url}
    />
  </section>
);
