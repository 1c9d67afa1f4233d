import type { LedgersDeps } from "../../frontier/ledgers.ts";
import { listOpenCrawls } from "../../reading/all-crawls.ts";
import type { Store } from "../../store/store.ts";

/** The crawls that are under way. */

export interface ActiveCrawl {
  id: string;
  teamId: string;
  url: string;
  created_at: string;
  options: { limit: number; maxDiscoveryDepth: number };
}

/** Their answer has no cursor. */
const MOST = 1_000;

/** A watch has completed its crawl. */
export async function listActive(deps: LedgersDeps & Pick<Store, "ledger">): Promise<ActiveCrawl[]> {
  const open = (await listOpenCrawls(deps, MOST)).found.filter(({ watchingSince }) => watchingSince === null);
  return open.map(({ id, options, createdAt }) => ({
    id,
    teamId: "installation",
    url: options.urls[0] ?? "",
    created_at: new Date(createdAt).toISOString(),
    options: { limit: options.limit, maxDiscoveryDepth: options.depth },
  }));
}
