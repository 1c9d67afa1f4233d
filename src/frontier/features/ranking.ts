import type { Discovery } from "../../crawl/crawl.ts";
import { PREFERRED_PRIORITY, pagePriority } from "../../crawl/page/url-kind.ts";
import type { Feature, Findings } from "./feature.ts";

/** The order of new pages, by preference, score and number in their pattern, and the end of patterns without one. */
export const ranking: Feature = { fresh: rank };

/**
 * Gives the new pages their priorities. Refuses those beyond the maximum of their pattern. Batches that run side by
 * side may give the same number twice, which changes the order by little.
 */
async function rank(fresh: Discovery[], { gathering, deps }: Findings): Promise<Discovery[]> {
  const patterns = [...new Set(fresh.flatMap(({ pattern }) => pattern ?? []))];
  const { crawl, topic } = gathering.context;
  const counts = patterns.length === 0 ? new Map<string, number>() : await deps.ledger.variants(crawl.id, patterns);
  return fresh.flatMap((discovery) => {
    const { url, via, kind, pattern, found } = discovery;
    const isPreferred = discovery.priority >= PREFERRED_PRIORITY;
    if (kind !== "page") return discovery;
    const nth = pattern === null ? null : (counts.get(pattern) ?? 0) + 1;
    if (pattern !== null && nth !== null) counts.set(pattern, nth);
    // A seed's redirect has no score: it is as wanted as the seed.
    const score = topic === null ? null : (found?.score ?? 1);
    if ((nth ?? 0) <= crawl.options.traps.maxVariants) {
      const priority = pagePriority({ isPreferred, score, nth });
      // Most pages have the priority with which they come.
      return priority === discovery.priority ? discovery : { ...discovery, priority };
    }
    gathering.found.delete(url);
    if (via !== null) gathering.refuse(via, "urls", "variants", [url]);
    return [];
  });
}
