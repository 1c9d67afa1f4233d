import { hostOf } from "../url/host-key.ts";
import { type Attempt, overHostLimitAttempt } from "./attempt.ts";
import type { Deps } from "./deps.ts";
import { crawlAndHost, isNewPage, type PageWork, type Work } from "./work.ts";

/**
 * The page limits for hosts, in one lane: what the ledger had when the lane began, and what it has completed or is
 * fetching since. A document that waits counts as a page that is being fetched. A host has one lane at a time, so this
 * fetches hardly a page too many. The commit keeps the limit itself (turn-away.ts).
 */
export class HostLimits {
  /** Completed pages, and pages that are being fetched, by crawl and host. */
  readonly #completed = new Map<string, number>();
  readonly #fetching = new Map<string, number>();
  /** Documents that waited when the lane began, or wait since; they are among `#fetching`. */
  readonly #documents = new Map<string, number>();

  /** Two queries for each crawl with such a limit, and none for others. */
  static async open(
    works: readonly Work[],
    { ledger, waitingDocuments }: Pick<Deps, "ledger" | "waitingDocuments">,
  ): Promise<HostLimits> {
    const limits = new HostLimits();
    for (const [crawl, own] of Map.groupBy(works.filter(isLimited), ({ row }) => row.crawl)) {
      const hosts = [...new Set(own.map(({ row }) => hostOf(row.url)))];
      for (const [host, count] of await ledger.hostPages(crawl, hosts))
        limits.#completed.set(`${crawl} ${host}`, count);
      for (const [host, count] of await waitingDocuments.count(crawl, hosts)) {
        limits.#fetching.set(`${crawl} ${host}`, count);
        limits.#documents.set(`${crawl} ${host}`, count);
      }
    }
    return limits;
  }

  /** Null if the URL may be fetched; `later` if that depends on pages that are being fetched. */
  decide(work: Work, now: number): Attempt | "later" | null {
    if (!isLimited(work)) return null;
    const { limitPerHost } = work.context.crawl.options;
    const completed = this.#completed.get(crawlAndHost(work.row)) ?? 0;
    if (completed >= limitPerHost) return overHostLimitAttempt(work, now);
    return completed + (this.#fetching.get(crawlAndHost(work.row)) ?? 0) >= limitPerHost ? "later" : null;
  }

  /** Whether a URL that `decide` puts off may have to do so for long. */
  waitsForDocuments(work: Work): boolean {
    return (this.#documents.get(crawlAndHost(work.row)) ?? 0) > 0;
  }

  /** Notes that a URL that has begun is a document, which waits when its fetch ends. */
  keepWaiting(work: Work): void {
    if (!isLimited(work)) return;
    this.begin(work);
    this.#documents.set(crawlAndHost(work.row), (this.#documents.get(crawlAndHost(work.row)) ?? 0) + 1);
  }

  begin(work: Work): void {
    if (isLimited(work))
      this.#fetching.set(crawlAndHost(work.row), (this.#fetching.get(crawlAndHost(work.row)) ?? 0) + 1);
  }

  /** `attempt`: null for a fetch that has no result yet. */
  end(work: Work, attempt: Attempt | null): void {
    if (!isLimited(work)) return;
    const key = crawlAndHost(work.row);
    this.#fetching.set(key, (this.#fetching.get(key) ?? 1) - 1);
    if (attempt?.outcome.status === "completed") this.#completed.set(key, (this.#completed.get(key) ?? 0) + 1);
  }
}

/** A visit is no new page. */
export function isLimited(work: Work): work is PageWork {
  return isNewPage(work) && work.context.crawl.options.limitPerHost > 0;
}
