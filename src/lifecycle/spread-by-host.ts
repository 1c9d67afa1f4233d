import { logWarning } from "../core/log.ts";
import type { Crawl } from "../crawl/crawl.ts";
import { strictest } from "../frontier/batch/admit.ts";
import type { Deps } from "../frontier/deps.ts";
import { rightsOf } from "../frontier/lane/host-rights.ts";
import { productToken } from "../robots/product-token.ts";
import { hostKey, originOf } from "../url/host-key.ts";

/** Gates that are asked for one crawl. The URLs of other hosts are spread at the pace of its options. */
const MOST_GATES = 30;
/** Fewer URLs of a host come soon at any pace. */
const LEAST_URLS = 10;

/** Between two URLs of a host, in milliseconds. */
type Rests = Map<string, number>;

/**
 * Gives a delay to each URL of a crawl that is sent again, by the number of URLs before it on the same host: so they
 * come at about its pace, and no message comes only to be told to wait. The gate of a host knows the pace, because a
 * host that is one's own may have none. A dry run asks no host for a page, so nothing of it waits.
 */
export function spreadByHost(
  { id, options }: Pick<Crawl, "id" | "options">,
  deps: Pick<Deps, "gate">,
): (urls: readonly string[]) => Promise<number[]> {
  const counts = new Map<string, number>();
  const rests: Rests = new Map();
  const { minDelayMs, maxConcurrencyPerHost } = options.politeness;
  const usual = minDelayMs / maxConcurrencyPerHost;
  return async (urls) => {
    if (options.dryRun) return urls.map(() => 0);
    const byHost = Map.groupBy(urls, hostKey);
    const asked = [...byHost]
      .filter(([host, those]) => those.length >= LEAST_URLS && !rests.has(host))
      .slice(0, Math.max(0, MOST_GATES - rests.size));
    await Promise.all(asked.map(async ([host, [url = ""]]) => rests.set(host, (await restOf(url)) ?? usual)));
    return urls.map((url) => {
      const host = hostKey(url);
      const before = counts.get(host) ?? 0;
      counts.set(host, before + 1);
      return Math.ceil(before * (rests.get(host) ?? usual));
    });
  };

  /** Null if the gate cannot be asked now. */
  async function restOf(url: string): Promise<number | null> {
    const { isNamedOwn, ignoreRobots } = rightsOf(options)(url);
    const rights = { ...(isNamedOwn ? { isNamedOwn } : {}), ...(ignoreRobots ? { ignoreRobots } : {}) };
    const asked = { crawl: id, origins: [originOf(url)], agent: productToken(options.userAgent), ...rights };
    try {
      const status = await deps.gate(hostKey(url)).status({ ...asked, policy: strictest([options]) });
      return status.restMs / (status.concurrency ?? maxConcurrencyPerHost);
    } catch (error) {
      logWarning("gate-not-asked-for-pace", { host: hostKey(url), crawl: id, error: String(error) });
      return null;
    }
  }
}
