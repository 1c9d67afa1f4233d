import type { Moved } from "../store/ledger.ts";
import { STALL_AFTER_MS } from "../store/ledger.ts";
import { hostKey } from "../url/host-key.ts";
import type { Admitted } from "./admit.ts";
import type { Deps } from "./deps.ts";
import type { LaneRun } from "./fetch-lane.ts";
import { type Dispatch, dispatch } from "./message.ts";
import type { Work } from "./work.ts";

/** The sixth processor: settles the lanes, which quote the delays, and sends what is to come. */

/** Longer waits for a host that is in trouble stand in the ledger, where they outlast a pause. */
const LONG_WAIT_MS = 900_000;
/** So do longer waits in a host's usual line. Shorter ones are delayed messages, which cost nothing, where a row that waits is written, and indexed, twice. */
const LONG_LINE_MS = 43_200_000;

/** What is to be in a message. */
interface Sending extends Dispatch {
  /** It waits for its turn, and for nothing else. */
  inLine: boolean;
}

export async function schedule(admitted: Admitted, runs: LaneRun[], moved: Moved[], deps: Deps): Promise<void> {
  const sendings = collect(admitted, runs, moved);
  const byHost = Map.groupBy(sendings, ({ url }) => hostKey(url));
  await Promise.all(runs.map((run) => settle(run, byHost.get(run.lane.host) ?? [])));
  // Their gate has quoted these already.
  sendings.push(...admitted.waiting.map(({ work, delayMs, why }) => sendingOf(work, delayMs, why === null)));
  const isLong = ({ delayMs, inLine }: Sending) => delayMs > (inLine ? LONG_LINE_MS : LONG_WAIT_MS);
  const long = sendings.filter(isLong);
  if (long.length > 0) {
    const now = deps.clock.now();
    await deps.waits.postpone(long.map((sending) => ({ ...sending, dueAt: now + sending.delayMs })));
  }
  await dispatch(
    deps.frontier,
    sendings.filter((sending) => !isLong(sending)),
  );
  const reasons = new Map(admitted.waiting.flatMap(({ work, why }) => (why === null ? [] : [[work.row.crawl, why]])));
  for (const [crawl, why] of reasons) await deps.ledger.setWaitingFor(crawl, why);
  await expectProgress(admitted, sendings, moved, deps);
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

/** Where all that a crawl has in motion is due late, its silence until then is no stall. */
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
