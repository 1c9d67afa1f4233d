import { Hono } from "hono";
import type { Crawl } from "../../crawl/crawl.ts";
import { seedsKey } from "../../crawl/seeds-key.ts";
import type { Deps } from "../../frontier/deps.ts";
import { homeOf } from "../../frontier/ledgers.ts";
import { FINDING_KINDS, type FindingKind } from "../../graph/problems/finding.ts";
import { readIgnoreList } from "../../graph/problems/ignore-list.ts";
import { changeOf, listCounts } from "../../graph/report/report.ts";
import { REPORT_FORMATS } from "../../graph/report/report-formats.ts";
import {
  asCompared,
  compareReports,
  type ReportComparison,
  readCompared,
} from "../../reading/analysis/compared-report.ts";
import { ignoreRulesOf, withoutIgnored } from "../../reading/analysis/ignored-findings.ts";
import {
  type FindingsPage,
  openSiteReport,
  readFindings,
  type SiteReport,
} from "../../reading/analysis/site-report.ts";
import type { PassResults } from "../../reading/needs.ts";
import type { Store } from "../../store/store.ts";
import { anyCrawlOf, findAnyCrawl, type FindDeps } from "../crawls/crawl-routes.ts";
import { streamText } from "../exports/stream-text.ts";
import { FOREIGN } from "../foreign.ts";
import { RequestProblem, refusal } from "../requests/request-problem.ts";
import {
  type FindingsView,
  findingsQuery,
  type IgnoreListView,
  ignoreListRequest,
  reportFileQuery,
} from "./finding-schemas.ts";

/** /api/crawls/:id/findings: what the last analysis found. */

export const findingRoutes = new Hono<{ Bindings: Env }>();

findingRoutes.get("/:id/findings", async (c) => {
  const { kind, cursor, limit, ...asked } = findingsQuery.parse(c.req.query());
  const crawl = await anyCrawlOf(c);
  const report = await reportOf(crawl, c.var.deps);
  const view = await viewOfReport(crawl, report, { kind, ...asked }, c.var.deps);
  if (view !== null) {
    const page = kind === undefined ? NO_FINDINGS : await readCompared(view, kind, Number(cursor), limit);
    return c.json({ success: true, result: viewFindings(view, page) });
  }
  const page = kind === undefined ? NO_FINDINGS : await readFindings(report, kind, Number(cursor), limit);
  if (page === null) throw refusal(400, "The cursor is not of this list of findings.");
  return c.json({ success: true, result: viewFindings(report, page) });
});

findingRoutes.get("/:id/findings/file", async (c) => {
  const { format, kind, ...asked } = reportFileQuery.parse(c.req.query());
  const crawl = await anyCrawlOf(c);
  const report = await reportOf(crawl, c.var.deps);
  const { contentType, write } = REPORT_FORMATS[format];
  const view = await viewOfReport(crawl, report, { kind, ...asked }, c.var.deps);
  const { head, read } = view ?? asCompared(report);
  const counts = kind === undefined ? head.counts : { [kind]: head.counts[kind] };
  const text = write({ ...head, counts }, read(kind));
  return new Response(streamText(text), {
    headers: {
      ...FOREIGN,
      "content-type": contentType,
      "content-disposition": `attachment; filename="report-${crawl.id}.${EXTENSIONS[format] ?? format}"`,
    },
  });
});

findingRoutes.get("/:id/ignored", async (c) => {
  const crawl = await anyCrawlOf(c);
  return c.json({ success: true, result: await viewIgnored(crawl, c.var.deps) });
});

findingRoutes.post("/:id/ignored", async (c) => {
  const { list } = ignoreListRequest.parse(await c.req.json());
  const crawl = await anyCrawlOf(c);
  const { problems } = readIgnoreList(list);
  if (problems.length > 0)
    throw new RequestProblem("bad-ignore-list", problems.slice(0, MAX_PROBLEMS).join("\n"), "list");
  await c.var.deps.ignoreLists.put(seedsKey(crawl), list, c.var.deps.clock.now());
  return c.json({ success: true, result: await viewIgnored(crawl, c.var.deps) });
});

const MAX_PROBLEMS = 20;

async function viewIgnored(crawl: Crawl, { ignoreLists }: Pick<Store, "ignoreLists">): Promise<IgnoreListView> {
  const list = (await ignoreLists.of(seedsKey(crawl))) ?? "";
  return { list, rules: readIgnoreList(list).rules };
}

/** The report as it is compared, and without what its site ignores. Null if it is as its pass has written it. */
async function viewOfReport(
  crawl: Crawl,
  report: SiteReport,
  { kind, against, ignore }: { kind: FindingKind | undefined; against?: string | undefined; ignore: boolean },
  deps: ReportDeps,
): Promise<ReportComparison | null> {
  const compared = against === undefined ? null : await compare(report, against, kind, deps);
  const rules = ignore ? await ignoreRulesOf(crawl, deps) : [];
  if (rules.length === 0) return compared;
  const { crawl: id, finishedAt, comparedCrawl } = (compared ?? report).head;
  const name = JSON.stringify([id, finishedAt, against === undefined ? null : [comparedCrawl, kind]]);
  const kept = await withoutIgnored(compared ?? asCompared(report), rules, deps.clock.now(), name);
  if (kept === null)
    throw refusal(400, "The report has too many findings to look for those to ignore. Give `ignore=false`.");
  return kept;
}

type ReportDeps = PassResults & FindDeps & Pick<Store, "ignoreLists"> & Pick<Deps, "clock">;

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
  deps: PassResults & FindDeps,
): Promise<ReportComparison> {
  const other = await findAnyCrawl(against, deps);
  const compared = await compareReports(report, await reportOf(other, homeOf(deps, other.id)), kind);
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
