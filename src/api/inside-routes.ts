import { Hono } from "hono";
import { systemClock } from "../core/clock.ts";
import { ReportCache } from "../frontier/report-cache.ts";
import { Reports } from "../store/reports.ts";
import { crawlOf } from "./crawl-routes.ts";
import { viewReport } from "./report-view.ts";

/** /api/crawls/:id/...: what a crawl looks like from inside, for people who look at it and the pages that show it to them. */

export const insideRoutes = new Hono<{ Bindings: Env }>();

/** Per isolate. */
const reports = new ReportCache();

/** Counts of its rows every way, and the newest of them. May be asked for every few seconds. */
insideRoutes.get("/:id/report", async (c) => {
  const crawl = await crawlOf(c);
  const report = await reports.of(crawl, systemClock, (each) => new Reports(c.env.LEDGER).of(each));
  return c.json({ success: true, result: viewReport(report) });
});
