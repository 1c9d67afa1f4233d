import type { Discovery } from "../../src/crawl/crawl.ts";
import type { Outcome } from "../../src/crawl/outcome.ts";

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
    ...changes,
  };
}
