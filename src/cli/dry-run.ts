import type { CrawlDetail } from "../api/views.ts";
import type { Client } from "./client.ts";
import { count, plural } from "./terminal-text.ts";

/** What a dry run found: the URLs that a crawl would fetch, as far as seeds, robots.txt and sitemaps tell. */

const MOST_SHOWN = 20;

export async function describeDryRun(crawl: CrawlDetail, client: Client): Promise<string[]> {
  const shown: string[] = [];
  let wanted = 0;
  let beyond = 0;
  for await (const { url, reason } of client.records(crawl.id, { status: "skipped" })) {
    if (reason === "limit") beyond += 1;
    if (reason !== "dry-run") continue;
    wanted += 1;
    if (shown.length < MOST_SHOWN) shown.push(`  ${url}`);
  }
  const lines = [`Dry run: ${plural(wanted, "URL")} would be crawled to begin with.`, ...shown];
  if (wanted > shown.length) {
    lines.push(`  and ${count(wanted - shown.length)} more: npm run orbweaver -- records ${crawl.id} --status skipped`);
  }
  if (beyond > 0)
    lines.push(`${plural(beyond, "URL")} more are known, beyond the limit of ${count(crawl.options.limit)} pages.`);
  if (crawl.counts.disallowed > 0) lines.push(`robots.txt forbids ${plural(crawl.counts.disallowed, "URL")}, such as:`);
  let forbidden = 0;
  for await (const { url, explanation } of client.records(crawl.id, { status: "disallowed" })) {
    if (forbidden++ === 3) break;
    lines.push(`  ${url}: ${explanation}`);
  }
  if (crawl.options.source !== "sitemaps") {
    lines.push("Links come on top: they are known when the pages that hold them have been fetched.");
  }
  return lines;
}
