import { Hono } from "hono";
import { systemClock } from "../../core/clock.ts";
import { ReportCache } from "../../reading/analysis/report-cache.ts";
import { recallRobots } from "../../reading/explain/recall-robots.ts";
import { readRow } from "../../reading/records/read-row.ts";
import { reportOfWhole, treeOfWhole } from "../../reading/whole-views.ts";
import { canonicalize } from "../../url/canonicalize.ts";
import { anyCrawlOf, crawlWithUrl, wholeCrawlOf } from "../crawls/crawl-routes.ts";
import { robotsQuery, viewRobots } from "../crawls/robots-schemas.ts";
import { urlQuery, viewRecordDetail } from "../records/record-schemas.ts";
import { refusal } from "../requests/request-problem.ts";
import { treeQuery, viewReport } from "./report-schemas.ts";

/** /api/crawls/:id/...: details of a crawl for people and for the console. */

export const insideRoutes = new Hono<{ Bindings: Env }>();

/** Each isolate has its own cache. */
const reports = new ReportCache();

insideRoutes.get("/:id/report", async (c) => {
  const crawl = await wholeCrawlOf(c);
  const report = await reports.of(crawl, systemClock, (each) => reportOfWhole(each, c.var.deps));
  return c.json({ success: true, result: viewReport(report) });
});

insideRoutes.get("/:id/record", async (c) => {
  const { url } = urlQuery.parse(c.req.query());
  const canonical = canonicalize(url) ?? url;
  const crawl = await crawlWithUrl(c, canonical);
  const detail = await c.var.deps.records.detail(crawl.id, canonical);
  if (detail === null) throw refusal(404, `This crawl has no record of ${url}.`);
  const { record } = await readRow(crawl, detail.record, [], { ...c.var.deps, template: null });
  return c.json({ success: true, result: viewRecordDetail({ ...detail, record }) });
});

insideRoutes.get("/:id/tree", async (c) => {
  const { path } = treeQuery.parse(c.req.query());
  const crawl = await anyCrawlOf(c);
  return c.json({ success: true, result: await treeOfWhole(crawl, path, c.var.deps) });
});

/** This sends no request to any host. */
insideRoutes.get("/:id/robots", async (c) => {
  const { origin, url } = robotsQuery.parse(c.req.query());
  const canonical = canonicalize(origin ?? url ?? "");
  const crawl = await (canonical === null ? anyCrawlOf(c) : crawlWithUrl(c, canonical));
  const recalled = await recallRobots(crawl, { origin, url }, c.var.deps);
  if (recalled === null)
    throw refusal(404, "Send an http or https origin, and a URL of the same origin: https://example.com/");
  return c.json({ success: true, result: viewRobots(recalled, c.var.deps.clock.now()) });
});
