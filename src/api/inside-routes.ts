import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { clockOf, systemClock } from "../core/clock.ts";
import { depsOf } from "../frontier/deps.ts";
import { recallRobots } from "../reading/recall-robots.ts";
import { ReportCache } from "../reading/report-cache.ts";
import { recordDetail } from "../store/record-details.ts";
import { Reports } from "../store/reports.ts";
import { treeLevel } from "../store/url-trees.ts";
import { canonicalize } from "../url/canonicalize.ts";
import { crawlOf } from "./crawl-routes.ts";
import { viewRecordDetail, viewReport } from "./report-view.ts";
import { viewRobots } from "./robots-view.ts";
import { explainQuery, robotsQuery, treeQuery } from "./schemas.ts";

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

/** One record, with the way that led to it and what was first found on it. */
insideRoutes.get("/:id/record", async (c) => {
  const { url } = explainQuery.parse(c.req.query());
  const crawl = await crawlOf(c);
  const detail = await recordDetail(c.env.LEDGER, crawl.id, canonicalize(url) ?? url);
  if (detail === null) throw new HTTPException(404, { message: `This crawl has no record of ${url}.` });
  return c.json({ success: true, result: viewRecordDetail(detail) });
});

/** One level of its URLs as a tree: the hosts, or what is below a path. */
insideRoutes.get("/:id/tree", async (c) => {
  const { path } = treeQuery.parse(c.req.query());
  const crawl = await crawlOf(c);
  return c.json({ success: true, result: await treeLevel(c.env.LEDGER, crawl.id, path) });
});

/** A robots.txt as it was read, and what it says of a URL. No host is asked for anything. */
insideRoutes.get("/:id/robots", async (c) => {
  const { origin, url } = robotsQuery.parse(c.req.query());
  const crawl = await crawlOf(c);
  const recalled = await recallRobots(crawl, { origin, url }, depsOf(c.env));
  if (recalled === null)
    throw new HTTPException(404, {
      message: "Name an origin, and a URL of it, with http or https: https://example.com/",
    });
  return c.json({ success: true, result: viewRobots(recalled, clockOf(c.env).now()) });
});
