import { Hono } from "hono";
import { depsOf } from "../frontier/deps.ts";
import { cancelCrawl } from "../frontier/start.ts";
import { Ledger } from "../store/ledger.ts";
import { crawlOf, startRequested } from "./crawl-routes.ts";
import { recordsQuery } from "./schemas.ts";
import { shownStatus, viewCrawl } from "./views.ts";

/**
 * Cloudflare's /crawl: https://developers.cloudflare.com/api/resources/browser_rendering/subresources/crawl/
 * Same paths, parameters, statuses and envelope, so that a client of theirs works here by a change of its base URL.
 */
export const cloudflareRoutes = new Hono<{ Bindings: Env }>();

cloudflareRoutes.post("/", async (c) => c.json({ success: true, result: await startRequested(c) }));

cloudflareRoutes.get("/:id", async (c) => {
  const { limit, cursor, status } = recordsQuery.parse(c.req.query());
  const crawl = await crawlOf(c);
  const { id, total, finished, counts } = viewCrawl(crawl);
  const records = await new Ledger(c.env.LEDGER).records(crawl.id, { limit, cursor, ...(status ? { status } : {}) });
  const last = records.length === limit ? records.at(-1) : undefined;
  return c.json({
    success: true,
    result: {
      id,
      // Theirs knows no pause.
      status: crawl.status === "paused" ? "running" : crawl.status,
      total,
      finished,
      skipped: counts.skipped,
      browserSecondsUsed: 0,
      records: records.map((record) => ({
        url: record.url,
        status: shownStatus(record.status),
        metadata: { status: record.httpStatus, url: record.url, title: record.title },
      })),
      ...(last ? { cursor: last.url } : {}),
    },
  });
});

cloudflareRoutes.delete("/:id", async (c) => {
  const crawl = await crawlOf(c);
  const cancelled = await cancelCrawl(crawl.id, "cancelled_by_user", depsOf(c.env));
  const message = cancelled ? "Crawl job cancelled." : `Crawl job had ended already: ${crawl.status}.`;
  return c.json({ success: true, result: { job_id: crawl.id, message } });
});
