import type { PageLink } from "../../media/links/links.ts";

/** The pages of a crawl that link to a URL, as its last pass found them. */

/** A page that links to the URL, or a URL that redirects to it. */
export interface InlinkSource {
  url: string;
  /** Of a page. */
  title: string | null;
  isRedirect: boolean;
  /** Its links to the URL, in document order. Empty for a redirect, and for a page whose links are no longer stored. */
  links: PageLink[];
}

export interface Inlinks {
  /** When the pass listed the URLs: milliseconds since the Unix epoch. */
  analyzedAt: number;
  /** The number of sources. */
  total: number;
  /** In the order of their URLs. */
  sources: InlinkSource[];
  /** Names the last source; null if no more follow. */
  cursor: string | null;
}
