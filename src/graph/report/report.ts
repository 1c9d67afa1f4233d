import type { ExternalCounts } from "../external-answers.ts";
import type { ComparedFinding } from "../problems/compare-findings.ts";
import { FINDING_KINDS, type FindingKind } from "../problems/finding.ts";

/** The site report: its head, and findings that pass by one at a time. Its writers hold no more than one of them. */

export interface ReportHead {
  /** The name of the site, for people. */
  site: string;
  /** The id of the crawl. */
  crawl: string;
  /** When the pass ended: ISO 8601, UTC. */
  finishedAt: string;
  /**
   * When the earlier pass ended, with which this one is compared; null for the first, where nothing is marked as new.
   */
  comparedWith: string | null;
  /** The crawl of the earlier pass, where it is another one; absent in reports of earlier versions. */
  comparedCrawl?: string | null;
  pages: number;
  links: number;
  /** Kinds without findings may be left out. */
  counts: Partial<Record<FindingKind, KindCount>>;
  /** Whether the crawl went on after the pass; absent where that is not known. */
  isOutdated?: boolean;
  /** What was not checked, in sentences. */
  leftOut: readonly string[];
  /** The URLs that were not read, by reason; absent in reports of earlier versions. */
  unjudged?: Readonly<Partial<Record<string, number>>>;
  /** The check of links to other sites; null or absent if nobody was asked. */
  externals?: ExternalCounts | null;
}

/** `found`: in the later pass, `new` ones included; the others are there still. */
export interface KindCount {
  found: number;
  new: number;
  mended: number;
}

/** The columns of a comparison, in all formats that people read. */
export const CHANGE_COLUMNS = ["New", "Still", "Mended"] as const;

/** Their numbers. */
export function changesOf({ found, new: fresh, mended }: KindCount): readonly [number, number, number] {
  return [fresh, found - fresh, mended];
}

/** With which analysis a report is compared, in a sentence. */
export function tellComparison({ comparedWith, comparedCrawl = null }: Comparison): string {
  const crawl = comparedCrawl === null ? "" : ` of crawl ${comparedCrawl}`;
  return `Compared with the analysis${crawl} of ${comparedWith}.`;
}
type Comparison = Pick<ReportHead, "comparedWith" | "comparedCrawl">;

/** What a finding is beside the earlier report, for people; null where nothing was compared. */
export function changeOf({ comparedWith }: Pick<ReportHead, "comparedWith">, { change }: ComparedFinding) {
  return comparedWith === null ? null : change;
}

/** In the order of `orderFindings`. */
type ReportFindings = AsyncIterable<ComparedFinding> | Iterable<ComparedFinding>;
export type WriteReport = (head: ReportHead, findings: ReportFindings) => AsyncGenerator<string, void>;

export function countFinding(counts: ReportHead["counts"], { kind, change }: ComparedFinding): void {
  const count = counts[kind] ?? { found: 0, new: 0, mended: 0 };
  counts[kind] = count;
  if (change !== "mended") count.found += 1;
  if (change !== "still") count[change] += 1;
}

/** The kinds with findings, found or mended, in the order of the report. */
export function listCounts({ counts }: ReportHead): ({ kind: FindingKind } & KindCount)[] {
  const kinds = Object.keys(FINDING_KINDS) as FindingKind[];
  return kinds.flatMap((kind) => {
    const count = counts[kind];
    return count === undefined ? [] : [{ kind, ...count }];
  });
}

interface ReportRow {
  finding: ComparedFinding;
  /** The kind, if the row is its first. */
  kind: FindingKind | null;
  /** What the row and the next ones share, if the row is their first: a URL, or a title or description. */
  group: { target: string } | { text: string } | null;
  isLastOfKind: boolean;
}

/** Divides findings by kind, and within a kind by the target or else the text that they share. */
export async function* groupFindings(findings: ReportFindings): AsyncGenerator<ReportRow, void> {
  let before: ComparedFinding | undefined;
  let row: ReportRow | undefined;
  for await (const finding of findings) {
    const isNewKind = finding.kind !== before?.kind;
    if (row !== undefined) yield { ...row, isLastOfKind: isNewKind };
    const { target, text } = finding;
    let group: ReportRow["group"] = null;
    if (target !== undefined) group = isNewKind || target !== before?.target ? { target } : null;
    else if (text !== undefined) group = isNewKind || text !== before?.text ? { text } : null;
    row = { finding, kind: isNewKind ? finding.kind : null, group, isLastOfKind: false };
    before = finding;
  }
  if (row !== undefined) yield { ...row, isLastOfKind: true };
}

/** The words of a link or the language of an alternate, where the text is not what a group shares. */
export function ownText({ target, text }: ComparedFinding): string {
  return target === undefined ? "" : (text ?? "");
}

/** The hops of a redirect before its end. */
export function hopsBetween({ hops = [] }: ComparedFinding): string[] {
  return hops.slice(0, -1);
}
