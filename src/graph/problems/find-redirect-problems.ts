import { type Finding, type FindingKind, makeFinding } from "./finding.ts";
import { followRedirects, type SiteFacts, stateOf, UrlState } from "./site-facts.ts";

/** What a URL that redirects leads to, with each hop. Null for any other URL. */
export function findRedirectProblem(node: number, url: string, site: SiteFacts): Finding | null {
  if (stateOf(node, site) !== UrlState.redirect) return null;
  const { state, hops, isLoop } = followRedirects(node, url, site);
  const target = hops.at(-1);
  if (target === undefined) return null;
  let kind: FindingKind = hops.length > 1 ? "redirect-chain" : "redirect";
  if (isLoop) kind = "redirect-loop";
  else if (state === UrlState.broken) kind = "broken-redirect";
  return makeFinding(kind, { page: url, target, hops });
}
