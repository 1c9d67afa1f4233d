import { logError } from "../../core/log.ts";
import { MAX_BATCH_URLS } from "../../crawl/bounds/batch-size.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { DEFAULT_POLITENESS } from "../../crawl/crawl-options.ts";
import { type Sending, senderOf } from "../../fetch/answer/answer.ts";
import type { HeadResult } from "../../fetch/head-fetcher.ts";
import { strictest } from "../../frontier/batch/admit.ts";
import { namedHostsOf } from "../../frontier/lane/host-rights.ts";
import { useLane } from "../../frontier/lane/use-lane.ts";
import { type ExternalAnswer, NO_SUCH_NAME } from "../../graph/external-answers.ts";
import type { LanePolicy, Verdict } from "../../host/gate-protocol.ts";
import { pacerOf } from "../../host/pace.ts";
import { productToken } from "../../robots/product-token.ts";
import { hostKey, hostOf, originOf } from "../../url/host-key.ts";
import type { PassDeps } from "../pass-run.ts";
import type { AnswerEntry } from "./known-answers.ts";

/**
 * A round of requests to other sites: many hosts side by side, each through its gate, one request at a time. A host
 * that is to wait stays in the queue, and holds nothing.
 */

/** What is still to ask of a host. */
export interface HostQueue {
  host: string;
  /** URLs that its gate does not know yet. */
  urls: string[];
  /** URLs that its gate told to come back, and when. Until all have, it gets no others: it holds their slots. */
  waiting: { url: string; at: number }[];
  /** How long its gate has told to wait since the last answer, in milliseconds. */
  waitedMs: number;
}

/** A host that lets nobody in for so long is given up. */
const LANE_PATIENCE_MS = 10 * 60_000;
/** Waits of a connection inside a round. For a longer one the round ends. */
const SHORT_LANE_WAIT_MS = 5_000;
/** Stands for the answer of a gate that failed. */
const FAILED_GATE = { kind: "wait", delayMs: 10_000, why: null } as const;
const CPU_MS_PER_URL = 1;

interface Round {
  queue: HostQueue[];
  crawl: Crawl;
  /** The time at which no further request begins. */
  until: number;
  /** Keeps answers at once. */
  keep(answers: AnswerEntry[]): Promise<void>;
}

/** Changes `queue`: what is left in it is for the next round. */
export async function askRound(round: Round, deps: PassDeps): Promise<void> {
  const { clock, limits } = deps;
  const waiting = new Set(round.queue);
  const connection = async () => {
    while (clock.now() < round.until) {
      const host = earliest(waiting);
      if (host === null) return;
      const restMs = Math.max(0, readyAt(host) - clock.now());
      if (restMs > SHORT_LANE_WAIT_MS * clock.speed || clock.now() + restMs >= round.until) return;
      waiting.delete(host);
      await clock.sleep(restMs);
      await askHost(host, round, deps);
      if (!isEmpty(host)) waiting.add(host);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: limits.fetches }, connection));
  const broken = ends.find((end) => end.status === "rejected");
  if (broken !== undefined) throw broken.reason;
}

function earliest(hosts: Iterable<HostQueue>): HostQueue | null {
  let found: HostQueue | null = null;
  for (const host of hosts) if (found === null || readyAt(host) < readyAt(found)) found = host;
  return found;
}

/** When a host may be asked next; 0 for at once. */
export function readyAt({ waiting }: HostQueue): number {
  return waiting.length === 0 ? 0 : Math.min(...waiting.map(({ at }) => at));
}

export function isEmpty({ urls, waiting }: HostQueue): boolean {
  return urls.length + waiting.length === 0;
}

/** Takes all URLs that are left. */
export function takeAll({ urls, waiting }: HostQueue): string[] {
  return [...waiting.splice(0).map(({ url }) => url), ...urls.splice(0)];
}

/** Takes the URLs to ask its gate about now. */
function takeDue(host: HostQueue, now: number): string[] {
  if (host.waiting.length === 0) return host.urls.splice(0, MAX_BATCH_URLS);
  const { due = [], later = [] } = Object.groupBy(host.waiting, ({ at }) => (at <= now ? "due" : "later"));
  host.waiting = later;
  return due.map(({ url }) => url);
}

