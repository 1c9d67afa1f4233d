/** What the site's process tells the bench. */

export interface SiteReport {
  /** Different pages that were answered in full. */
  pages: number;
  /** Requests for pages, repeated ones included. */
  pageRequests: number;
  /** Requests for anything else: robots.txt, favicons, what is not there. */
  otherRequests: number;
  /** Milliseconds since the Unix epoch; undefined where nothing was asked. */
  firstRequestAt: number | undefined;
  firstPageAt: number | undefined;
  lastPageDoneAt: number | undefined;
  /** Different connections, whether at once or one after the other. */
  connections: number;
}

export type FromSite =
  | { kind: "listening"; origin: string }
  | { kind: "served"; pages: number }
  | { kind: "report"; report: SiteReport };

export type ToSite = { kind: "report" };
