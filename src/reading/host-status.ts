import type { Crawl } from "../crawl/crawl.ts";
import type { CrawlHost } from "../crawl/crawl-host.ts";
import { strictest } from "../frontier/admit.ts";
import type { Deps } from "../frontier/deps.ts";
import { productToken } from "../robots/product-token.ts";
import { hostKey, hostnameOf, originOf } from "../url/host-key.ts";
import { waitingOf } from "./waiting.ts";

/** What each host of a crawl is doing, and what it waits for. */

/** Each costs a call of its gate. */
const MOST_HOSTS = 25;
/** Queued URLs that are looked at; a crawl has `maxQueued` of them at the most. */
const MOST_QUEUED = 10_000;

/** Those with most queued URLs first, then those in scope that have none. No host is asked for anything. */
export async function hostStatuses(crawl: Crawl, deps: Deps): Promise<CrawlHost[]> {
  const queued = await deps.ledger.queued(crawl.id, "", MOST_QUEUED, Number.MAX_SAFE_INTEGER);
  const byHost = Map.groupBy(queued, hostKey);
  for (const host of crawl.hosts) if (!byHost.has(hostnameOf(host))) byHost.set(hostnameOf(host), []);
  const most = [...byHost].sort(([, a], [, b]) => b.length - a.length).slice(0, MOST_HOSTS);
  const policy = strictest([crawl.options]);
  const agent = productToken(crawl.options.userAgent);
  return Promise.all(
    most.map(async ([host, urls]) => {
      const seeds = crawl.options.urls.filter((url) => hostKey(url) === host);
      const origins = [...new Set([...urls, ...seeds].map(originOf))].slice(0, MOST_HOSTS);
      const { robots, ...status } = await deps.gate(host).status({ origins, agent, policy });
      // The one that waits longest speaks for the host.
      const waits = robots.map((file) => waitingOf(status, file));
      const wait = waits.toSorted((a, b) => b.until - a.until)[0] ?? waitingOf(status, NO_ROBOTS);
      const { crawlDelayMs, failures, busy, restMs } = status;
      return { host, queued: urls.length, delayMs: restMs, crawlDelayMs, failures, busy, ...wait };
    }),
  );
}

const NO_ROBOTS = { state: "unread", detail: null, fetchedAt: null, silentSince: null, retryAt: null } as const;
