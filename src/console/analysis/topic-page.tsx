import { Hono } from "hono";
import type { FC } from "hono/jsx";
import type { CrawlDetail, MarksView, TopicView } from "../../api/views.ts";
import { count, plural } from "../../core/shown-values.ts";
import { RELEVANT } from "../../topic/course/topic-state.ts";
import { apiPath, callApi } from "../call-api.ts";
import { hasEnded } from "../crawl/crawl-actions.tsx";
import { CrawlHeading } from "../crawl/crawl-heading.tsx";
import { HarvestChart } from "../crawl/harvest-chart.tsx";
import { Page, render } from "../layout.tsx";
import type { Console } from "../page-context.ts";
import { recordAddress, recordsAddress } from "../parts/addresses.ts";
import { shortUrl } from "../parts/numbers.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { MarkChoice } from "./mark-form.tsx";

/** The subject of a crawl: how well the crawl does, and what it has learned. */

export const topicPageRoutes = new Hono<Console>();

topicPageRoutes.get("/crawls/:id/topic", async (c) => {
  const at = apiPath(c);
  const [crawl, topic, { marks }] = await Promise.all([
    callApi<CrawlDetail>(c, "GET", at),
    callApi<TopicView>(c, "GET", `${at}/topic`),
    callApi<MarksView>(c, "GET", `${at}/marks`),
  ]);
  const labels = new Map(marks.map(({ url, label }) => [url, label]));
  const list = { crawl, labels, mayMark: c.get("access") === "all" };
  return render(
    c,
    <Page title="Subject" c={c} section="crawls" scripts={["live.js"]} styles={["records.css"]}>
      <CrawlHeading crawl={crawl} tab="topic" />
      <div
        id="live"
        data-live
        data-address={`/crawls/${crawl.id}/topic`}
        data-watch={hasEnded(crawl) ? undefined : `${at}/events`}
        data-status={crawl.status}
      >
        <Summary crawl={crawl} topic={topic} />
        {topic.harvest.points.length > 1 && (
          <section class="panel" data-key="harvest">
            <HarvestChart {...topic.harvest} />
          </section>
        )}
        <div class="columns" data-key="learned">
          <section class="panel">
            <h2>Best hosts</h2>
            <Table caption="Best hosts" columns={hostColumns(crawl)} rows={topic.hosts.slice(0, MOST_ROWS)} />
          </section>
          <section class="panel">
            <h2>Words of the subject</h2>
            <Table
              caption="Words of the subject"
              columns={TERM_COLUMNS}
              rows={topic.terms.filter(isShown).slice(0, MOST_ROWS)}
            />
          </section>
        </div>
        <Pages {...list} title="Best pages" pages={topic.best.filter(isRelevant)} />
        <Pages {...list} title="Doubtful pages" pages={topic.doubtful} />
      </div>
    </Page>,
  );
});

const MOST_ROWS = 12;
/** A term below it would be shown with a weight of 0.000. */
const LEAST_WEIGHT = 0.0005;

const isRelevant = ({ relevance }: TopicView["best"][number]) => relevance >= RELEVANT;
const isShown = ({ weight }: TopicView["terms"][number]) => weight >= LEAST_WEIGHT;

const Summary: FC<{ crawl: CrawlDetail; topic: TopicView }> = ({ crawl, topic }) => {
  const { words, like, openExamples, pages, relevant, recent, until } = topic;
  const subject = [...(words === "" ? [] : [`“${words}”`]), ...like.map(shortUrl)].join(", ");
  return (
    <section class="panel" data-key="summary">
      <h2>{subject === "" ? "The example texts of the crawl" : subject}</h2>
      <p>
        <a href={recordsAddress(crawl, { minRelevance: "0.5", sort: "relevance.desc" })}>
          {plural(relevant, "relevant page")}
        </a>{" "}
        of {count(pages)}
        {share(relevant, pages)}. Of the last {count(recent.pages)} pages, {count(recent.relevant)} were relevant
        {share(recent.relevant, recent.pages)}.{until > 0 && ` The crawl ends below ${percent(until)} of the last 200.`}
      </p>
      {openExamples.length > 0 && <p class="muted">Still to be read: {openExamples.map(shortUrl).join(", ")}</p>}
    </section>
  );
};

function hostColumns(crawl: CrawlDetail): Column<TopicView["hosts"][number]>[] {
  return [
    {
      text: "Host",
      cell: ({ host }) => (
        <a class="url" href={recordsAddress(crawl, { host, sort: "relevance.desc" })}>
          {host}
        </a>
      ),
    },
    { text: "Pages", class: "number", cell: ({ pages }) => count(pages) },
    { text: "Relevance", class: "number", cell: ({ relevance }) => relevance.toFixed(2) },
  ];
}

const TERM_COLUMNS: Column<TopicView["terms"][number]>[] = [
  { text: "Word", cell: ({ term }) => term },
  { text: "Weight", class: "number", cell: ({ weight }) => weight.toFixed(3) },
];

interface PagesProps {
  crawl: CrawlDetail;
  title: string;
  pages: TopicView["best"];
  /** The marks of the crawl by URL. */
  labels: ReadonlyMap<string, string>;
  mayMark: boolean;
}

/** A person marks pages as right or wrong, and the crawl learns from it. */
const Pages: FC<PagesProps> = ({ crawl, title, pages, labels, mayMark }) => {
  if (pages.length === 0) return null;
  const columns: Column<TopicView["best"][number]>[] = [
    {
      text: "Page",
      cell: ({ url, title: name }) => (
        <>
          <a href={recordAddress(crawl.id, url)}>{name || shortUrl(url)}</a>{" "}
          <span class="url muted small">{shortUrl(url)}</span>
        </>
      ),
    },
    { text: "Relevance", class: "number", cell: ({ relevance }) => relevance.toFixed(2) },
    {
      text: "Mark",
      cell: ({ url, title: name }) => {
        const label = labels.get(url);
        return mayMark ? (
          <MarkChoice crawl={crawl} url={url} name={name || url} label={label} />
        ) : (
          label !== undefined && <span class="tag">{label}</span>
        );
      },
    },
  ];
  return (
    <section class="panel" data-key={title}>
      <h2>{title}</h2>
      <Table caption={title} columns={columns} rows={pages} />
    </section>
  );
};

function share(part: number, all: number): string {
  return all === 0 ? "" : ` (${percent(part / all)})`;
}

function percent(part: number): string {
  return `${Number((part * 100).toFixed(1))}%`;
}
