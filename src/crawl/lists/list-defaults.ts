import { OPTIONS } from "../options/option-table.ts";

/** Options that follow from a list of seeds, where the user has chosen none. */

interface Chosen {
  limit?: number | undefined;
  depth?: number | undefined;
  source?: string | undefined;
}

/**
 * Whoever gives a list means all of it: the page limit leaves out no seed. Without links to follow, no sitemap is read.
 */
export function listDefaults(seeds: number, { limit, depth, source }: Chosen): Chosen {
  const beyond = depth === 0 ? 0 : OPTIONS.limit.suggested;
  return {
    limit: limit ?? Math.min(seeds + beyond, OPTIONS.limit.max),
    ...(depth === undefined ? {} : { depth }),
    ...(source === undefined && depth === 0 ? { source: "links" } : source === undefined ? {} : { source }),
  };
}
