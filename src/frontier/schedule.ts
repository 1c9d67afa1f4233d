import type { Moved } from "../store/ledger.ts";
import { STALL_AFTER_MS } from "../store/ledger.ts";
import { hostKey } from "../url/host-key.ts";
import type { Admitted } from "./admit.ts";
import type { CrawlContext } from "./context.ts";
import type { Deps } from "./deps.ts";
import type { LaneRun } from "./fetch-lane.ts";
import { type Dispatch, dispatch } from "./message.ts";

/** The sixth processor: settles the lanes, which quote the delays, and sends what is to come. */

/** A URL that is to have a message. */
interface Sending {
  crawl: string;
  epoch: number;
  url: string;
  /** Least delay. */
  delayMs: number;
}

export async function schedule(admitted: Admitted, runs: LaneRun[], moved: Moved[], deps: Deps): Promise<void> {
  const sendings = collect(admitted, runs, moved);
  const byHost = Map.groupBy(sendings, ({ url }) => hostKey(url));
  await Promise.all(runs.map((run) => settle(run, byHost.get(run.lane.host) ?? [])));
  const dispatches: Dispatch[] = [
    ...sendings,
    // Their gate has quoted these already.
    ...admitted.waiting.map(({ work: { row, context }, delayMs }) => sendingOf(row, context, delayMs)),
  ].map(({ delayMs, ...key }) => ({ message: { v: 1, ...key }, delayMs }));
  await dispatch(deps.frontier, dispatches);
  const reasons = new Map(admitted.waiting.flatMap(({ work, why }) => (why === null ? [] : [[work.row.crawl, why]])));
  for (const [crawl, why] of reasons) await deps.ledger.setWaitingFor(crawl, why);
  await expectProgress(admitted, dispatches, moved, deps);
}

/** Frees the host of a lane, and raises the delays of what is about to go there to the slots that its gate books. */
export async function settle({ lane, report }: Pick<LaneRun, "lane" | "report">, sendings: Sending[]): Promise<void> {
  const groups = [...Map.groupBy(sendings, ({ crawl, epoch }) => `${crawl} ${epoch}`).values()];
  const quotes = await lane.gate.settle({
    ...report,
    sending: groups.map((group) => ({ ...(group[0] as Sending), count: group.length })),
    policy: lane.policy,
    crawlDelayMs: lane.grant.pace.crawlDelayMs,
  });
  for (const [g, group] of groups.entries()) {
    for (const [i, sending] of group.entries()) sending.delayMs = Math.max(sending.delayMs, quotes[g]?.[i] ?? 0);
  }
}

function collect(admitted: Admitted, runs: LaneRun[], moved: Moved[]): Sending[] {
  const attempts = [...admitted.decided, ...runs.flatMap((run) => run.attempts)];
  return [
    ...attempts.flatMap(({ work: { row, context }, retryDelayMs }) =>
      retryDelayMs === null ? [] : [sendingOf(row, context, retryDelayMs)],
    ),
    ...runs.flatMap((run) => run.unfetched).map(({ row, context }) => sendingOf(row, context, 0)),
    ...moved.flatMap(({ crawl, queued, state }) =>
      state?.status === "running" ? queued.map((url) => ({ crawl, epoch: state.epoch, url, delayMs: 0 })) : [],
    ),
  ];
}

function sendingOf({ crawl, url }: { crawl: string; url: string }, context: CrawlContext, delayMs: number): Sending {
  return { crawl, url, epoch: context.crawl.epoch, delayMs };
}

/** Where all that a crawl has in motion is due late, its silence until then is no stall. */
async function expectProgress(admitted: Admitted, dispatches: Dispatch[], moved: Moved[], deps: Deps): Promise<void> {
  const now = deps.clock.now();
  const wakeAt = new Map(admitted.waiting.map(({ work }) => [work.row.crawl, work.context.crawl.wakeAt]));
  for (const { crawl } of moved) wakeAt.set(crawl, now + STALL_AFTER_MS);
  for (const [crawl, sent] of Map.groupBy(dispatches, ({ message }) => message.crawl)) {
    const soonest = now + Math.min(...sent.map(({ delayMs }) => delayMs));
    if (soonest + STALL_AFTER_MS / 2 > (wakeAt.get(crawl) ?? 0)) {
      await deps.ledger.expectProgress(crawl, soonest + STALL_AFTER_MS);
    }
  }
}
