import { LRUCache } from "lru-cache"; // the usual LRU of the npm world, no dependencies
import type { PageHeaders } from "../../crawl/page/outcome.ts";
import type { ResourceAnswer } from "./drawing.ts";
import type { Exchange } from "./exchanges.ts";

/**
 * Keeps scripts and style sheets for the next pages of a crawl, as a browser does: most pages of a site have the same
 * ones. An isolate has its own; what is lost is fetched again.
 */

/** Of this isolate, in bytes: it has 128 MB. */
const MAX_CACHED_BYTES = 8 * 1024 * 1024;
const MAX_CACHED_RESOURCE = 4 * 1024 * 1024;
/** How long an answer is kept that says nothing of it, and the longest time in any case: a crawl wants news. */
const USUAL_MS = 300_000;
const MAX_MS = 3_600_000;

/** With the exchanges that led to it: a page that uses it again may be the first one that is stored. */
export type CachedAnswer = ResourceAnswer & { exchanges?: readonly Exchange[] };

export class ResourceCache {
  readonly #kept: LRUCache<string, CachedAnswer>;

  constructor(maxBytes = MAX_CACHED_BYTES) {
    this.#kept = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (answer) => bytesOf(answer) + 1_024,
      ttl: USUAL_MS,
    });
  }

  get(key: string): CachedAnswer | undefined {
    return this.#kept.get(key);
  }

  /** Keeps the answer if its headers allow it. */
  put(key: string, answer: CachedAnswer): void {
    const ttl = keptMs(answer);
    if (ttl > 0 && bytesOf(answer) <= MAX_CACHED_RESOURCE) this.#kept.set(key, answer, { ttl });
  }
}

/** The last exchange has the body of the answer, and redirects before it have their own. */
function bytesOf({ body, exchanges = [] }: CachedAnswer): number {
  return exchanges.reduce((sum, { payload }) => sum + (payload === body ? 0 : payload.byteLength), body.byteLength);
}

/** How long an answer may be used again, in milliseconds, by its Cache-Control (RFC 9111, section 5.2.2). */
export function keptMs({ status, headers }: Pick<ResourceAnswer, "status" | "headers">): number {
  if (status !== 200 || hasOwnVariants(headers)) return 0;
  const control = (headerOf(headers, "cache-control") ?? "").toLowerCase();
  if (/\b(?:no-store|no-cache|private)\b/.test(control)) return 0;
  const age = /\bmax-age\s*=\s*"?(\d+)/.exec(control)?.[1];
  return age === undefined ? USUAL_MS : Math.min(Number(age) * 1_000, MAX_MS);
}

/** Whether another page might get another answer. All pages of a crawl send the same codings, agent and origin. */
function hasOwnVariants(headers: PageHeaders): boolean {
  const vary = (headerOf(headers, "vary") ?? "").toLowerCase().split(",");
  return vary.some((name) => !["", "accept-encoding", "accept", "origin", "user-agent"].includes(name.trim()));
}

function headerOf(headers: PageHeaders, wanted: string): string | undefined {
  return headers.find(([name]) => name === wanted)?.[1];
}

/** This isolate's. */
export const resourceCache = new ResourceCache();
