import type { CrawlDetail, CrawlView } from "../api/views.ts";
import type { Client } from "./client.ts";
import type { WhereOptions } from "./installation.ts";
import { count, plural } from "./terminal-text.ts";

/** The commands that take a crawl further, and the limit that stopped it. */

export interface Place extends WhereOptions {
  out?: string;
  browsable?: boolean;
}

/** The bound of the API's page limit. */
const MAX_LIMIT = 10_000_000;

/**
 * Lines that say which limit the crawl has reached, and the command that goes on. Empty if it has reached none. A dry
 * run describes its page limit itself.
 */
export async function describeLimit(crawl: CrawlDetail, client: Client, place: Place): Promise<string[]> {
  if (crawl.status === "cancelled_due_to_timeout")
    return [
      `It has reached its time limit of ${count(crawl.options.maxDurationS)} s.`,
      goOn(`retry ${crawl.id} --status cancelled`, place),
    ];
  if (crawl.status === "paused" && isOverCost(crawl))
    return [
      `It has reached its cost limit of ${crawl.options.maxCostUsd} USD.`,
      goOn(`resume ${crawl.id} --max-cost ${2 * crawl.options.maxCostUsd}`, place),
    ];
  if (crawl.status !== "completed" || crawl.options.dryRun || crawl.counts.skipped === 0) return [];
  const left = (await client.report(crawl.id)).reasons.limit ?? 0;
  if (left === 0) return [];
  const { limit } = crawl.options;
  const more = Math.min(2 * limit, MAX_LIMIT);
  return [
    `It has reached its limit of ${plural(limit, "page")}. Not fetched: ${plural(left, "URL")}.`,
    goOn(`retry ${crawl.id} --reason limit --limit ${more}`, place),
  ];
}

function isOverCost({ costUsd, options }: CrawlView): boolean {
  return options.maxCostUsd > 0 && costUsd >= options.maxCostUsd;
}

function goOn(command: string, place: Place): string {
  return `To go on: ${commandAt(command, place)}`;
}

/** The complete command line, with the options that lead to the same crawl and the same folder. */
export function commandAt(command: string, place: Place): string {
  const out = place.out === undefined ? "" : ` --out ${place.out}${place.browsable ? " --browsable" : ""}`;
  return `npm run orbweaver -- ${command}${out}${locationFlags(place)}`;
}

/** Without the token: it does not belong on a screen. */
export function locationFlags({ remote, state }: WhereOptions): string {
  if (remote !== undefined) return ` --remote ${remote}`;
  return state === ".orbweaver" ? "" : ` --state ${state}`;
}
