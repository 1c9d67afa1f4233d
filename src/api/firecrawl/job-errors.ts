import type { Crawl, CrawlUrl } from "../../crawl/crawl.ts";
import { describeReason } from "../../crawl/page/reason.ts";
import type { UrlStatus } from "../../crawl/page/status.ts";
import type { Store } from "../../store/store.ts";

/** The URLs of a job that brought no page: what failed, and what robots.txt forbids. */

export interface JobErrors {
  success: true;
  errors: { id: string; timestamp: string; url: string; code: string; error: string }[];
  robotsBlocked: string[];
  warning?: string;
}

const PAGE = 1_000;
/** Of each kind. Their answer has no cursor. */
const MOST = 10_000;

export async function readJobErrors(crawl: Crawl, deps: Pick<Store, "records" | "ledger">): Promise<JobErrors> {
  const [errored, disallowed] = await Promise.all([
    listAll(crawl, "errored", deps),
    listAll(crawl, "disallowed", deps),
  ]);
  const isCut = errored.length + disallowed.length < crawl.counters.errored + crawl.counters.disallowed;
  return {
    success: true,
    errors: errored.map(({ url, reason, detail, fetchedAt }) => ({
      id: url,
      timestamp: new Date(fetchedAt ?? crawl.updatedAt).toISOString(),
      url,
      code: reason ?? "error",
      error: describeReason({ reason, detail }),
    })),
    robotsBlocked: disallowed.map(({ url }) => url),
    ...(isCut ? { warning: `These are the first ${MOST} of each. GET /api/crawls/${crawl.id}/records has all.` } : {}),
  };
}

async function listAll({ id }: Crawl, status: UrlStatus, { records }: Pick<Store, "records">): Promise<CrawlUrl[]> {
  const all: CrawlUrl[] = [];
  for await (const row of records.walk(id, { cursor: "", limit: PAGE, status })) if (all.push(row) === MOST) break;
  return all;
}
