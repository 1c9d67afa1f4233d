import type { Crawl } from "../../crawl/crawl.ts";
import type { Deps } from "../../frontier/deps.ts";
import type { StartPassDeps } from "../needs.ts";
import { beginPass, type StartedPass } from "../start-pass.ts";

/** Begins the passes that ask a model about the pages of a crawl. */

type ExtractionDeps = StartPassDeps & Pick<Deps, "model" | "extractions">;

/** A write of the row, one of the answer, and the reading of the page. */
const USD_PER_PAGE = 4e-6;

/** What the model costs is no part of the crawl's cost limit: it has a limit of its own. */
export async function startExtraction(crawl: Crawl, deps: ExtractionDeps): Promise<StartedPass> {
  if (crawl.options.extract === null) return { kind: "refused", why: "it was started without --extract" };
  if (typeof deps.model === "string") return { kind: "refused", why: deps.model };
  return beginPass(crawl, deps, { kind: "extract", usd: crawl.counters.completed * USD_PER_PAGE });
}

/** The crawls to ask about now; none without a model. */
export async function findDueExtractions({ model, extractions, clock }: ExtractionDeps): Promise<string[]> {
  return typeof model === "string" ? [] : extractions.due(clock.now());
}

/** False if it was refused, such as while another pass runs; the next heartbeat asks again. */
export async function startDueExtraction(id: string, deps: ExtractionDeps & Pick<Deps, "ledger">): Promise<boolean> {
  const crawl = await deps.ledger.crawl(id);
  return crawl !== null && (await startExtraction(crawl, deps)).kind === "started";
}
