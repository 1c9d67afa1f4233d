import { type Finding, type FindingKind, makeFinding } from "./finding.ts";
import { followRedirects, type SiteFacts, stateOf, UrlState } from "./site-facts.ts";

/**
 * What a URL that redirects leads to, with each hop and with pages that link there. A chain is one finding: its inner
 * hops are none of their own unless a page links to them. Null for any other URL.
 */
export function findRedirectProblem(node: number, url: string, site: SiteFacts): Finding | null {
  if (stateOf(node, site) !== UrlState.redirect) return null;
  const { state, hops, isLoop } = followRedirects(node, url, site);
  const target = hops.at(-1);
  if (target === undefined) return null;
  const sources = site.redirectSources.get(node) ?? [];
  if (sources.length === 0 && isInner(node, url, hops, isLoop, site)) return null;
  let kind: FindingKind = hops.length > 1 ? "redirect-chain" : "redirect";
  if (isLoop) kind = "redirect-loop";
  else if (state === UrlState.broken) kind = "broken-redirect";
  const detail = describeSources(sources, site.inLinks[node] as number);
  return makeFinding(kind, { page: url, target, hops, ...(detail === null ? {} : { detail }) });
}

/** Whether another redirect leads here. A loop has no first hop: the first of its nodes tells of it. */
function isInner(node: number, url: string, hops: readonly string[], isLoop: boolean, site: SiteFacts): boolean {
  if (!site.redirectTargets.has(node)) return false;
  const isOfLoop = isLoop && hops.at(-1) === url;
  if (!isOfLoop) return true;
  return hops.some((hop) => (site.findNode(hop) ?? node) < node);
}

function describeSources(sources: readonly string[], inLinks: number): string | null {
  if (sources.length === 0) return null;
  const more = inLinks - sources.length;
  return `linked from ${sources.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
