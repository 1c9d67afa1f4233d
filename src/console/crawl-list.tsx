import { Hono } from "hono";
import type { FC } from "hono/jsx";
import { MOST_LISTED } from "../api/crawl-routes.ts";
import type { CrawlView, Health } from "../api/views.ts";
import { callApi } from "./call-api.ts";
import { CrawlTable } from "./crawl-table.tsx";
import { Heading, Page, render, Stale } from "./layout.tsx";
import { SeedForm } from "./new-crawl-form.tsx";
import { count, money, Time } from "./numbers.tsx";
import type { Console } from "./page-context.ts";

/** The crawls, newest first. */

export const crawlListRoutes = new Hono<Console>();

/** The list is the first page people see and refreshes every few seconds, so it stays small. */
const PAGE_SIZE = 50;
const EVERY_S = { running: "2", resting: "10" };

crawlListRoutes.get("/crawls", async (c) => {
  const [crawls, { bill }] = await Promise.all([
    callApi<CrawlView[]>(c, "GET", "/api/crawls"),
    callApi<Health>(c, "GET", "/api/health"),
  ]);
  const mayStart = c.get("access") === "all";
  const from = Math.max(0, Number.parseInt(c.req.query("from") ?? "0", 10) || 0);
  const shown = crawls.slice(from, from + PAGE_SIZE);
  // The last crawl of this page was deleted.
  if (from > 0 && shown.length === 0) return c.redirect("/crawls", 303);
  const isMoving = shown.some(({ status }) => status === "running");
  const deleted = c.req.query("deleted");
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
      {deleted !== undefined && (
        <p class="notice" role="status">
          {deleted === "soon"
            ? "The crawl was deleted. Its stored pages are removed once its last requests have ended."
            : "The crawl was deleted with all its stored pages."}
        </p>
      )}
      <Stale />
      <div id="crawls" data-live data-every={isMoving ? EVERY_S.running : EVERY_S.resting}>
        {shown.length > 0 ? <CrawlTable crawls={shown} /> : <NoCrawls mayStart={mayStart} />}
        <ListPages from={from} all={crawls.length} />
      </div>
      {bill !== null && (
        <p class="muted small">
          Reading, schedules and heartbeats: {money(bill.costUsd)} since <Time at={bill.since} />, at Cloudflare's list
          prices.
        </p>
      )}
    </Page>,
  );
});

const ListPages: FC<{ from: number; all: number }> = ({ from, all }) => (
  <>
    {(from > 0 || from + PAGE_SIZE < all) && (
      <p class="pages">
        {from > 0 && <a href={`/crawls?from=${Math.max(0, from - PAGE_SIZE)}`}>Newer crawls</a>}
        {from + PAGE_SIZE < all && <a href={`/crawls?from=${from + PAGE_SIZE}`}>Older crawls</a>}
      </p>
    )}
    {all >= MOST_LISTED && from + PAGE_SIZE >= all && (
      <p class="muted small">Only the newest {count(MOST_LISTED)} are listed. Older crawls open by their address.</p>
    )}
  </>
);

const NoCrawls: FC<{ mayStart: boolean }> = ({ mayStart }) => (
  <div class="panel empty">
    <h2>No crawls yet</h2>
    {mayStart ? (
      <>
        <p>Enter a URL. Orbweaver crawls this page and what it links to on the same host, politely, page by page.</p>
        <SeedForm />
      </>
    ) : (
      <p>New crawls appear here.</p>
    )}
  </div>
);
