import type { CrawlOptions } from "../../crawl/crawl-options.ts";
import type { AdmitRequest } from "../../host/gate-protocol.ts";
import { exceedsGuestLimits } from "../../host/guest-limits.ts";
import { hostOf } from "../../url/host-key.ts";
import { matchesHost } from "../../url/own-host.ts";
import type { HostSet } from "../../url/private-access.ts";
import { matchesPrivate } from "../../url/private-pattern.ts";

/** What the operator of a crawl has said of its hosts, as their gates are told. */
export type HostRights = Required<Pick<Asked, "privateHosts">> & Pick<Asked, "isNamedOwn" | "ignoreRobots">;

type Asked = AdmitRequest["urls"][number];
type Options = Pick<CrawlOptions, "urls" | "ownHosts" | "ignoreRobots"> & Partial<Pick<CrawlOptions, "allowPrivate">>;

/** The list goes with each batch. If a crawl names more hosts, a robots.txt may lead to its own host alone. */
const MAX_NAMED_HOSTS = 100;

/** The hosts that the crawl names: those of its seeds, its own, and those that it allows. They may be private. */
export function namedHostsOf({ urls, ownHosts, allowPrivate = [] }: Options): HostSet {
  const seedHosts = new Set(urls.map(hostOf));
  const isAllowed = (host: string) => allowPrivate.some((pattern) => matchesPrivate(pattern, host));
  return { has: (host) => seedHosts.has(host) || isNamedOwn(ownHosts, host) || isAllowed(host) };
}

/** `privateHosts`: those to which its robots.txt may lead though they are private; none, unless its own may be. */
export function rightsOf(options: Options): (url: string) => HostRights {
  const { urls, ownHosts, ignoreRobots } = options;
  const named = namedHostsOf(options);
  const names = [...new Set([...urls.map(hostOf), ...ownHosts])];
  const others = names.length > MAX_NAMED_HOSTS ? [] : names;
  return (url) => {
    const host = hostOf(url);
    return {
      privateHosts: named.has(host) ? [...new Set([host, ...others])] : [],
      ...(isNamedOwn(ownHosts, host) ? { isNamedOwn: true } : {}),
      ...(ignoreRobots ? { ignoreRobots: true } : {}),
    };
  };
}

function isNamedOwn(ownHosts: readonly string[], host: string): boolean {
  return ownHosts.some((own) => matchesHost(own, host));
}

/** Whether a crawl asks for more than a host gives that is not shown to be one's own. */
export function asksForMore({ politeness, ignoreRobots }: Pick<CrawlOptions, "politeness" | "ignoreRobots">): boolean {
  const { minDelayMs, maxConcurrencyPerHost: concurrency } = politeness;
  return ignoreRobots || exceedsGuestLimits({ minDelayMs, concurrency });
}
