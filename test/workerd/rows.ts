import type { Discovery } from "../../src/crawl/crawl.ts";
import type { Outcome } from "../../src/crawl/page/outcome.ts";
import type { VisitOutcome, Watch } from "../../src/crawl/watch/watch.ts";

/** Discoveries and outcomes for a commit. A test gives only the fields that matter to it. */

export function discovered(url: string, changes: Partial<Discovery> = {}): Discovery {
  return {
    url,
    kind: "page",
    via: null,
    depth: 1,
    priority: 0,
    redirects: 0,
    chain: 0,
    pattern: null,
    lastmod: null,
    cookies: null,
    ...changes,
  };
}

export function settled(url: string, changes: Partial<Outcome> = {}): Outcome {
  return {
    url,
    status: "completed",
    reason: null,
    detail: null,
    httpStatus: 200,
    title: "T",
    contentType: "text/html",
    bytes: 10,
    sha256: "00",
    fetchedAt: 5,
    durationMs: null,
    truncated: null,
    packed: null,
    etag: null,
    lastModified: null,
    ...changes,
  };
}

/** A visit that found nothing new. */
export function visited(url: string, changes: Partial<VisitOutcome> = {}): VisitOutcome {
  return {
    url,
    visit: 0,
    result: "same",
    change: null,
    detail: null,
    outcome: null,
    visitedAt: 10,
    visitAt: 20,
    rateChanges: 0,
    rateDays: 1,
    learned: null,
    failures: 0,
    missingAt: null,
    openFinding: null,
    fullAt: null,
    hasLied: false,
    restless: null,
    told: null,
    signalledAt: null,
    tested: null,
    etag: null,
    hasUnstoredValidators: false,
    lastModified: null,
    ...changes,
  };
}

/** A watch whose pages are visited alike, every hour. */
export const WATCH: Watch = {
  everyS: 3_600,
  fixed: true,
  tell: [],
  ignore: { urls: [], selectors: [], patterns: [], leastShare: 0 },
};
