import { logError } from "../../core/log.ts";
import { keepsArchive } from "../../crawl/crawl-options.ts";
import type { Capture } from "../../crawl/page/outcome.ts";
import { captureAnswer } from "../../fetch/answer/capture-page.ts";
import type { RobotsExchange } from "../../host/robots-state.ts";
import { hostKey, originOf } from "../../url/host-key.ts";
import type { Attempt } from "../attempt.ts";
import type { CrawlContext } from "../context.ts";
import type { PackDeps } from "../needs.ts";

/**
 * Makes records of the robots.txt files that decided on a batch's URLs: once for each crawl and origin. Two batches
 * that begin at once may both make them, because each asks the ledger before the other commits. Then the archive has
 * both, and the index leads to the later one.
 */

export interface RobotsCapture {
  context: CrawlContext;
  url: string;
  capture: Capture;
}

/**
 * The files that the ledger does not have yet. A gate that fails is asked once more, and then with the next batch that
 * has a URL of the origin.
 */
export async function recordRobots(attempts: readonly Attempt[], deps: PackDeps): Promise<RobotsCapture[]> {
  const byContext = Map.groupBy(attempts, ({ work }) => work.context);
  const found = await Promise.all([...byContext].map(([context, group]) => recordRobotsOf(context, group, deps)));
  return found.flat();
}

async function recordRobotsOf(context: CrawlContext, attempts: Attempt[], deps: PackDeps): Promise<RobotsCapture[]> {
  const { id, options } = context.crawl;
  const { recordedRobots, archiveIndex } = deps;
  if (!keepsArchive(options)) return [];
  const origins = new Set(attempts.map(({ work }) => originOf(work.row.url)));
  const maybe = [...origins].filter((origin) => !recordedRobots.has(id, origin));
  if (maybe.length === 0) return [];
  const known = await archiveIndex.answered(id, maybe.map(robotsOf));
  const asked = maybe.map(async (origin) => {
    if (known.has(robotsOf(origin))) recordedRobots.add(id, origin);
    else return askGate(origin, context, deps);
    return [];
  });
  return (await Promise.all(asked)).flat();
}

async function askGate(origin: string, context: CrawlContext, deps: PackDeps): Promise<RobotsCapture[]> {
  const { agent, uses, crawl } = context;
  const ask = () => deps.gate(hostKey(`${origin}/`)).recall({ origin, url: null, agent, uses, withExchanges: true });
  try {
    // A stub that has thrown may stay broken, so the second call has a new one.
    const { exchanges = [] } = await ask().catch(ask);
    if (exchanges.length === 0) deps.recordedRobots.add(crawl.id, origin);
    return exchanges.map((exchange) => ({ context, url: exchange.url, capture: toCapture(exchange, crawl.id) }));
  } catch (error) {
    // The pages of the batch are worth more than this record.
    logError("robots-not-recorded", error, { crawl: crawl.id });
    return [];
  }
}

function toCapture({ url, body, complete, ...head }: RobotsExchange, crawl: string): Capture {
  const answer = { ...head, payload: body, ...(complete ? {} : { truncated: "length" as const }) };
  return captureAnswer(url, answer, { warcinfoId: crawl, via: null, hops: "P" });
}

function robotsOf(origin: string): string {
  return `${origin}/robots.txt`;
}
