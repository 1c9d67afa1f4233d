import { isEdgeKind, type LinkedPage, type SiteLink } from "../linked-page.ts";
import { findFragment } from "../page-notes.ts";
import { hasPair, type PairSet } from "../pairs.ts";
import { type Finding, makeFinding } from "./finding.ts";
import { describeStatus, followRedirects, type SiteFacts, UrlState } from "./site-facts.ts";

/**
 * What is wrong with the links of a page. `missingFragments`: from `findMissingFragments`. URLs that were guessed from
 * scripts are no links. A `link` element to HTTP may only name something, such as its `profile`.
 */
export function* findLinkProblems(
  page: LinkedPage,
  site: SiteFacts,
  missingFragments: PairSet,
): Generator<Finding, void> {
  const isSecure = page.url.startsWith("https:");
  for (const link of page.links) {
    if (link.kind === "script") continue;
    const { url, text, place } = link;
    const facts = { page: page.url, target: url, text, place };
    const broken = findBroken(url, site);
    if (broken !== null) yield makeFinding(broken.kind, { ...facts, detail: broken.detail });
    else if (isFragmentMissing(link, site, missingFragments))
      yield makeFinding("broken-fragment", { ...facts, target: `${url}#${link.fragment}` });
    if (isSecure && url.startsWith("http:") && isEdgeKind(link.kind)) yield makeFinding("insecure-link", facts);
  }
}

function findBroken(url: string, site: SiteFacts) {
  const node = site.findNode(url);
  if (node === null) {
    const external = site.brokenExternals.get(url);
    if (external === undefined) return null;
    const { httpStatus, isRedirected } = external;
    const status = httpStatus === 0 ? "a host name that does not exist" : describeStatus(httpStatus);
    return { kind: "broken-external-link", detail: isRedirected ? `redirects to ${status}` : status } as const;
  }
  const end = followRedirects(node, url, site);
  if (end.isLoop) return { kind: "broken-link", detail: "redirect loop" } as const;
  if (end.state !== UrlState.broken || end.node === null) return null;
  const status = describeStatus(site.httpStatuses[end.node] as number);
  return { kind: "broken-link", detail: end.hops.length === 0 ? status : `redirects to ${status}` } as const;
}

function isFragmentMissing(link: SiteLink, site: SiteFacts, missing: PairSet): boolean {
  const fragment = findFragment(link, site);
  return fragment !== null && hasPair(missing, ...fragment);
}
