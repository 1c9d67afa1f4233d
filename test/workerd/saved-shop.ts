import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import { SEED, type SiteAnswer, WatchedWorld } from "./watched-world.ts";

/** A shop of which a crawl saves the products alone. */

export const SAVE: Partial<CrawlOptions> = { savePatterns: ["/p/**"] };

export function shop(): { site: Record<string, SiteAnswer>; world: WatchedWorld } {
  const site: Record<string, SiteAnswer> = {
    [SEED]: { text: "home", links: [`${SEED}list`], assets: [`${SEED}home.png`] },
    [`${SEED}list`]: { text: "list", links: [`${SEED}p/1`, `${SEED}p/2`], noindex: "meta: noindex" },
    [`${SEED}p/1`]: { text: "one", links: [`${SEED}about`], assets: [`${SEED}one.png`] },
    [`${SEED}p/2`]: { text: "two", noindex: "meta: noindex" },
  };
  return { site, world: new WatchedWorld((url) => site[url] ?? { text: url, type: "image/png" }) };
}

/** Of each URL: why it was skipped, or its status. */
export async function reasonsOf(world: WatchedWorld, id: string) {
  const rows = await world.deps.records.list(id, { cursor: "", limit: 100 });
  return Object.fromEntries(rows.map(({ url, status, reason }) => [url.slice(SEED.length), reason ?? status]));
}
