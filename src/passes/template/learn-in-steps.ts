import type { Listed } from "../list-rows.ts";
import type { PassRun } from "../pass-run.ts";
import { learnTemplate } from "./learn-template.ts";

/** The steps of a pass that learn the template of each part of its crawl, unless it is fixed or the part goes on. */

/** A step may start 32 others. */
const BUDGET = { queries: 50, pages: 200, made: 24 };
const MOST_PAGES = 384;

/** The number of steps of `learnInSteps`; an estimate, as if no text was kept. */
export function countTemplateSteps({ rows }: Listed): number {
  return 1 + Math.ceil(Math.min(rows, MOST_PAGES) / BUDGET.made);
}

export async function learnInSteps(run: PassRun): Promise<void> {
  for (let turn = 0, isLeft = true; isLeft; turn++)
    isLeft = await run.step(`template ${turn}`, "Learning what pages have in common", async ({ parts }) => {
      for (const { crawl: id, deps: own } of parts) {
        const crawl = await own.ledger.crawl(id);
        const hasEnded = crawl !== null && (crawl.watchingSince ?? crawl.finishedAt) !== null;
        if (hasEnded && !(await learnTemplate(crawl, { ...BUDGET }, own))) return true;
      }
      return false;
    });
}
