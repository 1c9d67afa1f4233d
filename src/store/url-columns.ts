import { KEPT_START } from "../crawl/row-fields.ts";

/** The columns of `urls` under the names of a CrawlUrl. */
export const URL_COLUMNS = `url, status, reason, detail, depth, via, kind, attempts, http_status AS httpStatus, title,
  content_type AS contentType, bytes, sha256, fetched_at AS fetchedAt,
  duration_ms AS durationMs, media, lastmod, truncated, rank, in_links AS inLinks, twin_of AS twinOf,
  shell, rendered, language, fields, label, confidence, relevance, priority`;

/** `URL.origin` of a canonical URL: a slash always follows it. */
export const ORIGIN = "substr(url, 1, instr(substr(url, 9), '/') + 7)";

/** Whether fields of the row are in a pack. */
export const hasLargeFields = (column: string) => `substr(${column}, 1, ${KEPT_START.length}) = '${KEPT_START}'`;
