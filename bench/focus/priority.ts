import { pagePriority } from "../../src/crawl/page/url-kind.ts";

/** The priority that the ledger stores for a link's score. */
export function priorityOf(score: number): number {
  return pagePriority({ isPreferred: false, score, nth: null });
}
