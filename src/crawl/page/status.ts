/** The states of a URL and of a crawl. docs/architecture.md has their transitions. */

/** `pending` is internal: the API shows it as `queued`. */
export const URL_STATUSES = [
  "pending",
  "queued",
  "completed",
  "disallowed",
  "skipped",
  "errored",
  "cancelled",
] as const;
export type UrlStatus = (typeof URL_STATUSES)[number];

/** The final states of a URL. */
export const FINAL_STATUSES = ["completed", "disallowed", "skipped", "errored", "cancelled"] as const;
export type FinalStatus = (typeof FINAL_STATUSES)[number];

/** Cloudflare's job states, and `paused` and `watching`, which theirs do not have. */
export const CRAWL_STATUSES = [
  "running",
  "paused",
  "watching",
  "completed",
  "errored",
  "cancelled_by_user",
  "cancelled_due_to_timeout",
  "cancelled_due_to_limits",
] as const;
/** The end of a crawl that finds too little on its subject (`until`), and of no other. */
export const TOPIC_EXHAUSTED = "cancelled_due_to_limits" satisfies CrawlStatus;
export type CrawlStatus = (typeof CRAWL_STATUSES)[number];

export const OPEN_STATUSES: readonly CrawlStatus[] = ["running", "paused", "watching"];

/** Whether a crawl with this status goes on, or may go on. */
export function isOpenStatus(status: CrawlStatus): boolean {
  return OPEN_STATUSES.includes(status);
}
