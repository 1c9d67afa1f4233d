import { costUsd } from "../../crawl/bounds/usage.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import type { Deps } from "../../frontier/deps.ts";
import { countIndexed, reindexSome, reindexUsd } from "../text/reindex-search.ts";
import { type LearnDeps, learnTemplate, type TurnBudget } from "./learn-template.ts";

/** The heartbeat's turns at the templates of crawls that have ended, and at their search indexes. */

/** Crawls of a heartbeat. */
const MOST_CRAWLS = 8;
/**
 * The budget of a heartbeat, for all crawls together. An invocation may start 32 others, and on Workers Free make 50
 * queries of D1; the heartbeat needs some of both for other work. https://developers.cloudflare.com/d1/platform/limits/
 */
const BUDGET: TurnBudget = { queries: 20, pages: 120, made: 16 };
/** Queries of texts of the search index in a heartbeat, each of up to 200 texts. */
const INDEX_QUERIES = 3;

type DueDeps = LearnDeps & Pick<Deps, "ledger" | "reindexing">;

/** The crawls whose templates are to be learned, and what learns them as long as the budget lasts. */
export async function findDueTemplates(
  deps: DueDeps,
): Promise<{ crawls: string[]; learn(crawl: string): Promise<boolean> }> {
  const left = { ...BUDGET };
  return {
    crawls: await deps.crawlTemplates.due(MOST_CRAWLS),
    learn: async (id) => {
      const crawl = left.queries > 0 && left.made > 0 ? await deps.ledger.crawl(id) : null;
      return crawl !== null && (await learnTemplate(crawl, left, deps));
    },
  };
}

/** Leaves the template of a crawl out of some texts of its search index. Returns the crawl; null if none is due. */
export async function cleanSearch(deps: DueDeps): Promise<string | null> {
  const { crawlTemplates, ledger } = deps;
  const due = await crawlTemplates.nextSearch();
  if (due === null) return null;
  const crawl = await ledger.crawl(due.id);
  const after = crawl === null || isTooDear(crawl) ? null : await reindexSome(crawl, due.after, INDEX_QUERIES, deps);
  await crawlTemplates.noteSearched(due.id, due.after, after);
  return due.id;
}

function isTooDear(crawl: Crawl): boolean {
  const { maxCostUsd } = crawl.options;
  const cost = costUsd(crawl.usage) - costUsd(crawl.usageBeforeMonth);
  return maxCostUsd > 0 && cost + reindexUsd(countIndexed(crawl)) > maxCostUsd;
}
