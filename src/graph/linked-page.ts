import type { PageAudit } from "../media/document.ts";
import type { LinkKind, LinkPlace } from "../media/links/links.ts";

/** What findings need of the kept links of a page. The members of packs have more. URLs are canonical. */
export interface LinkedPage {
  url: string;
  title: string | null;
  description: string | null;
  canonical: string | null;
  alternates: readonly { url: string; language: string }[];
  /** The targets of fragments, by `hashId`; null if they are not known. */
  ids: readonly number[] | null;
  links: readonly SiteLink[];
  /** Absent for a document, and in what earlier versions kept. */
  audit?: PageAudit;
}

export interface SiteLink {
  /** Without a fragment. */
  url: string;
  /** The anchor text. */
  text: string;
  kind: LinkKind;
  place: LinkPlace;
  /** What follows `#`, as written; null if there is no `#`. */
  fragment: string | null;
}

/**
 * Whether a reader can follow such a link, so that it is an edge of the graph. `link` elements, guesses from scripts
 * and the entries of sitemaps are none: they would hide orphan pages.
 */
export function isEdgeKind(kind: LinkKind): boolean {
  return kind === "a" || kind === "area" || kind === "frame" || kind === "iframe" || kind === "refresh";
}
