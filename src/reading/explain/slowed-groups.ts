import { endlessKey } from "../../scope/endless-groups.ts";
import type { Store } from "../../store/store.ts";

/** The patterns of which a crawl holds URLs back, because their pages say nothing new any more; the largest first. */
export async function slowedGroups(
  crawl: string,
  { endlessHosts, withheldUrls }: Pick<Store, "endlessHosts" | "withheldUrls">,
): Promise<{ pattern: string; pages: number; quiet: number; held: number }[]> {
  const slowed = await endlessHosts.slowed(crawl);
  if (slowed.length === 0) return [];
  const held = await withheldUrls.heldByEndless(crawl);
  return slowed
    .map(({ group, facts: { pages, quiet } }) => ({
      pattern: group,
      pages,
      quiet,
      held: held.get(endlessKey(group)) ?? 0,
    }))
    .filter(({ held: number }) => number > 0)
    .toSorted((a, b) => b.held - a.held);
}
