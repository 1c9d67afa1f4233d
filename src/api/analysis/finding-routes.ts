import { Hono } from "hono";
import type { Crawl } from "../../crawl/crawl.ts";
import { FINDING_KINDS, type FindingKind } from "../../graph/problems/finding.ts";
import { changeOf, listCounts } from "../../graph/report/report.ts";
import { REPORT_FORMATS } from "../../graph/report/report-formats.ts";
import { readAll } from "../../passes/links/report-object.ts";
import { compareReports, type ReportComparison, readCompared } from "../../reading/analysis/compared-report.ts";
import {
  type FindingsPage,
  openSiteReport,
  readFindings,
  type SiteReport,
} from "../../reading/analysis/site-report.ts";
import type { PassResults } from "../../reading/needs.ts";
import type { Store } from "../../store/store.ts";
import { crawlOf, findCrawl } from "../crawls/crawl-routes.ts";
import { streamText } from "../exports/stream-text.ts";
import { FOREIGN } from "../foreign.ts";
import { refusal } from "../requests/request-problem.ts";
import { type FindingsView, findingsQuery, reportFileQuery } from "./finding-schemas.ts";

/** /api/crawls/:id/findings: what the last analysis found. */

export const findingRoutes = new Hono<{ Bindings: Env }>();

findingRoutes.get("/:id/findings", async (c) => {
  const { kind, cursor, limit, against } = findingsQuery.parse(c.req.query());
  const report = await reportOf(await crawlOf(c), c.var.deps);
  if (against !== undefined) {
    const compared = await compare(report, against, kind, c.var.deps);
    const page = kind === undefined ? NO_FINDINGS : await readCompared(compared, Number(cursor), limit);
    return c.json({ success: true, result: viewFindings(compared, page) });
  }
  const page = kind === undefined ? NO_FINDINGS : await readFindings(report, kind, Number(cursor), limit);
  if (page === null) throw refusal(400, "The cursor is not of this list of findings.");
  return c.json({ success: true, result: viewFindings(report, page) });
});

findingRoutes.get("/:id/findings/file", async (c) => {
  const { format, kind, against } = reportFileQuery.parse(c.req.query());
  const crawl = await crawlOf(c);
  const report = await reportOf(crawl, c.var.deps);
  const { contentType, write } = REPORT_FORMATS[format];
  const compared = against === undefined ? null : await compare(report, against, kind, c.var.deps);
  const { head } = compared ?? report;
  const counts = kind === undefined ? head.counts : { [kind]: head.counts[kind] };
  const findings = compared?.read() ?? readAll(report.file, kind === undefined ? undefined : [kind]);
  const text = write({ ...head, counts }, findings);
  return new Response(streamText(text), {
    headers: {
      ...FOREIGN,
      "content-type": contentType,
      "content-disposition": `attachment; filename="report-${crawl.id}.${EXTENSIONS[format] ?? format}"`,
    },
  });
});

async function reportOf(crawl: Crawl, deps: PassResults): Promise<SiteReport> {
  const report = await openSiteReport(crawl, deps);
  if (report === null)
    throw refusal(404, `Crawl ${crawl.id} has no report yet. Analyze it first: orbweaver analyze ${crawl.id}`);
  return report;
}

/** Throws 404 if the other crawl has no report, and 400 if there is too much to compare. */
async function compare(
  report: SiteReport,
  against: string,
  kind: FindingKind | undefined,
  deps: PassResults & Pick<Store, "ledger">,
): Promise<ReportComparison> {
  const compared = await compareReports(report, await reportOf(await findCrawl(against, deps), deps), kind);
  if (compared !== "too-many") return compared;
  const narrow = kind === undefined ? " Compare one kind of them: `kind`." : "";
  throw refusal(400, `The two reports have too many findings to compare.${narrow}`);
}

/** Where the name of the format is no extension. */
const EXTENSIONS: Partial<Record<string, string>> = { junit: "xml" };

const NO_FINDINGS: FindingsPage = { findings: [], next: null };

function viewFindings({ head }: Pick<SiteReport, "head">, { findings, next }: FindingsPage): FindingsView {
  const {
    finishedAt,
    isOutdated = false,
    comparedWith,
    comparedCrawl = null,
    pages,
    links,
    leftOut,
    unjudged = {},
    externals = null,
  } = head;
  const counts = listCounts(head).map(({ kind, ...numbers }) => {
    const [severity, title, explanation, mend] = FINDING_KINDS[kind];
    return { kind, severity, title, explanation, mend, ...numbers, still: numbers.found - numbers.new };
  });
  const cursor = next === null ? null : String(next);
  const judged = { pages, links, unjudged: unjudged as FindingsView["unjudged"], leftOut: [...leftOut], externals };
  const listed = findings.map((finding) => ({ ...finding, change: changeOf(head, finding) }));
  return { finishedAt, isOutdated, comparedWith, comparedCrawl, ...judged, counts, findings: listed, cursor };
}
