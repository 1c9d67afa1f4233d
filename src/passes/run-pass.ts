import { completePass } from "./complete-pass.ts";
import { countRepeatedSteps, findRepeatedText } from "./find-repeated.ts";
import { countSectionSteps, findSections } from "./find-sections.ts";
import { countTwinSteps, findTwins } from "./find-twins.ts";
import { listRows, MAX_ROWS } from "./list-rows.ts";
import { PassEnded, type PassRun } from "./pass-run.ts";
import { countRankSteps, rankPages } from "./rank-pages.ts";
import { countLinkSteps, readLinks } from "./read-links.ts";
import { countReindexSteps, reindexSearch } from "./reindex-search.ts";
import { countTurnSteps, turnLinks } from "./turn-links.ts";
import { countFigureSteps, writeFigures } from "./write-figures.ts";
import { countReportSteps, writeReport } from "./write-report.ts";
import { RESULT_STEPS, writeResult } from "./write-result.ts";

/**
 * A pass: rows, links, in-links, ranks, twins, repeated text, sections, report, result. Each step takes what steps
 * before wrote to R2, and a step that is repeated writes the same bytes. So it does not matter where a pass was
 * interrupted.
 */
export async function runPass(run: PassRun): Promise<void> {
  const listed = await listRows(run);
  if (listed.rows > MAX_ROWS)
    throw new PassEnded(`a pass takes ${MAX_ROWS.toLocaleString("en")} URLs at most, and this crawl has more`);
  const end = RESULT_STEPS + (run.order.reindex ? countReindexSteps(listed) : 0);
  const last =
    countTwinSteps(listed) +
    countRepeatedSteps(listed) +
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
  await findRepeatedText(run, listed);
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
