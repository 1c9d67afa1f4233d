import type { LinkKind } from "../../media/links/links.ts";
import { isEdgeKind, type LinkedPage, type SiteLink } from "../linked-page.ts";
import { findFragment } from "../page-notes.ts";
import { hasPair, type PairSet } from "../pairs.ts";
import { isOfHost } from "./find-audit-problems.ts";
import { type Broken, findBroken } from "./find-broken.ts";
import { type Finding, type FindingKind, makeFinding } from "./finding.ts";
import type { SiteFacts } from "./site-facts.ts";
import { isVague } from "./vague-text.ts";

/** Guesses, what was filled in, and the entries of sitemaps, which have findings of their own. */
const NO_LINKS: readonly LinkKind[] = ["script", "form", "page", "sitemap"];

/**
 * What is wrong with the links of a page. `missingFragments`: from `findMissingFragments`. URLs that were guessed from
 * scripts are no links. A `link` element to HTTP may only name something, such as its `profile`. `isHeadJudged`:
 * whether `findHeadProblems` tells of the canonical URL and the alternates, which are no broken links then.
 */
export function* findLinkProblems(
  page: LinkedPage,
  site: SiteFacts,
  missingFragments: PairSet,
  isHeadJudged: boolean,
): Generator<Finding, void> {
  const isSecure = page.url.startsWith("https:");
  const named = new Set(isHeadJudged ? [page.canonical, ...page.alternates.map(({ url }) => url)] : []);
  for (const link of page.links) {
    if (NO_LINKS.includes(link.kind)) continue;
    const { url, text, place } = link;
    if (link.kind === "link" && named.has(url)) continue;
    const facts = { page: page.url, target: url, text, place };
    const broken = findBroken(url, site);
    if (broken !== null) yield makeFinding(kindOf(broken, page.url, url), { ...facts, detail: broken.detail });
    else if (isFragmentMissing(link, site, missingFragments))
      yield makeFinding("broken-fragment", { ...facts, target: `${url}#${link.fragment}` });
    if (isSecure && url.startsWith("http:") && isEdgeKind(link.kind)) yield makeFinding("insecure-link", facts);
    if (link.kind === "a" && isVague(text)) yield makeFinding("vague-link-text", facts);
  }
}

/** A URL of the same host that the crawl did not follow is of the site. */
function kindOf({ isAsked }: Broken, page: string, url: string): FindingKind {
  return isAsked && !isOfHost(page, url) ? "broken-external-link" : "broken-link";
}

function isFragmentMissing(link: SiteLink, site: SiteFacts, missing: PairSet): boolean {
  const fragment = findFragment(link, site);
  return fragment !== null && hasPair(missing, ...fragment);
}
