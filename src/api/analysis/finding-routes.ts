import { Hono } from "hono";
import type { Crawl } from "../../crawl/crawl.ts";
import { FINDING_KINDS } from "../../graph/problems/finding.ts";
import { listCounts } from "../../graph/report/report.ts";
import { REPORT_FORMATS } from "../../graph/report/report-formats.ts";
import { readAll } from "../../passes/links/report-object.ts";
import {
  type FindingsPage,
  openSiteReport,
  readFindings,
  type SiteReport,
} from "../../reading/analysis/site-report.ts";
import type { PassResults } from "../../reading/needs.ts";
import { crawlOf } from "../crawls/crawl-routes.ts";
import { streamText } from "../exports/stream-text.ts";
import { FOREIGN } from "../foreign.ts";
import { refusal } from "../requests/request-problem.ts";
import { type FindingsView, findingsQuery, reportFileQuery } from "./finding-schemas.ts";

/** /api/crawls/:id/findings: what the last analysis found. */

export const findingRoutes = new Hono<{ Bindings: Env }>();

findingRoutes.get("/:id/findings", async (c) => {
  const { kind, cursor, limit } = findingsQuery.parse(c.req.query());
  const report = await reportOf(await crawlOf(c), c.var.deps);
  const page =
    kind === undefined ? { findings: [], next: null } : await readFindings(report, kind, Number(cursor), limit);
  if (page === null) throw refusal(400, "The cursor is not of this list of findings.");
  return c.json({ success: true, result: viewFindings(report, page) });
});

findingRoutes.get("/:id/findings/file", async (c) => {
  const { format, kind } = reportFileQuery.parse(c.req.query());
  const crawl = await crawlOf(c);
  const { head, file } = await reportOf(crawl, c.var.deps);
  const { contentType, write } = REPORT_FORMATS[format];
  const counts = kind === undefined ? head.counts : { [kind]: head.counts[kind] };
  const text = write({ ...head, counts }, readAll(file, kind === undefined ? undefined : [kind]));
  return new Response(streamText(text), {
    headers: {
      ...FOREIGN,
      "content-type": contentType,
      "content-disposition": `attachment; filename="report-${crawl.id}.${format}"`,
    },
  });
});

async function reportOf(crawl: Crawl, deps: PassResults): Promise<SiteReport> {
  const report = await openSiteReport(crawl, deps);
  if (report === null)
    throw refusal(404, `This crawl has no report yet. Analyze it first: orbweaver analyze ${crawl.id}`);
  return report;
}

function viewFindings({ head }: SiteReport, { findings, next }: FindingsPage): FindingsView {
  const { finishedAt, comparedWith, pages, links, leftOut, unjudged = {}, externals = null } = head;
  const counts = listCounts(head).map(({ kind, ...numbers }) => {
    const [severity, title, explanation] = FINDING_KINDS[kind];
    return { kind, severity, title, explanation, ...numbers };
  });
  const cursor = next === null ? null : String(next);
  const judged = { pages, links, unjudged: unjudged as FindingsView["unjudged"], leftOut: [...leftOut], externals };
  return { finishedAt, comparedWith, ...judged, counts, findings, cursor };
}
