import type { Crawl } from "../../crawl/crawl.ts";
import type { Pass } from "../../crawl/report/pass.ts";
import type { ComparedFinding } from "../../graph/problems/compare-findings.ts";
import type { FindingKind } from "../../graph/problems/finding.ts";
import type { ReportHead } from "../../graph/report/report.ts";
import { openReport, type ReportFile, readKind } from "../../passes/links/report-object.ts";
import type { PassResults } from "../needs.ts";

/** Reads the site report of a crawl's last completed pass. */

export interface SiteReport {
  head: ReportHead;
  file: ReportFile;
}

/** Null if no pass has ended with a report. */
export async function openSiteReport(crawl: Crawl, { passes, passObjects }: PassResults): Promise<SiteReport | null> {
  const pass = await passes.lastCompleted(crawl.id);
  const file = pass === undefined ? null : await openReport(pass, passObjects);
  if (pass === undefined || file === null || pass.finishedAt === null) return null;
  const { sections: _, ...facts } = file.header;
  const site = crawl.options.urls[0] ?? crawl.id;
  const isOutdated = isOfBefore(pass, crawl);
  const leftOut = [...(isOutdated ? [OUTDATED] : []), ...facts.leftOut];
  const finishedAt = new Date(pass.finishedAt).toISOString();
  return { head: { site, crawl: crawl.id, finishedAt, ...facts, isOutdated, leftOut }, file };
}

const OUTDATED = "The crawl went on after this analysis, so this report is of before. Analyze the crawl again.";

/** A watch goes on every day, and is analyzed again by itself. */
function isOfBefore({ startedAt }: Pass, { status, finishedAt }: Crawl): boolean {
  if (status === "watching") return false;
  return finishedAt === null ? status === "running" : startedAt < finishedAt;
}

/** Where a list of findings goes on; `kind` and bytes of its section. */
export interface FindingsPage {
  findings: ComparedFinding[];
  /** Bytes of the section; null if these are the last. */
  next: number | null;
}

/** Up to `most` findings of one kind. Null if no finding begins at `from`. */
export async function readFindings(
  { file }: SiteReport,
  kind: FindingKind,
  from: number,
  most: number,
): Promise<FindingsPage | null> {
  const length = file.header.sections[kind]?.length ?? 0;
  if (from > length) return null;
  const findings: ComparedFinding[] = [];
  try {
    for await (const { finding, end } of readKind(file, kind, from)) {
      findings.push(finding);
      if (findings.length === most) return { findings, next: end < length ? end : null };
    }
  } catch (error) {
    // The place is in the middle of a line.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  return { findings, next: null };
}
