import { LRUCache } from "lru-cache";
import type { Clock } from "../../core/clock.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import type { Report } from "../../crawl/report/report.ts";

/**
 * Caches the last report of each crawl. The page of a running crawl asks for a report every few seconds. With a hundred
 * thousand rows, a report takes a good part of a second of the database to which the crawl writes.
 */

/** The minimum age of a report before the next one is made. */
const MIN_AGE_MS = 2_000;
/** The largest part of the database's time that goes into reports. */
const MAX_SHARE = 1 / 20;

interface CachedReport {
  /** The state of the crawl when the report was made. */
  state: string;
  madeAt: number;
  tookMs: number;
  report: Report;
}

export class ReportCache {
  /** A report is some tens of kilobytes. */
  readonly #reports = new LRUCache<string, CachedReport>({ max: 32 });

  /** Calls `make` when there is no report, or when the crawl has changed and the report is old enough. */
  async of(crawl: Crawl, clock: Pick<Clock, "now">, make: (crawl: Crawl) => Promise<Report>): Promise<Report> {
    const cached = this.#reports.get(crawl.id);
    const startedAt = clock.now();
    const state = JSON.stringify([crawl.updatedAt, crawl.counters]);
    if (cached !== undefined) {
      // The last report of a crawl that has ended is made at once: nobody may ask again.
      const isYoung =
        crawl.finishedAt === null && startedAt - cached.madeAt < Math.max(MIN_AGE_MS, cached.tookMs / MAX_SHARE);
      if (cached.state === state || isYoung) return cached.report;
    }
    const report = await make(crawl);
    const madeAt = clock.now();
    this.#reports.set(crawl.id, { state, madeAt, tookMs: madeAt - startedAt, report });
    return report;
  }
}
