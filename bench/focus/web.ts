/** A web of pages in memory. Links name pages by their place in the list. */

export interface WebLink {
  target: number;
  /** The anchor text. */
  text: string;
  around: string;
}

export interface WebPage {
  url: string;
  host: string;
  title: string;
  text: string;
  links: WebLink[];
  /** Where it comes from: known to the bench alone. A page of a link farm comes from no manual. */
  manual: string;
  path: string;
}
