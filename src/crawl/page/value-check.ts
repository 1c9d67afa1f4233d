import type { Extracted } from "../../extract/extraction.ts";
import type { CrawlUrl } from "../crawl.ts";
import type { ModelSpent } from "./model-spent.ts";

/** Values that a model finds in pages for a request: of one page, or of stored pages. */

/** Pages about which one request asks a model. Each may take a minute. */
export const MOST_ASKED = 10;

/** A page that was read to find values in it. */
export interface ValueCheck {
  /** After redirects. */
  url: string;
  httpStatus: number | null;
  title: string | null;
  /** The Markdown that the model saw, in which evidence has its place. Null if the page could not be read. */
  text: string | null;
  /** Null if the page could not be read, or no model answered. */
  extracted: Extracted | null;
  /** What the request took of the model. */
  spent: ModelSpent;
  /** Why there is nothing, for people; null if there is. */
  problem: string | null;
}

/** A record with the values that a model found. */
export interface ValuedRecord {
  record: CrawlUrl;
  extracted: Extracted | null;
  /** Why there is nothing, for people; null if there is. */
  problem: string | null;
}
