import type { CrawlDetail } from "../api/views.ts";
import type { Client } from "./client.ts";
import { bytes, count, duration, plural, state } from "./format.ts";

/** What a crawl comes to, for people and for programs. */

export interface Summary {
  id: string;
  status: string;
  total: number;
  finished: number;
  completed: number;
  disallowed: number;
  skipped: number;
  errored: number;
  cancelled: number;
  bytes: number;
  /** From the first request to the last commit. */
  seconds: number;
}

export function summarize(crawl: CrawlDetail): Summary {
  const { id, status, total, finished, counts, bytes, seconds } = crawl;
  const { completed, disallowed, skipped, errored, cancelled } = counts;
  return { id, status, total, finished, completed, disallowed, skipped, errored, cancelled, bytes, seconds };
}

const MOST_EXPLAINED = 5;

/** Lines for people: the counts, what scope refused, and why URLs failed. */
export async function describe(crawl: CrawlDetail, client: Client): Promise<string[]> {
  const { counts, seconds } = crawl;
  const rate = seconds > 0 && counts.completed > 0 ? `, ${(counts.completed / seconds).toFixed(1)} pages/s` : "";
  const lines = [
    `${capitalize(state(crawl.status))}: ${plural(counts.completed, "page")}${counts.completed > 0 ? ` (${bytes(crawl.bytes)}) in ${duration(seconds)}${rate}` : ""}.`,
  ];
  const others = (["disallowed", "skipped", "errored", "cancelled", "queued"] as const).filter(
    (status) => counts[status] > 0,
  );
  if (others.length > 0) {
    lines.push(
      `Of ${plural(crawl.total, "URL")}: ${others.map((status) => `${count(counts[status])} ${status}`).join(", ")}.`,
    );
  }
  if (crawl.waitingFor !== null) lines.push(`  Waiting: ${crawl.waitingFor}.`);
  for (const { reason, count: links, examples } of crawl.refused) {
    lines.push(`  ${plural(links, "link")} not taken (${reason}), such as ${examples[0]}`);
  }
  lines.push(...(await explainFailures(crawl, client)));
  return lines;
}

async function explainFailures(crawl: CrawlDetail, client: Client): Promise<string[]> {
  const lines: string[] = [];
  const wanted =
    crawl.counts.completed === 0 ? (["errored", "disallowed", "skipped"] as const) : (["errored"] as const);
  for (const status of wanted) {
    if (crawl.counts[status] === 0) continue;
    for await (const { url, explanation } of client.records(crawl.id, status)) {
      if (lines.length === MOST_EXPLAINED) return [...lines, "  ..."];
      lines.push(`  ${url}: ${explanation}`);
    }
  }
  return lines;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
