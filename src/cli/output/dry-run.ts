import type { CrawlDetail } from "../../api/views.ts";
import { count, plural } from "../../core/shown-values.ts";
import type { Client } from "../installation/client.ts";
import { COMMAND } from "../installation/package-root.ts";

/** Describes the result of a dry run: the URLs that a crawl would fetch, from seeds, robots.txt and sitemaps. */

const MAX_SHOWN = 20;

export async function describeDryRun(crawl: CrawlDetail, client: Client): Promise<string[]> {
  const shown: string[] = [];
  let planned = 0;
  let overLimit = 0;
  for await (const { url, reason } of client.records(crawl.id, { status: "skipped" })) {
    if (reason === "limit") overLimit += 1;
    if (reason !== "dry-run") continue;
    planned += 1;
    if (shown.length < MAX_SHOWN) shown.push(`  ${url}`);
  }
  const lines = [`Dry run: ${plural(planned, "URL")} would be crawled first.`, ...shown];
  if (planned > shown.length) {
    lines.push(`  and ${count(planned - shown.length)} more: ${COMMAND} records ${crawl.id} --status skipped`);
  }
  if (overLimit > 0)
    lines.push(`${plural(overLimit, "more URL")} found, over the limit of ${count(crawl.options.limit)} pages.`);
  if (crawl.counts.disallowed > 0) lines.push(`robots.txt forbids ${plural(crawl.counts.disallowed, "URL")}, such as:`);
  let forbidden = 0;
  for await (const { url, explanation } of client.records(crawl.id, { status: "disallowed" })) {
    if (forbidden++ === 3) break;
    lines.push(`  ${url}: ${explanation}`);
  }
  if (crawl.options.source !== "sitemaps") {
    lines.push("Links add to these: they are discovered when their pages are fetched.");
  }
  return lines;
}
