import type { CrawlOptions } from "../../../src/crawl/crawl-options.ts";
import { addSeeds, closeList } from "../../../src/lifecycle/list.ts";
import { insist } from "./deeds.ts";
import type { Platform } from "./platform.ts";

/** Seeds of a portion: a list of a few must come in several. */
const PORTION = 2;

/**
 * Starts a crawl whose seeds come from a list: one with the crawl, the others in portions, which faults strike and the
 * sender repeats.
 */
export async function startByList(
  platform: Platform,
  [first = "", ...others]: readonly string[],
  options: Partial<CrawlOptions>,
): Promise<string> {
  const id = await platform.start([first], options, "list");
  for (let at = 0; at < others.length; at += PORTION)
    await insist(platform, async (deps) => {
      const crawl = await deps.ledger.crawl(id);
      if (crawl === null) throw new Error("the crawl of a list is gone");
      await addSeeds(crawl, others.slice(at, at + PORTION), deps);
    });
  await insist(platform, (deps) => closeList(id, deps));
  return id;
}
