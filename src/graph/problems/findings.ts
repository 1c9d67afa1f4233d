import type { LinkedPage } from "../linked-page.ts";
import type { SiteNotes } from "../page-notes.ts";
import type { PairSet } from "../pairs.ts";
import { findHeadProblems } from "./find-head-problems.ts";
import { findLinkProblems } from "./find-link-problems.ts";
import { findPageProblems, type PageLimits, type RowFacts } from "./find-page-problems.ts";
import { findRedirectProblem } from "./find-redirect-problems.ts";
import { type Finding, makeFinding } from "./finding.ts";
import { type SiteFacts, stateOf, UrlState } from "./site-facts.ts";

/**
 * The findings of a site, row by row and page by page. A pass makes `SiteFacts` of all rows and edges (clicks from
 * `ClickDepths`), reads the pages twice for `page-notes.ts`, and a third time for what
 * follows. Each range of rows or pages gives the same findings whenever it is read. A million URLs take 9 MB of facts,
 * some 200 bytes for each redirect, and at most 8 bytes for each shared title, alternate and linked fragment. The
 * findings are in no order; a report and `compareFindings` need them sorted by `orderFindings`.
 */

/** `node`: the row's own. */
export function* findInRow(node: number, row: RowFacts, site: SiteFacts, limits: PageLimits): Generator<Finding, void> {
  yield* findPageProblems(node, row, site, limits);
  const redirect = findRedirectProblem(node, row.url, site);
  if (redirect !== null) yield redirect;
}

/**
 * A page that is not kept, such as one with `noindex`, and a document have links too. `missingFragments`: from
 * `MissingPairs`.
 */
export function* findInPage(
  node: number,
  page: LinkedPage,
  site: SiteFacts,
  notes: SiteNotes,
  missingFragments: PairSet,
): Generator<Finding, void> {
  const isHeadJudged = stateOf(node, site) === UrlState.page;
  if (isHeadJudged) yield* findHeadProblems(node, page, site, notes);
  yield* findLinkProblems(page, site, missingFragments, isHeadJudged);
}

/** `similarity`: 0 to 1, of the shingles of both. */
export function tellTwin(page: string, original: string, similarity: number): Finding {
  if (similarity === 1) return makeFinding("duplicate-page", { page, target: original });
  const detail = `${Math.floor(similarity * 100)}% the same`;
  return makeFinding("near-duplicate-page", { page, target: original, detail });
}
