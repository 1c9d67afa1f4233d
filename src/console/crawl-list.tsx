import { Hono } from "hono";
import type { CrawlView } from "../api/views.ts";
import { callApi } from "./call-api.ts";
import { Heading, Page, render } from "./layout.tsx";
import type { Console } from "./page-context.ts";

/** The crawls, newest first. */

export const crawlListRoutes = new Hono<Console>();

crawlListRoutes.get("/crawls", async (c) => {
  const crawls = await callApi<CrawlView[]>(c, "GET", "/api/crawls");
  return render(
    c,
    <Page title="Crawls" c={c} section="crawls">
      <Heading title="Crawls" />
      <ul>
        {crawls.map((crawl) => (
          <li>{crawl.id}</li>
        ))}
      </ul>
    </Page>,
  );
});
