import { type ComparedFinding, compareFindings } from "../../graph/problems/compare-findings.ts";
import { FINDING_KINDS, type FindingKind } from "../../graph/problems/finding.ts";
import { countFinding, type ReportHead } from "../../graph/report/report.ts";
import { readAll, readFound } from "../../passes/links/report-object.ts";
import type { FindingsPage, SiteReport } from "./site-report.ts";

/**
 * Compares the reports of two crawls. Both are in the same order, so they are read side by side, one finding of each in
 * memory, and nothing is stored.
 */

/** Findings of both reports. Reading so many takes some 6 s of CPU time. */
export const MOST_COMPARED = 400_000;

export interface ReportComparison {
  head: ReportHead;
  /** In the order of the report; with `kind`, those of this kind. */
  read(kind?: FindingKind): AsyncGenerator<ComparedFinding, void>;
}

/** The report of a crawl as compared with that of another one; with `kind`, of this kind alone. */
export async function compareReports(
  report: SiteReport,
  other: SiteReport,
  kind: FindingKind | undefined,
): Promise<ReportComparison | "too-many"> {
  const kinds = kind === undefined ? (Object.keys(FINDING_KINDS) as FindingKind[]) : [kind];
  const sizeOf = ({ head }: SiteReport) => kinds.reduce((sum, one) => sum + (head.counts[one]?.found ?? 0), 0);
  if (sizeOf(report) + sizeOf(other) > MOST_COMPARED) return "too-many";
  const read = async function* (only?: FindingKind) {
    for (const one of only === undefined ? kinds : [only])
      yield* compareFindings(readFound(other.file, one), readFound(report.file, one));
  };
  const counts: ReportHead["counts"] = {};
  for await (const finding of read()) countFinding(counts, finding);
  const { finishedAt, crawl } = other.head;
  return { head: { ...report.head, comparedWith: finishedAt, comparedCrawl: crawl, counts }, read };
}

/** A report as its pass has written it, in the form of one that is compared. */
export function asCompared({ head, file }: SiteReport): ReportComparison {
  return { head, read: (kind) => readAll(file, kind === undefined ? undefined : [kind]) };
}

/** Up to `most` findings of a kind, from number `from` on. */
export async function readCompared(
  { read }: ReportComparison,
  kind: FindingKind,
  from: number,
  most: number,
): Promise<FindingsPage> {
  const findings: ComparedFinding[] = [];
  let number = 0;
  for await (const finding of read(kind)) {
    if (number++ < from) continue;
    if (findings.length === most) return { findings, next: from + most };
    findings.push(finding);
  }
  return { findings, next: null };
}
