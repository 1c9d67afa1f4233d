import type { Metadata } from "../../media/document.ts";
import type { CrawlUrl } from "../crawl.ts";
import type { Formatted } from "./page-format.ts";

/** A record with its page. */
export interface FormattedRecord<Row extends CrawlUrl = CrawlUrl> {
  record: Row;
  formatted: Formatted;
  /** Null unless a part of it was read. */
  metadata: Metadata | null;
  /** Why a stored page comes without its formats, or without its large fields; null if it has them. */
  problem: string | null;
}
