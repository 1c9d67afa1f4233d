import type { Moved } from "../store/ledger.ts";
import { STALL_AFTER_MS } from "../store/ledger.ts";
import { hostKey } from "../url/host-key.ts";
import type { Admitted } from "./admit.ts";
import type { Deps } from "./deps.ts";
import type { LaneRun } from "./fetch-lane.ts";
import { type Dispatch, dispatch } from "./message.ts";
import type { Work } from "./work.ts";

/** The sixth stage: settles the lanes, gets delays from their gates, and sends the next URLs. */

/** The ledger stores a longer wait for a failing host, where it survives a pause. */
const LONG_WAIT_MS = 900_000;
/**
 * The ledger also stores a longer wait for a host's usual pace. A shorter wait is a delayed message, which is free,
 * while a waiting row is written and indexed twice.
 */
const LONG_LINE_MS = 43_200_000;

/** A URL to send. */
interface Sending extends Dispatch {
  /** Whether it waits only for the host's usual pace. */
  inLine: boolean;
}

export async function schedule(admitted: Admitted, runs: LaneRun[], moved: Moved[], deps: Deps): Promise<void> {
  const collected = collect(admitted, runs, moved);
  const byHost = Map.groupBy(collected, ({ url }) => hostKey(url));
  const quoted = await Promise.all(runs.map((run) => settle(run, byHost.get(run.lane.host) ?? [])));
  const quotes = new Map(quoted.flat());
  const sendings = [
    ...collected.map((sending) => ({ ...sending, delayMs: Math.max(sending.delayMs, quotes.get(sending) ?? 0) })),
    // The gates returned these delays when they were asked to admit the URLs.
    ...admitted.waiting.map(({ work, delayMs, why }) => sendingOf(work, delayMs, why === null)),
  ];
  const isLong = ({ delayMs, inLine }: Sending) => delayMs > (inLine ? LONG_LINE_MS : LONG_WAIT_MS);
  const long = sendings.filter(isLong);
  if (long.length > 0) {
    const now = deps.clock.now();
    await deps.waits.postpone(long.map((sending) => ({ ...sending, dueAt: now + sending.delayMs })));
  }
  await dispatch(
    deps,
    sendings.filter((sending) => !isLong(sending)),
  );
  const reasons = new Map(admitted.waiting.flatMap(({ work, why }) => (why === null ? [] : [[work.row.crawl, why]])));
  for (const [crawl, why] of reasons) await deps.ledger.setWaitingFor(crawl, why);
  await expectProgress(admitted, sendings, moved, deps);
}

/** Frees the host of a lane. Returns, for each next URL, the delay to the slot that its gate books, in milliseconds. */
export async function settle(
  { lane, report }: Pick<LaneRun, "lane" | "report">,
  sendings: Sending[],
): Promise<[Sending, number][]> {
  const groups = [...Map.groupBy(sendings, ({ crawl, epoch }) => `${crawl} ${epoch}`).values()];
  const quotes = await lane.gate.settle({
    ...report,
    sending: groups.flatMap((group) =>
      group.slice(0, 1).map(({ crawl, epoch }) => ({ crawl, epoch, count: group.length })),
    ),
    policy: lane.policy,
    crawlDelayMs: lane.grant.pace.crawlDelayMs,
  });
  return groups.flatMap((group, g) => group.map((sending, i): [Sending, number] => [sending, quotes[g]?.[i] ?? 0]));
}

function collect(admitted: Admitted, runs: LaneRun[], moved: Moved[]): Sending[] {
  const attempts = [...admitted.decided, ...runs.flatMap((run) => run.attempts)];
  return [
    ...attempts.flatMap(({ work, retryDelayMs }) =>
      retryDelayMs === null ? [] : [sendingOf(work, retryDelayMs, false)],
    ),
    ...runs.flatMap((run) => run.unfetched).map((work) => sendingOf(work, 0, true)),
    ...moved.flatMap(({ crawl, queued, sitemaps, state }) => {
      if (state?.status !== "running") return [];
      const { epoch } = state;
      const sending = (sitemap: boolean) => (url: string) => ({ crawl, epoch, url, sitemap, delayMs: 0, inLine: true });
      return [...queued.map(sending(false)), ...sitemaps.map(sending(true))];
    }),
  ];
}

function sendingOf({ kind, row: { crawl, url }, context }: Work, delayMs: number, inLine: boolean): Sending {
  return { crawl, url, epoch: context.crawl.epoch, sitemap: kind === "sitemap", delayMs, inLine };
}

/** Tells the ledger if all messages of a crawl are due late, so that it is not treated as stalled until then. */
async function expectProgress(admitted: Admitted, sendings: Sending[], moved: Moved[], deps: Deps): Promise<void> {
  const now = deps.clock.now();
  const wakeAt = new Map(admitted.waiting.map(({ work }) => [work.row.crawl, work.context.crawl.wakeAt]));
  for (const { crawl } of moved) wakeAt.set(crawl, now + STALL_AFTER_MS);
  for (const [crawl, sent] of Map.groupBy(sendings, ({ crawl }) => crawl)) {
    const soonest = now + Math.min(...sent.map(({ delayMs }) => delayMs));
    if (soonest + STALL_AFTER_MS / 2 > (wakeAt.get(crawl) ?? 0)) {
      await deps.ledger.expectProgress(crawl, soonest + STALL_AFTER_MS);
    }
  }
}
