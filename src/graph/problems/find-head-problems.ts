import type { LinkedPage } from "../linked-page.ts";
import { hashName, type SiteNotes } from "../page-notes.ts";
import { hasPair, type PairSet, secondsOf } from "../pairs.ts";
import { findAuditProblems, isOfHost } from "./find-audit-problems.ts";
import { type Finding, type FindingFacts, type FindingKind, makeFinding } from "./finding.ts";
import { describeStatus, type SiteFacts, stateOf, UrlState } from "./site-facts.ts";
import { SHOWN_DESCRIPTION, SHOWN_TITLE, widthOf } from "./text-width.ts";

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
  const isCanonical = page.canonical === null || page.canonical === page.url;
  if (isCanonical) {
    yield* findNameProblems(page, "title", page.title, notes.titles);
    yield* findNameProblems(page, "description", page.description, notes.descriptions);
  } else yield* findCanonicalProblems(node, page.url, page.canonical as string, site, notes);
  yield* findListingProblems(node, page, isCanonical, site);
  if (page.audit !== undefined) {
    const { canonicals } = page.audit;
    if (canonicals > 1) yield makeFinding("canonical-multiple", { page: page.url, detail: `${canonicals} of them` });
    yield* findAuditProblems(page, page.audit, isCanonical, site, notes);
  }
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
  const { size, most } = name === "title" ? SHOWN_TITLE : SHOWN_DESCRIPTION;
  const width = widthOf(trimmed, size);
  if (width > most) yield makeFinding(`${name}-long`, { page: url, text: trimmed, detail: `about ${width} pixels` });
}

/** What sitemaps say of a page that can be read. A page that they leave out counts if it is one to be found. */
function* findListingProblems(
  node: number,
  { url: page, canonical }: LinkedPage,
  isCanonical: boolean,
  { listed }: SiteFacts,
): Generator<Finding, void> {
  if (listed === null) return;
  if (listed[node] === 1 && !isCanonical && canonical !== null)
    yield makeFinding("sitemap-not-canonical", { page, target: canonical });
  if (listed[node] !== 1 && isCanonical) yield makeFinding("sitemap-missing", { page });
}

function* findCanonicalProblems(
  own: number,
  page: string,
  target: string,
  site: SiteFacts,
  notes: SiteNotes,
): Generator<Finding, void> {
  const node = site.findNode(target);
  const facts = { page, target };
  if (!isOfHost(page, target)) yield makeFinding("canonical-external", facts);
  if (node === null) return;
  const state = stateOf(node, site);
  if (state === UrlState.broken) yield makeFinding("canonical-broken", { ...facts, detail: statusOf(node, site) });
  else if (state === UrlState.redirect) yield makeFinding("canonical-redirect", facts);
  else if (state === UrlState.noindex) yield makeFinding("canonical-noindex", facts);
  else if (hasPair(notes.canonicals, node, own)) yield makeFinding("canonical-loop", facts);
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
