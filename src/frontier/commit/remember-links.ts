import type { Moved } from "../../store/ledger/ledger.ts";
import type { Deps } from "../deps.ts";
import { isOpen } from "./obey-limits.ts";

/**
 * Tells the seen filters what is in the ledger now. The ledger has links only after their commit, and a crawl that has
 * ended accepted none.
 */
export function rememberLinks(
  moved: readonly Moved[],
  found: readonly { crawl: string; links: Iterable<string> }[],
  deps: Pick<Deps, "seen">,
): void {
  const open = new Set(moved.filter(({ state }) => isOpen(state?.status)).map(({ crawl }) => crawl));
  for (const { crawl, links } of found) {
    if (!open.has(crawl)) continue;
    const seen = deps.seen.of(crawl);
    for (const link of links) seen.remember(link);
  }
}
