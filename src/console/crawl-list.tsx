import { Hono } from "hono";
import type { FC } from "hono/jsx";
import type { CrawlView } from "../api/views.ts";
import { callApi } from "./call-api.ts";
import { Heading, Page, render } from "./layout.tsx";
import { SeedForm } from "./new-crawl-form.tsx";
import { bytes, count, duration, money, plural, Status, short, shortUrl, Time } from "./numbers.tsx";
import type { Console } from "./page-context.ts";
import { ProgressBar, pagesPerSecond, percent } from "./progress.tsx";

/** The crawls, newest first. */

export const crawlListRoutes = new Hono<Console>();

crawlListRoutes.get("/crawls", async (c) => {
  const crawls = await callApi<CrawlView[]>(c, "GET", "/api/crawls");
  const mayStart = c.get("access") === "all";
  const running = crawls.filter(({ status }) => status === "running").length;
  return render(
    c,
    <Page title="Crawls" c={c} section="crawls" scripts={["live.js"]}>
      <Heading title="Crawls">
        {mayStart && crawls.length > 0 && (
          <a class="button primary" href="/crawls/new">
            New crawl
          </a>
        )}
      </Heading>
      {c.req.query("deleted") !== undefined && (
        <p class="notice" role="status">
          The crawl was deleted, with all that it kept.
        </p>
      )}
      <div id="crawls" data-live data-every={running > 0 ? "2" : "10"}>
        {crawls.length === 0 ? <None mayStart={mayStart} /> : <Table crawls={crawls} />}
      </div>
    </Page>,
  );
});

const None: FC<{ mayStart: boolean }> = ({ mayStart }) => (
  <div class="panel empty">
    <h2>No crawl yet</h2>
    {mayStart ? (
      <>
        <p>Name a page; what it links to on its own host is crawled too, politely, one page after the other.</p>
        <SeedForm />
      </>
    ) : (
      <p>When somebody starts one, it appears here.</p>
    )}
  </div>
);

const Table: FC<{ crawls: CrawlView[] }> = ({ crawls }) => (
  <div class="panel flush">
    <div class="table">
      <table class="crawls">
        <caption class="visually-hidden">{plural(crawls.length, "crawl")}, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Crawl</th>
            <th scope="col">State</th>
            <th scope="col" class="wide">
              Progress
            </th>
            <th scope="col" class="number">
              Pages
            </th>
            <th scope="col" class="number wide">
              Pages/s
            </th>
            <th scope="col" class="number wide">
              Size
            </th>
            <th scope="col" class="number wide">
              Cost
            </th>
            <th scope="col" class="number mid">
              Took
            </th>
            <th scope="col" class="mid">
              Started
            </th>
          </tr>
        </thead>
        <tbody>
          {crawls.map((crawl) => (
            <Row crawl={crawl} />
          ))}
        </tbody>
      </table>
    </div>
  </div>
);

const Row: FC<{ crawl: CrawlView }> = ({ crawl }) => {
  const [seed = "", ...others] = crawl.urls;
  return (
    <tr>
      <th scope="row">
        <a class="url" id={`crawl-${crawl.id}`} href={`/crawls/${crawl.id}`}>
          {shortUrl(seed)}
        </a>
        {others.length > 0 && <span class="muted small"> and {plural(others.length, "more seed")}</span>}
        <p class="narrow muted small">
          {percent(crawl)} · <Time at={crawl.createdAt} />
        </p>
        {crawl.scheduleId !== null && <span class="tag">Scheduled</span>}
      </th>
      <td>
        <Status of={crawl.status} />
      </td>
      <td class="wide">
        <div class="with-bar">
          <ProgressBar crawl={crawl} />
          <span class="muted small">{percent(crawl)}</span>
        </div>
      </td>
      <td class="number">{count(crawl.counts.completed)}</td>
      <td class="number wide">{short(pagesPerSecond(crawl))}</td>
      <td class="number wide">{bytes(crawl.bytes)}</td>
      <td class="number wide">{money(crawl.costUsd)}</td>
      <td class="number mid">{crawl.seconds === 0 ? "–" : duration(crawl.seconds)}</td>
      <td class="mid nowrap">
        <Time at={crawl.createdAt} />
      </td>
    </tr>
  );
};
