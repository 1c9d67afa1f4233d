/** A mark is what a person says of a page: one label. A focused crawl learns from the first two. */

/** The page is, or is not, what the crawl looks for. */
export const RIGHT = "right";
export const WRONG = "wrong";

/** Characters. */
export const MAX_LABEL_LENGTH = 100;

export interface Mark {
  /** Grows with each mark of the installation. A page that gets another label gets another number. */
  seq: number;
  /** Canonical. */
  url: string;
  label: string;
  /** Milliseconds since the Unix epoch. */
  markedAt: number;
}
