import type { CrawlUrl } from "../crawl.ts";

/** What a link needs to know of the URL that it leads to. */
export type LinkTarget = Pick<CrawlUrl, "url" | "status" | "reason" | "detail" | "contentType" | "sha256">;
