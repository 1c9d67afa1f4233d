import type { CrawlDetail, CrawlView } from "../../api/views.ts";
import { count, plural } from "../../core/shown-values.ts";
import { MAX_LIMIT } from "../../crawl/options/start-options.ts";
import type { Client } from "../installation/client.ts";
import type { WhereOptions } from "../installation/installation.ts";
import { COMMAND } from "../installation/package-root.ts";
import { quote } from "../machine/shell-script.ts";

/** The commands that take a crawl further, and the limit that stopped it. */

export interface Place extends WhereOptions {
  out?: string;
  browsable?: boolean;
}

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
  if (crawl.status === "paused") return describePause(crawl, place);
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

/** A crawl that has reached both of its limits needs both raised: otherwise it pauses again at once. */
function describePause({ id, costUsd, bytes, options }: CrawlView, place: Place): string[] {
  const { maxCostUsd, maxBytes } = options;
  const lines: string[] = [];
  let command = `resume ${id}`;
  if (maxCostUsd > 0 && costUsd >= maxCostUsd) {
    lines.push(`It has reached its cost limit of ${maxCostUsd} USD.`);
    command += ` --max-cost ${Number((2 * costUsd).toPrecision(2))}`;
  }
  if (maxBytes > 0 && bytes >= maxBytes) {
    lines.push(`It has reached its size limit of ${plural(maxBytes, "byte")}.`);
    command += ` --max-bytes ${2 * bytes}`;
  }
  return lines.length === 0 ? [] : [...lines, goOn(command, place)];
}

/** Lines that say which pages the model has not read, and the commands that ask about them. */
export function describeModelGaps({ id, model, options }: CrawlDetail, place: Place): string[] {
  // A server of an earlier version does not say it.
  if (model?.failedPages == null) return [];
  const { failedPages, leftPages, problem, calls, costUsd } = model;
  const lines: string[] = [];
  if (failedPages > 0)
    lines.push(
      `The model failed on ${plural(failedPages, "page")}: ${problem}.`,
      `To ask again: ${commandAt(`extract ${id}`, place)}`,
    );
  if (leftPages > 0) {
    const { modelCalls, modelCostUsd } = options;
    const isOfCalls = modelCalls > 0 && calls >= modelCalls;
    const more = isOfCalls
      ? `--model-calls ${calls + leftPages}`
      : `--model-cost ${Number((2 * Math.max(modelCostUsd, costUsd ?? 0)).toPrecision(2))}`;
    lines.push(
      `The model's limit of ${isOfCalls ? plural(modelCalls, "call") : `${modelCostUsd} USD`} left out ${plural(leftPages, "page")}.`,
      goOn(`extract ${id} ${more}`, place),
    );
  }
  return lines;
}

function goOn(command: string, place: Place): string {
  return `To go on: ${commandAt(command, place)}`;
}

/** The complete command line, with the options that lead to the same crawl and the same folder. */
export function commandAt(command: string, place: Place): string {
  const out = place.out === undefined ? "" : ` --out ${quote(place.out)}${place.browsable ? " --browsable" : ""}`;
  return `${COMMAND} ${command}${out}${locationFlags(place)}`;
}

/** Without the token: it does not belong on a screen. */
export function locationFlags({ remote, insecureHttp, state }: WhereOptions): string {
  if (remote !== undefined) return ` --remote ${quote(remote)}${insecureHttp ? " --insecure-http" : ""}`;
  return state === ".orbweaver" ? "" : ` --state ${quote(state)}`;
}
