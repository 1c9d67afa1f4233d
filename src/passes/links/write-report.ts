import type { ReportHead } from "../../graph/report/report.ts";
import type { Listed } from "../list-rows.ts";
import type { PassOrder, PassRun } from "../pass-run.ts";
import { writeSections } from "../sectioned-object.ts";
import type { TwinCounts } from "../text/find-twins.ts";
import { numbered } from "../write-result.ts";
import { checkExternals, tellExternals } from "./check-externals.ts";
import { countFindSteps, type Found, findProblems } from "./find-problems.ts";
import { gatherFacts, type SiteCounts } from "./gather-facts.ts";
import { type EarlierReport, findEarlier, type MergedKind, mergeFindings } from "./merge-findings.ts";
import { countNoteSteps, type NoteCounts, notePages } from "./note-pages.ts";
import type { LinkRuns } from "./read-links.ts";
import type { ReportFacts } from "./report-object.ts";
import { tellUnjudged } from "./unjudged.ts";

/**
 * Makes the site report of a pass, an object beside its result. The result says what the site is, and is the same
 * whenever a pass is repeated; the report says what changed since the pass before, too.
 */

/** The number of steps of `writeReport` without merges; an estimate. */
export function countReportSteps(listed: Listed): number {
  return 7 + countNoteSteps(listed) + countFindSteps(listed);
}

export async function writeReport(run: PassRun, listed: Listed, links: LinkRuns, twins: TwinCounts): Promise<void> {
  const site = await gatherFacts(run, listed, links);
  const asked = await checkExternals(run, listed);
  const notes = await notePages(run, listed);
  const found = await findProblems(run, listed, site.limits);
  const earlier = await run.step("earlier report", "Looking for the report before", findEarlier);
  const merged = await mergeFindings(run, found, earlier);
  const { unjudged = {} } = site;
  const notChecked = [
    ...tellUnjudged(unjudged, listed.rows),
    ...tellExternals(asked),
    ...tellLeftOut(site, notes, twins, found, merged),
  ];
  const head = { pages: site.pages, links: links.edges, externals: asked.externals, unjudged, leftOut: notChecked };
  await run.step("report", "Writing the report", async ({ passObjects }, order) => {
    const counts: ReportHead["counts"] = {};
    const sections = merged.flatMap(({ kind, parts, count }) => {
      if (parts > 0) counts[kind] = count;
      return parts > 0 ? [[kind, numbered(`report-${kind}`, parts)] as const] : [];
    });
    const compared = { comparedWith: timeOf(earlier), comparedCrawl: otherCrawl(earlier, order) };
    const facts: ReportFacts = { ...compared, ...head, counts };
    await writeSections("report", sections, facts, order, passObjects);
    return null;
  });
}

function timeOf(earlier: EarlierReport | null): string | null {
  return earlier === null ? null : new Date(earlier.finishedAt).toISOString();
}

function otherCrawl(earlier: EarlierReport | null, { crawl }: PassOrder): string | null {
  return earlier?.crawl === undefined || earlier.crawl === crawl ? null : earlier.crawl;
}

function tellLeftOut(
  site: SiteCounts,
  notes: NoteCounts,
  twins: TwinCounts,
  found: Pick<Found, "leftOut" | "cut">,
  merged: MergedKind[],
): string[] {
  const findings = merged.reduce((sum, { leftOut }) => sum + leftOut, found.leftOut);
  const uncompared = found.cut.length;
  const sentences: [count: number, sentence: string][] = [
    [notes.droppedLinks, "links of very large pages were not kept, and are not checked."],
    [notes.leftOut, "fragments and alternate languages are too many to check."],
    [site.leftOutRedirects, "redirects were not followed."],
    [
      twins.unprinted,
      "pages are not compared, and their words not counted: a crawl with --search or --markdown reads their texts.",
    ],
    [twins.leftOut, "pairs of pages with similar texts are too many to compare."],
    [findings, "findings are too many to list."],
    [uncompared, "kinds of findings have too many to compare them with an earlier report."],
  ];
  return sentences.flatMap(([count, sentence]) => (count === 0 ? [] : [`${count} ${sentence}`]));
}
