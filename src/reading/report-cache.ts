import { LRUCache } from "lru-cache";
import type { Clock } from "../core/clock.ts";
import type { Crawl } from "../crawl/crawl.ts";
import type { Report } from "../crawl/report.ts";

/**
 * Keeps the last report of a crawl: a page that shows a crawl as it goes asks for one every few seconds, and of a hundred thousand rows
 * each takes a good part of a second of the database in which the crawl itself has to write.
 */

/** A report is at least so old before the next one is made. */
const LEAST_AGE_MS = 2_000;
/** Making reports takes at most this part of the database's time. */
const SHARE = 1 / 20;

interface Kept {
  /** What the crawl's rows were when it was made. */
  of: string;
  madeAt: number;
  tookMs: number;
  report: Report;
}

export class ReportCache {
  /** A report is some tens of kilobytes. */
  readonly #kept = new LRUCache<string, Kept>({ max: 32 });

  /** `make` is called where nothing has been kept, or the crawl has moved on and what was kept is old enough. */
  async of(crawl: Crawl, clock: Pick<Clock, "now">, make: (crawl: Crawl) => Promise<Report>): Promise<Report> {
    const known = this.#kept.get(crawl.id);
    const startedAt = clock.now();
    const state = JSON.stringify([crawl.updatedAt, crawl.counters]);
    if (known !== undefined) {
      // Of a crawl that has ended the last one is made at once: nobody asks again.
      const isYoung =
        crawl.finishedAt === null && startedAt - known.madeAt < Math.max(LEAST_AGE_MS, known.tookMs / SHARE);
      if (known.of === state || isYoung) return known.report;
    }
    const report = await make(crawl);
    const madeAt = clock.now();
    this.#kept.set(crawl.id, { of: state, madeAt, tookMs: madeAt - startedAt, report });
    return report;
  }
}
