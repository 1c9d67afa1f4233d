/** The messages between the site's process and the bench. */

export interface SiteReport {
  /** Different pages that were served completely. */
  pages: number;
  /** Requests for pages, with repeated ones. */
  pageRequests: number;
  /** All other requests: robots.txt, favicons, missing paths. */
  otherRequests: number;
  /** Milliseconds since the Unix epoch; undefined without a request. */
  firstRequestAt: number | undefined;
  firstPageAt: number | undefined;
  lastPageDoneAt: number | undefined;
  /** Different connections, at once or in a row. */
  connections: number;
}

export type FromSite =
  | { kind: "listening"; origin: string }
  | { kind: "served"; pages: number }
  | { kind: "report"; report: SiteReport };

export type ToSite = { kind: "report" };
