import { bytes } from "../../core/shown-values.ts";
import { type Finding, makeFinding } from "./finding.ts";
import { NO_CLICKS, type SiteFacts, stateOf, UrlState } from "./site-facts.ts";

/** The facts of a URL's row. */
export interface RowFacts {
  url: string;
  isSeed: boolean;
  isInSitemap: boolean;
  /** It said that it does not exist, and had no error status. */
  isSoft404: boolean;
  durationMs: number | null;
  bytes: number | null;
  /** Words of the main text; null if they were not counted. */
  words: number | null;
  /** Why it looks as if scripts made what it shows; null if it does not, or if a browser drew it. */
  shell: string | null;
}

/** A page beyond a limit is a finding. */
export interface PageLimits {
  clicks: number;
  durationMs: number;
  bytes: number;
  /** Fewer words make a page thin. */
  words: number;
}

/** Choices, near those of the usual site audits. */
export const PAGE_LIMITS: PageLimits = { clicks: 4, durationMs: 3_000, bytes: 2_000_000, words: 200 };

/** What is wrong with one URL by its row. */
export function* findPageProblems(
  node: number,
  row: RowFacts,
  site: SiteFacts,
  limits: PageLimits,
): Generator<Finding, void> {
  const page = row.url;
  if (row.isSoft404) yield makeFinding("soft-404", { page });
  if (stateOf(node, site) !== UrlState.page) return;
  const clicks = site.clicks[node] as number;
  if (row.isInSitemap && !row.isSeed && site.inLinks[node] === 0) yield makeFinding("orphan-page", { page });
  if (clicks > limits.clicks && clicks !== NO_CLICKS)
    yield makeFinding("deep-page", { page, detail: `${clicks} clicks` });
  if (row.shell !== null) yield makeFinding("scripts-needed", { page, detail: row.shell });
  else if (row.words !== null && row.words < limits.words)
    yield makeFinding("thin-page", { page, detail: `${row.words} words` });
  if (row.durationMs !== null && row.durationMs > limits.durationMs)
    yield makeFinding("slow-page", { page, detail: `${(row.durationMs / 1_000).toFixed(1)} s` });
  if (row.bytes !== null && row.bytes > limits.bytes)
    yield makeFinding("large-page", { page, detail: bytes(row.bytes) });
}
