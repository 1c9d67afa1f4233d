import { inTurns } from "../../core/turns.ts";
import type { Discovery } from "../../crawl/crawl.ts";
import { ASSET_PRIORITY, DESCRIBED_LEVEL, MAX_ASSET_LEVELS } from "../../crawl/page/url-kind.ts";
import { decideAsset } from "../../scope/scope.ts";
import type { Attempt } from "../attempt.ts";
import type { PageWork } from "../work.ts";
import type { Gathering } from "./gathering.ts";

const TOO_DEEP = { accept: false, reason: "depth" } as const;

/**
 * Gathers the assets of a page or a style sheet, and the redirect target of an asset. Scope is not asked, because an
 * asset belongs to its page on any host. It adds no origin to the crawl. The assets of what a visit found changed are
 * visited, too. What the crawl stores is described from its body, so what it shows is described by itself only where
 * the crawl stores no assets.
 */
export async function gatherAssets(
  { assets, embedded, dropped, redirect, cookies }: Attempt,
  { row, context }: PageWork,
  gathering: Gathering,
): Promise<void> {
  const take = (url: string, depth: number, chain: number, from: Pick<Discovery, "redirects" | "cookies">) => {
    const decision = chain > MAX_ASSET_LEVELS ? TOO_DEEP : decideAsset(context.scope, url);
    if (!decision.accept) return gathering.refuse(row.url, "urls", decision.reason, [url]);
    const found: Discovery = {
      url,
      kind: "asset",
      via: row.url,
      depth,
      priority: ASSET_PRIORITY,
      chain,
      pattern: null,
      lastmod: null,
      ...from,
    };
    return gathering.add(found);
  };
  gathering.refuseSample(row.url, "urls", "link-limit", dropped.requisites);
  const isAsset = row.kind === "asset";
  if (isAsset && redirect !== null) take(redirect, row.depth, row.chain, { redirects: row.redirects + 1, cookies });
  const level = isAsset ? row.chain + 1 : 1;
  const linked = { redirects: 0, cookies: null };
  await inTurns(assets, (url) => {
    if (row.visit !== null) gathering.shown.add(url);
    if (!gathering.seen.isRecent(url)) take(url, row.depth + 1, level, linked);
  });
  const stored = new Set(assets);
  await inTurns(embedded, (url) => {
    if (!stored.has(url) && !gathering.seen.isRecent(url)) take(url, row.depth + 1, DESCRIBED_LEVEL, linked);
  });
}
