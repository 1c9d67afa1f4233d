import { Hono } from "hono";
import type { FC } from "hono/jsx";
import { MOST_LISTED } from "../api/crawl-routes.ts";
import type { CrawlView } from "../api/views.ts";
import { callApi } from "./call-api.ts";
import { CrawlTable } from "./crawl-table.tsx";
import { Heading, Page, render, Stale } from "./layout.tsx";
import { SeedForm } from "./new-crawl-form.tsx";
import { count } from "./numbers.tsx";
import type { Console } from "./page-context.ts";

/** The crawls, newest first. */

export const crawlListRoutes = new Hono<Console>();

/** It is the first page that is seen, and brought up to date every few seconds. */
const AT_A_TIME = 50;
const EVERY_S = { running: "2", resting: "10" };

crawlListRoutes.get("/crawls", async (c) => {
  const crawls = await callApi<CrawlView[]>(c, "GET", "/api/crawls");
  const mayStart = c.get("access") === "all";
  const from = Math.max(0, Number.parseInt(c.req.query("from") ?? "0", 10) || 0);
  const shown = crawls.slice(from, from + AT_A_TIME);
  // The last of them was deleted.
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
            ? "The crawl was deleted; what it kept is removed as soon as no page of it can still be on its way."
            : "The crawl was deleted, with all that it kept."}
        </p>
      )}
      <Stale />
      <div id="crawls" data-live data-every={isMoving ? EVERY_S.running : EVERY_S.resting}>
        {shown.length > 0 ? <CrawlTable crawls={shown} /> : <None mayStart={mayStart} />}
        <Others from={from} all={crawls.length} />
      </div>
    </Page>,
  );
});

const Others: FC<{ from: number; all: number }> = ({ from, all }) => (
  <>
    {(from > 0 || from + AT_A_TIME < all) && (
      <p class="pages">
        {from > 0 && <a href={`/crawls?from=${Math.max(0, from - AT_A_TIME)}`}>Newer ones</a>}
        {from + AT_A_TIME < all && <a href={`/crawls?from=${from + AT_A_TIME}`}>Older ones</a>}
      </p>
    )}
    {all >= MOST_LISTED && from + AT_A_TIME >= all && (
      <p class="muted small">These are the newest {count(MOST_LISTED)}; older ones are found by their address alone.</p>
    )}
  </>
);

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
