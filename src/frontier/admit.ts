import type { CrawlOptions } from "../crawl/options.ts";
import type { Admission, LanePolicy } from "../host/host-gate.ts";
import { hostKey, originOf } from "../url/host-key.ts";
import { type Attempt, failedAttempt } from "./attempt.ts";
import type { Deps, Gate } from "./deps.ts";
import type { FrontierMessage } from "./message.ts";
import type { Work } from "./work.ts";

/** The first processor: drops stale messages, and asks each host's gate once for all that the batch holds of it. */

/** One host's share of a batch. */
export interface Lane {
  host: string;
  gate: Gate;
  policy: LanePolicy;
  grant: NonNullable<Admission["lane"]>;
  /** What may go now, in order. */
  going: Work[];
}

export interface Admitted {
  lanes: Lane[];
  /** To be sent again later, untried. */
  waiting: { work: Work; delayMs: number; why: string | null }[];
  /** Decided without a fetch. */
  decided: Attempt[];
  /** What a gate threw, where one did. The lanes that others granted are to be given back. */
  broken: unknown;
}

export async function admit(messages: FrontierMessage[], deps: Deps, allowPrivate: boolean): Promise<Admitted> {
  const work = await liveWork(messages, deps, allowPrivate);
  const admitted: Admitted = { lanes: [], waiting: [], decided: [], broken: undefined };
  const ends = await Promise.allSettled(
    [...groupByHost(work)].map(async ([host, group]) => {
      const gate = deps.gate(host);
      const policy = strictest(group.map(({ context }) => context.crawl.options));
      const urls = group.map(({ row, context }) => ({
        crawl: row.crawl,
        url: row.url,
        origin: originOf(row.url),
        agent: context.agent,
      }));
      const admission = await gate.admit({ urls, policy });
      const going: Work[] = [];
      for (const [i, item] of group.entries()) {
        const verdict = admission.verdicts[i];
        if (verdict === undefined) continue;
        if (verdict.kind === "go") going.push(item);
        else if (verdict.kind === "wait") admitted.waiting.push({ work: item, ...verdict });
        else admitted.decided.push(failedAttempt(item, verdict, deps.clock.now()));
      }
      if (admission.lane !== null) admitted.lanes.push({ host, gate, policy, grant: admission.lane, going });
    }),
  );
  admitted.broken = ends.find((end) => end.status === "rejected")?.reason;
  return admitted;
}

/** The rows that the messages still speak for: of a running crawl, of its epoch, queued, each once. */
async function liveWork(messages: FrontierMessage[], deps: Deps, allowPrivate: boolean): Promise<Work[]> {
  const { crawls, urls } = await deps.ledger.admission(messages.map(({ crawl, url }) => ({ crawl, url })));
  const contexts = new Map(crawls.map((crawl) => [crawl.id, deps.contexts.of(crawl, allowPrivate)]));
  const live = new Set(messages.map(({ crawl, url, epoch }) => `${crawl} ${epoch} ${url}`));
  const work = new Map<string, Work>();
  for (const row of urls) {
    const context = contexts.get(row.crawl);
    if (context?.crawl.status !== "running") continue;
    if (live.has(`${row.crawl} ${context.crawl.epoch} ${row.url}`))
      work.set(`${row.crawl} ${row.url}`, { row, context });
  }
  return [...work.values()];
}

function groupByHost(work: Work[]): Map<string, Work[]> {
  return Map.groupBy(work, ({ row }) => hostKey(row.url));
}

/** All crawls share a host, so the most careful of them sets its pace. */
export function strictest(options: CrawlOptions[]): LanePolicy {
  const policies = options.map(({ politeness }) => politeness);
  return {
    minDelayMs: Math.max(...policies.map((policy) => policy.minDelayMs)),
    maxDelayMs: Math.max(...policies.map((policy) => policy.maxDelayMs)),
    delayFactor: Math.max(...policies.map((policy) => policy.delayFactor)),
    concurrency: Math.min(...policies.map((policy) => policy.maxConcurrencyPerHost)),
    timeoutMs: Math.max(...options.map((option) => option.timeoutMs)),
    userAgent: options[0]?.userAgent ?? "",
  };
}
