import type { FieldReading } from "../../media/html/fields/field-rule.ts";
import type { FieldProposal } from "../../media/html/fields/propose-fields.ts";
import type { CrawlUrl } from "../crawl.ts";

/** Fields that are read from pages by rules which no crawl has: to check them, or to ask stored pages again. */

/** Pages that one request reads again. Each takes an invocation, and a request may start 32. */
export const MOST_REREAD = 24;

/** What rules read from one page. */
export interface PageFields {
  title: string | null;
  language: string | null;
  /** In the order of the rules. */
  fields: FieldReading[];
  /** Empty unless requested. */
  proposals: FieldProposal[];
}

/** A page that was read to check rules. */
export interface FieldCheck {
  /** After redirects. */
  url: string;
  httpStatus: number | null;
  /** Null if the page could not be read. */
  page: PageFields | null;
  /** Why it could not be read, for people; null if it could. */
  problem: string | null;
}

/** A record with the fields that the rules give. */
export interface RereadRecord {
  record: CrawlUrl;
  /** Empty if no rules are for this page, or if it cannot be read. */
  readings: FieldReading[];
  /** Why the page could not be read, for people; null if it could, and if no rules are for it. */
  problem: string | null;
}
