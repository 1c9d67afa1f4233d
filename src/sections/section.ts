import type { PageKind } from "../media/document.ts";

/** What a section of a site is: the URLs of one pattern that are pages of one kind. */

/** New kinds come last: a pass keeps the place of a kind here. `file`: anything that is no HTML page. */
export const SECTION_KINDS = [
  "article",
  "documentation",
  "listing",
  "product",
  "forum",
  "home",
  "search",
  "error",
  "other",
  "asset",
  "file",
  "collection",
  "service",
] as const satisfies readonly (PageKind | "asset" | "file")[];
export type SectionKind = (typeof SECTION_KINDS)[number];

export const SECTION_STATUSES = ["queued", "completed", "disallowed", "skipped", "errored", "cancelled"] as const;
export type SectionStatus = (typeof SECTION_STATUSES)[number];

/** What a number of URLs takes of a crawl. */
export interface SectionCounts {
  urls: number;
  statuses: Record<SectionStatus, number>;
  bytes: number;
  /** Time to fetch them, in milliseconds. */
  fetchMs: number;
}

export interface Section extends SectionCounts {
  /** Such as `https://example.com/blog/*`. `*` stands for a part of a segment or a whole one, `**` for the rest. */
  pattern: string;
  /** Null: none of its URLs was read. */
  kind: SectionKind | null;
  /** Medians, and the mean PageRank as in records; null if they are not known of any URL. */
  words: number | null;
  contentLinks: number | null;
  navigationLinks: number | null;
  rank: number | null;
  /** Changes of a page in 30 days; null if its pages were not visited twice. */
  changesPerMonth: number | null;
  /** With the highest ranks. */
  examples: SectionExample[];
}

export interface SectionExample {
  url: string;
  title: string | null;
}

export interface Sections {
  total: SectionCounts;
  /** Largest first. */
  sections: Section[];
  /** Sections that are too small to be named; null if there are none. */
  others: (SectionCounts & { sections: number }) | null;
}

export interface FoundSections extends Sections {
  /** When the pass listed the URLs: milliseconds since the Unix epoch. */
  analyzedAt: number;
}

export function noCounts(): SectionCounts {
  const statuses = Object.fromEntries(SECTION_STATUSES.map((name) => [name, 0])) as SectionCounts["statuses"];
  return { urls: 0, statuses, bytes: 0, fetchMs: 0 };
}

/** The kind of page that a URL is; null if nothing was read of it. */
export function kindOf(row: {
  url: string;
  isAsset: boolean;
  isRead: boolean;
  isHtml: boolean;
  pageKind: PageKind | null;
}): SectionKind | null {
  if (row.isAsset) return "asset";
  if (!row.isRead) return null;
  if (!row.isHtml) return "file";
  return row.pageKind ?? (/^[^/]*\/\/[^/]*\/$/.test(row.url) ? "home" : "other");
}