/** Asks a host's gate for the next URLs, and the host as far as it may be asked now. */
async function askHost(host: HostQueue, { crawl, until, keep }: Round, deps: PassDeps): Promise<void> {
  const { clock } = deps;
  const askedAt = clock.now();
  const urls = takeDue(host, askedAt);
  const gate = deps.gate(host.host);
  const policy = policyOf(crawl, host.host);
  const agent = productToken(crawl.options.userAgent);
  const asking = { crawl: crawl.id, epoch: crawl.epoch, agent, uses: [] };
  const admitted = urls.map((url) => ({ ...asking, url, origin: originOf(url) }));
  const { verdicts, lane } = await gate.admit({ urls: admitted, policy }).catch((error: unknown) => {
    // What one gate does costs its host alone.
    logError("gate-not-asked", error, { host: host.host });
    return { verdicts: urls.map(() => FAILED_GATE), lane: null };
  });
  const answers: AnswerEntry[] = [];
  const going: string[] = [];
  for (const [i, url] of urls.entries()) {
    const verdict = verdicts[i];
    if (verdict?.kind === "go") going.push(url);
    else if (verdict?.kind === "wait") host.waiting.push({ url, at: askedAt + verdict.delayMs });
    else if (verdict !== undefined) answers.push([url, await explainVerdict(verdict, host.host, deps)]);
  }
  if (lane !== null) {
    const fetch = (url: string, sending: Sending) => deps.fetchHead({ ...sending, ...askerOf(crawl, url), url });
    const open = { gate: () => deps.gate(host.host), policy, grant: lane, pacer: pacerOf(lane) };
    const results = await useLane(open, going, fetch, clock, until);
    for (const [url, result] of results) answers.push([url, await toAnswer(result, host.host, deps)]);
    host.urls.unshift(...going.filter((url) => !results.has(url)));
  }
  host.waitedMs = answers.length > 0 ? 0 : host.waitedMs + Math.max(0, readyAt(host) - askedAt);
  if (host.waitedMs > LANE_PATIENCE_MS * clock.speed)
    for (const url of takeAll(host)) answers.push([url, unasked("waits")]);
  deps.meter.add({ cpuMs: answers.length * CPU_MS_PER_URL });
  if (answers.length > 0) await keep(answers);
}

/** What was not asked, and is asked by a later pass. */
export function unasked(why: string): ExternalAnswer {
  return { askedAt: 0, httpStatus: null, target: null, why };
}

async function explainVerdict(verdict: Verdict, host: string, deps: PassDeps): Promise<ExternalAnswer> {
  const reason = "reason" in verdict ? verdict.reason : "network";
  return { askedAt: deps.clock.now(), httpStatus: null, target: null, why: await explain(reason, host, deps) };
}

async function toAnswer(result: HeadResult, host: string, deps: PassDeps): Promise<ExternalAnswer> {
  const askedAt = deps.clock.now();
  const { httpStatus } = result;
  if (result.kind === "redirect") {
    const { target } = result;
    return { askedAt, httpStatus, target, why: target === null ? "bad-redirect" : null };
  }
  const isAnswer = result.kind === "head" || result.reason === "http-status";
  return { askedAt, httpStatus, target: null, why: isAnswer ? null : await explain(result.reason, host, deps) };
}

async function explain(reason: string, host: string, deps: PassDeps): Promise<string> {
  return reason === "dns" && (await deps.isDeadName(host)) ? NO_SUCH_NAME : reason;
}

/**
 * A crawl that hurries through its own site does not hurry through others. Its own headers and cookies stay with it.
 * What its own site is asked for beside the crawl comes at the pace of the crawl, one at a time.
 */
function policyOf({ options }: Crawl, host: string): LanePolicy {
  if (options.urls.some((url) => hostKey(url) === host)) return { ...strictest([options]), concurrency: 1 };
  const { minDelayMs, maxDelayMs, delayFactor } = DEFAULT_POLITENESS;
  const policy = strictest([options]);
  return {
    ...policy,
    minDelayMs: Math.max(policy.minDelayMs, minDelayMs),
    maxDelayMs: Math.max(policy.maxDelayMs, maxDelayMs),
    delayFactor: Math.max(policy.delayFactor, delayFactor),
    concurrency: 1,
  };
}

function askerOf({ options }: Crawl, url: string) {
  // Nobody has named the other hosts: they stand in links.
  const mayBePrivate = namedHostsOf(options).has(hostOf(url));
  return { ...senderOf(options), timeoutMs: options.timeoutMs, mayBePrivate, hidesCookies: true };
}
