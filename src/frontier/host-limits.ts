import { hostOf } from "../url/host-key.ts";
import { type Attempt, overHostLimitAttempt } from "./attempt.ts";
import type { Deps } from "./deps.ts";
import { type PageWork, visitOf, type Work } from "./work.ts";

/**
 * The page limits for hosts, in one lane. A host has one lane at a time, so the lane alone completes pages of it, and
 * the count is exact: what the ledger had when the lane began, and what it has completed or is fetching since. A lane
 * that outlives its lease does not count with the one that follows it.
 */
export class HostLimits {
  /** Completed pages, and pages that are being fetched, by crawl and host. */
  readonly #completed = new Map<string, number>();
  readonly #fetching = new Map<string, number>();

  /** One query for each crawl with such a limit, and none for others. */
  static async open(works: readonly Work[], { ledger }: Pick<Deps, "ledger">): Promise<HostLimits> {
    const limits = new HostLimits();
    for (const [crawl, own] of Map.groupBy(works.filter(isLimited), ({ row }) => row.crawl)) {
      const hosts = [...new Set(own.map(({ row }) => hostOf(row.url)))];
      for (const [host, count] of await ledger.hostPages(crawl, hosts))
        limits.#completed.set(`${crawl} ${host}`, count);
    }
    return limits;
  }

  /** Null if the URL may be fetched; `later` if that depends on pages that are being fetched. */
  decide(work: Work, now: number): Attempt | "later" | null {
    if (!isLimited(work)) return null;
    const { limitPerHost } = work.context.crawl.options;
    const completed = this.#completed.get(keyOf(work)) ?? 0;
    if (completed >= limitPerHost) return overHostLimitAttempt(work, now);
    return completed + (this.#fetching.get(keyOf(work)) ?? 0) >= limitPerHost ? "later" : null;
  }

  begin(work: Work): void {
    if (isLimited(work)) this.#fetching.set(keyOf(work), (this.#fetching.get(keyOf(work)) ?? 0) + 1);
  }

  /** `attempt`: null for a fetch that has no result yet. */
  end(work: Work, attempt: Attempt | null): void {
    if (!isLimited(work)) return;
    const key = keyOf(work);
    this.#fetching.set(key, (this.#fetching.get(key) ?? 1) - 1);
    if (attempt?.outcome.status === "completed") this.#completed.set(key, (this.#completed.get(key) ?? 0) + 1);
  }
}

/** A visit is no new page. */
function isLimited(work: Work): work is PageWork {
  return (
    work.kind === "page" &&
    work.row.kind === "page" &&
    visitOf(work) === null &&
    work.context.crawl.options.limitPerHost > 0
  );
}

function keyOf({ row }: Work): string {
  return `${row.crawl} ${hostOf(row.url)}`;
}
