import type { FC } from "hono/jsx";
import type { CrawlView } from "../../api/views.ts";
import { bytes, count, duration, plural, short } from "../../core/shown-values.ts";
import { money, Status, sentence, shortUrl, Time } from "../parts/numbers.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { ProgressBar, pagesOf, pagesPerSecond, percent } from "./progress.tsx";

/** The table of crawls. */

export const CrawlTable: FC<{ crawls: CrawlView[] }> = ({ crawls }) => (
  <div class="panel flush">
    <Table class="crawls" caption="Crawls, newest first" columns={COLUMNS} rows={crawls} keyOf={({ id }) => id} />
  </div>
);

const COLUMNS: Column<CrawlView>[] = [
  { text: "Crawl", cell: (crawl) => <Name crawl={crawl} /> },
  { text: "Status", class: "mid", cell: ({ status }) => <Status of={status} /> },
  {
    text: "Progress",
    class: "wide",
    cell: (crawl) => (
      <div class="with-bar">
        <ProgressBar crawl={crawl} />
        <span class="muted small">{percent(crawl)}</span>
      </div>
    ),
  },
  { text: "Pages", class: "number", cell: (crawl) => count(pagesOf(crawl)) },
  { text: "Pages/s", class: "number wide", cell: (crawl) => short(pagesPerSecond(crawl)) },
  { text: "Size", class: "number wide", cell: (crawl) => bytes(crawl.bytes) },
  { text: "Cost", class: "number wide", cell: ({ costUsd }) => money(costUsd) },
  { text: "Duration", class: "number mid", cell: durationOf },
  { text: "Started", class: "mid nowrap", cell: ({ createdAt }) => <Time at={createdAt} /> },
];

function durationOf({ seconds }: CrawlView): string {
  return seconds === 0 ? "–" : duration(seconds);
}

const Tag: FC<{ text: string }> = ({ text }) => (
  <>
    {" "}
    <span class="tag">{text}</span>
  </>
);

/** Below the seed: the columns that a narrow screen has no space for. */
const Name: FC<{ crawl: CrawlView }> = ({ crawl }) => {
  const [seed = "", ...others] = crawl.urls;
  return (
    <>
      <a class="url" id={`crawl-${crawl.id}`} href={`/crawls/${crawl.id}`}>
        {crawl.options.name || shortUrl(seed)}
      </a>
      {crawl.options.name !== "" && <span class="muted small url"> {shortUrl(seed)}</span>}
      {others.length > 0 && <span class="muted small"> and {plural(others.length, "more seed")}</span>}
      {crawl.scheduleId !== null && <Tag text="Scheduled" />}
      {crawl.options.dryRun && <Tag text="Dry run" />}
      {crawl.purpose !== "crawl" && <Tag text={sentence(crawl.purpose)} />}
      <p class="narrowest">
        <Status of={crawl.status} />
      </p>
      <p class="narrow muted small">
        {percent(crawl)} · {short(pagesPerSecond(crawl))} pages/s · {bytes(crawl.bytes)} · {money(crawl.costUsd)}
      </p>
      <p class="narrowest muted small">
        <Time at={crawl.createdAt} />
        {crawl.seconds > 0 && `, took ${durationOf(crawl)}`}
      </p>
    </>
  );
};
