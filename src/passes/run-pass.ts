import { completePass } from "./complete-pass.ts";
import { countRankSteps, rankPages } from "./links/rank-pages.ts";
import { countLinkSteps, readLinks } from "./links/read-links.ts";
import { countTurnSteps, turnLinks } from "./links/turn-links.ts";
import { countFigureSteps, writeFigures } from "./links/write-figures.ts";
import { countReportSteps, writeReport } from "./links/write-report.ts";
import { listRows, MAX_PASS_ROWS, TOO_MANY_ROWS } from "./list-rows.ts";
import { PassEnded, type PassRun } from "./pass-run.ts";
import { countTemplateSteps, learnInSteps } from "./template/learn-in-steps.ts";
import { countSectionSteps, findSections } from "./text/find-sections.ts";
import { countTwinSteps, findTwins } from "./text/find-twins.ts";
import { countReindexSteps, reindexSearch } from "./text/reindex-search.ts";
import { RESULT_STEPS, writeResult } from "./write-result.ts";

/**
 * A pass: rows, links, in-links, ranks, twins, the template, sections, report, result. Each step takes what steps
 * before wrote to R2, and a step that is repeated writes the same bytes. So it does not matter where a pass was
 * interrupted.
 */
export async function runPass(run: PassRun): Promise<void> {
  const listed = await listRows(run);
  if (listed.rows > MAX_PASS_ROWS) throw new PassEnded(TOO_MANY_ROWS);
  const end = RESULT_STEPS + (run.order.reindex ? countReindexSteps(listed) : 0);
  const last =
    countTwinSteps(listed) +
    countTemplateSteps(listed) +
    countFigureSteps(listed) +
    countSectionSteps(listed) +
    countReportSteps(listed) +
    end;
  run.expect(countLinkSteps(listed) + countTurnSteps(listed) + countRankSteps(listed, { edges: 0 }) + last);
  const links = await readLinks(run, listed);
  run.expect(countTurnSteps(listed) + countRankSteps(listed, links) + last);
  await turnLinks(run, listed, links);
  await rankPages(run, listed, links);
  const twins = await findTwins(run, listed);
  await learnInSteps(run);
  await writeFigures(run, listed);
  await findSections(run, listed, links);
  run.expect(countReportSteps(listed) + end);
  await writeReport(run, listed, links, twins);
  run.expect(end);
  await writeResult(run, listed, links);
  // Last, because what it writes counts at once.
  if (run.order.reindex) await reindexSearch(run);
  await completePass(run);
}
