import { ASSET_PRIORITY, MAX_ASSET_LEVELS } from "../crawl/asset.ts";
import { decideAsset } from "../scope/scope.ts";
import type { Attempt } from "./attempt.ts";
import type { Gathering } from "./gathering.ts";
import type { PageWork } from "./work.ts";

const TOO_DEEP = { accept: false, reason: "depth" } as const;

/**
 * What one try of a page, or of a style sheet, needs to be shown; and where an asset redirects. Scope is not asked, for an asset goes with its
 * page, wherever it lies; no origin joins the crawl by it.
 */
export function gatherAssets({ assets, redirect }: Attempt, { row, context }: PageWork, gathering: Gathering): void {
  const take = (url: string, depth: number, chain: number, redirects: number) => {
    const decision = chain > MAX_ASSET_LEVELS ? TOO_DEEP : decideAsset(context.scope, url);
    if (!decision.accept) return gathering.refuse(row.url, "urls", decision.reason, [url]);
    const found = {
      url,
      via: row.url,
      depth,
      priority: ASSET_PRIORITY,
      redirects,
      chain,
      pattern: null,
      lastmod: null,
    };
    return gathering.add({ ...found, asset: 1 });
  };
  const isAsset = row.asset === 1;
  if (isAsset && redirect !== null) take(redirect, row.depth, row.chain, row.redirects + 1);
  // In the row of an asset, `chain` says how many lead from a page to it.
  const level = isAsset ? row.chain + 1 : 1;
  for (const url of assets) if (!gathering.seen.isRecent(url)) take(url, row.depth + 1, level, 0);
}
