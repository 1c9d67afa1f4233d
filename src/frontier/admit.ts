import type { CrawlOptions } from "../crawl/crawl-options.ts";
import { isUnchanged } from "../crawl/modified-since.ts";
import type { Admission, AdmitRequest, Gate, LanePolicy } from "../host/gate-protocol.ts";
import { hostKey, originOf } from "../url/host-key.ts";
import { type Attempt, decidedAttempt, unchangedAttempt } from "./attempt.ts";
import type { CrawlContext } from "./context.ts";
import type { Deps } from "./deps.ts";
import type { Hint } from "./message.ts";
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

export async function admit(hints: Hint[], deps: Deps, allowPrivate: boolean): Promise<Admitted> {
  const admitted: Admitted = { lanes: [], waiting: [], decided: [], broken: undefined };
  const work: Work[] = [];
  for (const item of await liveWork(hints, deps, allowPrivate)) {
    const unchanged = decideByLastmod(item, deps.clock.now());
    if (unchanged === null) work.push(item);
    else admitted.decided.push(unchanged);
  }
  const ends = await Promise.allSettled(
    [...groupByHost(work)].map(async ([host, group]) => {
      const gate = deps.gate(host);
      const policy = strictest(group.map(({ context }) => context.crawl.options));
      const admission = await gate.admit({ urls: group.map(toRequest), policy });
      const going: Work[] = [];
      for (const [i, item] of group.entries()) {
        const verdict = admission.verdicts[i];
        if (verdict === undefined) continue;
        if (item.kind === "sitemap") item.named = admission.sitemaps[originOf(item.row.url)] ?? [];
        if (verdict.kind === "go") going.push(item.kind === "page" ? { ...item, lost: verdict.lost } : item);
        else if (verdict.kind === "wait") admitted.waiting.push({ work: item, ...verdict });
        else admitted.decided.push(decidedAttempt(item, verdict, deps.clock.now()));
      }
      if (admission.lane !== null) admitted.lanes.push({ host, gate, policy, grant: admission.lane, going });
    }),
  );
  admitted.broken = ends.find((end) => end.status === "rejected")?.reason;
  return admitted;
}

/** Seeds are fetched whatever a sitemap says of them: their links are where a crawl begins. */
function decideByLastmod(work: Work, now: number): Attempt | null {
  if (work.kind === "sitemap" || work.row.depth === 0 || work.row.asset === 1) return null;
  const { lastmod } = work.row;
  if (lastmod === null) return null;
  return isUnchanged(lastmod, work.context.crawl.options) ? unchangedAttempt(work, lastmod, now) : null;
}

function toRequest({ kind, row, context }: Work): AdmitRequest["urls"][number] {
  return {
    crawl: row.crawl,
    url: row.url,
    origin: originOf(row.url),
    agent: context.agent,
    uses: context.uses,
    ...(kind === "page" && context.crawl.options.dryRun ? { robotsOnly: true } : {}),
    ...(kind === "sitemap" && row.guessed ? { sitemaps: true } : {}),
  };
}

/** The rows that the messages still speak for: of a running crawl, of its epoch, queued, each once. */
async function liveWork(hints: Hint[], deps: Deps, allowPrivate: boolean): Promise<Work[]> {
  const { crawls, urls, sitemaps } = await deps.ledger.admission(hints);
  const contexts = new Map(crawls.map((crawl) => [crawl.id, deps.contexts.of(crawl, allowPrivate)]));
  const live = new Set(hints.map(({ crawl, url, epoch, sitemap }) => `${crawl} ${epoch} ${sitemap} ${url}`));
  const isLive = ({ crawl, url }: { crawl: string; url: string }, sitemap: boolean) => {
    const context = contexts.get(crawl)?.crawl;
    return context?.status === "running" && live.has(`${crawl} ${context.epoch} ${sitemap} ${url}`);
  };
  const contextOf = ({ crawl }: { crawl: string }) => contexts.get(crawl) as CrawlContext;
  return distinct([
    ...urls
      .filter((row) => isLive(row, false))
      .map((row): Work => ({ kind: "page", row, context: contextOf(row), lost: false })),
    ...sitemaps
      .filter((row) => isLive(row, true))
      .map((row): Work => ({ kind: "sitemap", row, context: contextOf(row), named: [] })),
  ]);
}

/** A message may have come twice in a batch. */
function distinct(work: Work[]): Work[] {
  return [...new Map(work.map((item) => [`${item.row.crawl} ${item.kind} ${item.row.url}`, item])).values()];
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
