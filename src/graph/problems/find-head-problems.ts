import type { LinkedPage } from "../linked-page.ts";
import { hashName, type SiteNotes } from "../page-notes.ts";
import { hasPair, type PairSet, secondsOf } from "../pairs.ts";
import { type Finding, type FindingFacts, type FindingKind, makeFinding } from "./finding.ts";
import { describeStatus, type SiteFacts, stateOf, UrlState } from "./site-facts.ts";

/**
 * What is wrong with what a page says about itself: title, description, canonical URL, alternate languages.
 * https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls
 * https://developers.google.com/search/docs/specialty/international/localized-versions
 */
export function* findHeadProblems(
  node: number,
  page: LinkedPage,
  site: SiteFacts,
  notes: SiteNotes,
): Generator<Finding, void> {
  // A page that names another one leaves its title and its text to that page.
  if (page.canonical === null || page.canonical === page.url) {
    yield* findNameProblems(page, "title", page.title, notes.titles);
    yield* findNameProblems(page, "description", page.description, notes.descriptions);
  } else yield* findCanonicalProblems(page.url, page.canonical, site, notes);
  yield* findAlternateProblems(node, page, site, notes);
}

function* findNameProblems(
  { url }: LinkedPage,
  name: "title" | "description",
  text: string | null,
  repeated: PairSet,
): Generator<Finding, void> {
  const trimmed = text?.trim() ?? "";
  if (trimmed === "") yield makeFinding(`${name}-missing`, { page: url });
  else if (hasPair(repeated, ...hashName(trimmed)))
    yield makeFinding(`${name}-duplicate`, { page: url, text: trimmed });
}

function* findCanonicalProblems(
  page: string,
  target: string,
  site: SiteFacts,
  notes: SiteNotes,
): Generator<Finding, void> {
  const node = site.findNode(target);
  if (node === null) return;
  const facts = { page, target };
  const state = stateOf(node, site);
  if (state === UrlState.broken) yield makeFinding("canonical-broken", { ...facts, detail: statusOf(node, site) });
  else if (state === UrlState.redirect) yield makeFinding("canonical-redirect", facts);
  else if (isNotCanonical(node, notes)) yield makeFinding("canonical-chain", facts);
}

function* findAlternateProblems(
  node: number,
  page: LinkedPage,
  site: SiteFacts,
  notes: SiteNotes,
): Generator<Finding, void> {
  for (const { url, language } of page.alternates) {
    const alternate = site.findNode(url);
    if (alternate === null || alternate === node) continue;
    const facts: FindingFacts = { page: page.url, target: url, text: language };
    const kind = alternateProblem(node, alternate, site, notes);
    if (kind === "hreflang-broken") yield makeFinding(kind, { ...facts, detail: statusOf(alternate, site) });
    else if (kind !== null) yield makeFinding(kind, facts);
  }
}

function alternateProblem(node: number, alternate: number, site: SiteFacts, notes: SiteNotes): FindingKind | null {
  const state = stateOf(alternate, site);
  if (state === UrlState.broken || state === UrlState.redirect) return "hreflang-broken";
  if (state !== UrlState.page) return null;
  if (isNotCanonical(alternate, notes)) return "hreflang-not-canonical";
  return hasPair(notes.alternates, alternate, node) ? null : "hreflang-no-return";
}

function statusOf(node: number, site: SiteFacts): string {
  return describeStatus(site.httpStatuses[node] as number);
}

/** Whether a page names another one as canonical. */
function isNotCanonical(node: number, { canonicals }: SiteNotes): boolean {
  return !secondsOf(canonicals, node).next().done;
}
