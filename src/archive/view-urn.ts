/** The names of records that say how a page looked, as Browsertrix Crawler writes them. */

/** Of the picture of a page. */
export function viewUrn(url: string): string {
  return `urn:view:${url}`;
}

/** Of the text that a drawn page shows. */
export function textUrn(url: string): string {
  return `urn:text:${url}`;
}
