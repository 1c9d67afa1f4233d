import type { Crawl } from "../../crawl/crawl.ts";
import type { CrawlHost, SamePageView } from "../../crawl/watch/crawl-host.ts";
import { ledgerOf } from "../../crawl/crawl-id.ts";
import { ledgerOfUrl } from "../../crawl/shards/shards.ts";
import { strictest } from "../../frontier/batch/admit.ts";
import { rightsOf } from "../../frontier/lane/host-rights.ts";
import { describeOwnership } from "../../host/ownership.ts";
import { UNREAD } from "../../host/robots-verdict.ts";
import { productToken } from "../../robots/product-token.ts";
import { confidenceOf, type HostSamePages, type SamePageRule, stateOf } from "../../scope/same-page-rules.ts";
import { hostKey, hostnameOf, originOf } from "../../url/host-key.ts";
import type { HostDeps } from "../needs.ts";
import { queuedByHost } from "./queued-by-host.ts";
import { waitingOf } from "./waiting.ts";

/** The state of each host of a crawl, and the reason of its wait. */

/** Each host takes a call to its gate. */
export const MOST_HOSTS_SHOWN = 25;

/** Hosts with the most queued URLs come first, then hosts in scope without any. No host gets a request. */
export async function hostStatuses(crawl: Crawl, deps: HostDeps): Promise<CrawlHost[]> {
  const byHost = await queuedByHost(crawl, deps);
  for (const host of crawl.hosts)
    if (!byHost.has(hostnameOf(host)) && isInPart(host, crawl)) byHost.set(hostnameOf(host), []);
  const busiest = [...byHost].sort(([, a], [, b]) => b.length - a.length).slice(0, MOST_HOSTS_SHOWN);
  const learned = await samePagesOf(crawl.id, deps);
  const policy = strictest([crawl.options]);
  const agent = productToken(crawl.options.userAgent);
  return Promise.all(
    busiest.map(async ([host, urls]) => {
      const seeds = crawl.options.urls.filter((url) => hostKey(url) === host);
      const origins = [...new Set([...urls, ...seeds].map(originOf))].slice(0, MOST_HOSTS_SHOWN);
      const rights = rightsOf(crawl.options)(origins[0] ?? `http://${host}/`);
      const asked = { crawl: crawl.id, origins, agent, policy, ...rights };
      const { robots, ...status } = await deps.gate(host).status(asked);
      // The origin with the longest wait stands for the host.
      const waits = robots.map((file) => waitingOf(status, file));
      const wait = waits.toSorted((a, b) => b.until - a.until)[0] ?? waitingOf(status, UNREAD);
      const { crawlDelayMs, failures, busy, restMs, before = [], concurrency = null, ownership } = status;
      const samePages = learned.get(host) ?? [];
      const whose = ownership === undefined ? null : describeOwnership(host, ownership);
      const limits = { delayMs: restMs, connections: concurrency, ownership: whose, crawlDelayMs };
      const queued = byHost.size === 1 ? crawl.counters.queued : urls.length;
      return { host, queued, ...limits, failures, busy, before, ...wait, samePages };
    }),
  );
}

/** Whether a part of a crawl over several ledgers has this host. `host`: a `URL.host`. */
function isInPart(host: string, { id, shards }: Crawl): boolean {
  return shards === null || ledgerOfUrl(`http://${host}/`, shards) === ledgerOf(id);
}

/** By host name, the rules for which there is an example, those in use first. */
async function samePagesOf(crawl: string, deps: Pick<HostDeps, "samePages">): Promise<Map<string, SamePageView[]>> {
  const byName = new Map<string, SamePageView[]>();
  for (const [host, learned] of await deps.samePages.list(crawl)) {
    const shown = Object.values(learned.rules).filter(({ same }) => same > 0);
    const views = shown
      .toSorted((a, b) => b.samples - a.samples || b.same - a.same)
      .map((rule) => viewSamePage(learned, rule));
    byName.set(hostnameOf(host), [...(byName.get(hostnameOf(host)) ?? []), ...views]);
  }
  return byName;
}

function viewSamePage(host: HostSamePages, rule: SamePageRule): SamePageView {
  const { scope, part, same, different, samples, withdrawnBy } = rule;
  return {
    ...{ scope, part, same, different, samples, withdrawnBy },
    state: stateOf(host, rule),
    confidence: confidenceOf(rule),
    values: Object.keys(rule.values),
    examples: rule.examples.map((pair) => [...pair]),
  };
}
