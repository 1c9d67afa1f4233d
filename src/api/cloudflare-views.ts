import type { Crawl, CrawlUrl } from "../crawl/crawl.ts";
import type { FormattedRecord } from "../crawl/formatted-record.ts";
import type { Formatted } from "../crawl/page-format.ts";
import type { CrawlStatus, UrlStatus } from "../crawl/status.ts";
import { type Message, message } from "./cloudflare-messages.ts";
import { viewCrawl } from "./views.ts";

/** A crawl and its records as Cloudflare's /crawl shows them: `CrawlGetResponse` of their client. */

/** Pages named in an answer that come without their content. */
const MOST_PROBLEMS = 10;

export interface JobView {
  id: string;
  status: Exclude<CrawlStatus, "paused">;
  total: number;
  finished: number;
  skipped: number;
  browserSecondsUsed: number;
}

/** Theirs counts skipped URLs in `skipped` alone, though they are among the records. */
export function viewJob(crawl: Crawl): JobView {
  const { id, total, finished, counts } = viewCrawl(crawl);
  return {
    id,
    // Theirs knows no pause.
    status: crawl.status === "paused" ? "running" : crawl.status,
    total: total - counts.skipped,
    finished: finished - counts.skipped,
    skipped: counts.skipped,
    browserSecondsUsed: 0,
  };
}

export interface JobRecordView extends Formatted {
  url: string;
  status: Exclude<UrlStatus, "pending">;
  /** Of what the server answered; absent where it did not. */
  metadata?: { status: number; url: string; title?: string };
}

export function viewJobRecord({ record, formatted }: FormattedRecord): JobRecordView {
  const { url, status } = record;
  const metadata = metadataOf(record);
  return {
    url,
    status: status === "pending" ? "queued" : status,
    ...(metadata === null ? {} : { metadata }),
    ...formatted,
  };
}

/** A redirect's target has a record of its own, so a record's URL is always the one that answered. */
function metadataOf({ url, httpStatus, title }: CrawlUrl): JobRecordView["metadata"] | null {
  if (httpStatus === null) return null;
  return { status: httpStatus, url, ...(title === null ? {} : { title }) };
}

export function recordMessages(records: FormattedRecord[]): Message[] {
  const without = records.filter(({ problem }) => problem !== null);
  return without
    .slice(0, MOST_PROBLEMS)
    .map(({ record, problem }) => message("page", `${record.url} comes without its content: ${problem}.`));
}
