import type { Crawl } from "../crawl/crawl.ts";
import type { CrawlHost } from "../crawl/crawl-host.ts";
import { strictest } from "../frontier/admit.ts";
import type { Deps } from "../frontier/deps.ts";
import { productToken } from "../robots/product-token.ts";
import { hostKey, hostnameOf, originOf } from "../url/host-key.ts";
import { waitingOf } from "./waiting.ts";

/** The state of each host of a crawl, and the reason of its wait. */

/** Each host takes a call to its gate. */
const MAX_HOSTS = 25;
/** Queued URLs that are read; a crawl has at most `maxQueued`. */
const MAX_QUEUED_READ = 10_000;

/** Hosts with the most queued URLs come first, then hosts in scope without any. No host gets a request. */
export async function hostStatuses(crawl: Crawl, deps: Deps): Promise<CrawlHost[]> {
  const queued = await deps.ledger.queued(crawl.id, "", MAX_QUEUED_READ, Number.MAX_SAFE_INTEGER);
  const byHost = Map.groupBy(queued, hostKey);
  for (const host of crawl.hosts) if (!byHost.has(hostnameOf(host))) byHost.set(hostnameOf(host), []);
  const busiest = [...byHost].sort(([, a], [, b]) => b.length - a.length).slice(0, MAX_HOSTS);
  const policy = strictest([crawl.options]);
  const agent = productToken(crawl.options.userAgent);
  return Promise.all(
    busiest.map(async ([host, urls]) => {
      const seeds = crawl.options.urls.filter((url) => hostKey(url) === host);
      const origins = [...new Set([...urls, ...seeds].map(originOf))].slice(0, MAX_HOSTS);
      const { robots, ...status } = await deps.gate(host).status({ crawl: crawl.id, origins, agent, policy });
      // The origin with the longest wait stands for the host.
      const waits = robots.map((file) => waitingOf(status, file));
      const wait = waits.toSorted((a, b) => b.until - a.until)[0] ?? waitingOf(status, NO_ROBOTS);
      const { crawlDelayMs, failures, busy, restMs, before = [] } = status;
      return { host, queued: urls.length, delayMs: restMs, crawlDelayMs, failures, busy, before, ...wait };
    }),
  );
}

const NO_ROBOTS = { state: "unread", detail: null, fetchedAt: null, silentSince: null, retryAt: null } as const;
