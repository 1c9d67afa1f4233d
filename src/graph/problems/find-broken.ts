import { describeStatus, followRedirects, type SiteFacts, UrlState } from "./site-facts.ts";

/** Why a URL cannot be read, for people. `isAsked`: the crawl has no record of it, and an analysis has asked for it. */
export interface Broken {
  detail: string;
  isAsked: boolean;
}

/** Null for a URL that can be read, or that nobody has asked for. */
export function findBroken(url: string, site: SiteFacts): Broken | null {
  const node = site.findNode(url);
  if (node === null) {
    const asked = site.brokenExternals.get(url);
    if (asked === undefined) return null;
    const { httpStatus, isRedirected } = asked;
    const status = httpStatus === 0 ? "a host name that does not exist" : describeStatus(httpStatus);
    return { detail: isRedirected ? `redirects to ${status}` : status, isAsked: true };
  }
  const end = followRedirects(node, url, site);
  if (end.isLoop) return { detail: "redirect loop", isAsked: false };
  if (end.state !== UrlState.broken || end.node === null) return null;
  const status = describeStatus(site.httpStatuses[end.node] as number);
  return { detail: end.hops.length === 0 ? status : `redirects to ${status}`, isAsked: false };
}
