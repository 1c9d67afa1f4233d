import { logError } from "../../core/log.ts";
import { describeReason } from "../../crawl/page/reason.ts";
import type { Moved } from "../../store/ledger/ledger.ts";
import { STALL_AFTER_MS } from "../../store/ledger/ledger.ts";
import { hostKey } from "../../url/host-key.ts";
import type { Attempt } from "../attempt.ts";
import type { Deps } from "../deps.ts";
import type { LaneRun } from "../lane/fetch-lane.ts";
import { visitOf, type Work } from "../work.ts";
import type { Waiting } from "./admit.ts";
import { type Dispatch, dispatch } from "./message.ts";

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
  visit: number | null;
  failures: number;
  /** Whether it waits only for the host's usual pace. */
  inLine: boolean;
}

type ScheduleDeps = Pick<Deps, "clock" | "frontier" | "ledger" | "waits">;

/** What was committed together, and what the commit brought. */
interface Done {
  attempts: readonly Attempt[];
  runs: readonly LaneRun[];
  waiting: readonly Waiting[];
  moved: readonly Moved[];
}

export async function schedule(done: Done, deps: ScheduleDeps): Promise<void> {
  const { runs, waiting, moved } = done;
  const collected = collect(done);
  const byHost = Map.groupBy(collected, ({ url }) => hostKey(url));
  const quoted = await Promise.all(runs.map((run) => settleAtGate(run, byHost.get(run.lane.host) ?? [])));
  const quotes = new Map(quoted.flat());
  const sendings = [
    ...collected.map((sending) => ({ ...sending, delayMs: Math.max(sending.delayMs, quotes.get(sending) ?? 0) })),
    // The gates returned these delays when they were asked to admit the URLs.
    ...waiting.map(({ work, delayMs, why }) => sendingOf(work, delayMs, why === null)),
  ];
  const isLong = ({ delayMs, inLine }: Sending) => delayMs > (inLine ? LONG_LINE_MS : LONG_WAIT_MS);
  // A visit that must wait long is sent again by the heartbeat, because its row is still due.
  const long = sendings.filter((sending) => isLong(sending) && sending.visit === null);
  const soon = sendings.filter((sending) => !isLong(sending));
  if (long.length > 0) await postpone(long, deps);
  // What the queue refuses waits in the ledger, too. A URL that was sent and is due has two messages, which is
  // harmless.
  await dispatch(deps, soon).catch(async (error: unknown) => {
    logError("messages-not-sent", error, { crawls: [...new Set(soon.map(({ crawl }) => crawl))], urls: soon.length });
    await postpone(soon, deps);
  });
  const reasons = new Map(waiting.flatMap(({ work, why }) => (why === null ? [] : [[work.row.crawl, why]])));
  for (const each of moved) {
    const why = retryWait(done.attempts, each);
    if (why !== null) reasons.set(each.crawl, why);
  }
  for (const [crawl, why] of reasons) await deps.ledger.setWaitingFor(crawl, why);
  await expectProgress(waiting, sendings, moved, deps);
}

/** Lets the heartbeat send what is due. */
async function postpone(sendings: readonly Sending[], { clock, waits }: ScheduleDeps): Promise<void> {
  const now = clock.now();
  await waits.postpone(sendings.map((sending) => ({ ...sending, dueAt: now + sending.delayMs })));
}

/** What a crawl waits for, in words, if all of its open URLs failed just now and are tried again. Null otherwise. */
function retryWait(attempts: readonly Attempt[], { crawl, state }: Moved): string | null {
  if (state?.status !== "running" || state.sitemaps_open === 1) return null;
  const failed = attempts.filter(({ work, retryDelayMs }) => work.row.crawl === crawl && retryDelayMs !== null);
  const [first] = failed;
  if (first === undefined || failed.length !== state.pending + state.queued) return null;
  const { work, outcome } = first;
  const others = failed.length === 1 ? "" : ` and ${failed.length - 1} more URLs`;
  return `it tries ${work.row.url}${others} again, because attempt ${work.row.attempts + 1} failed: ${describeReason(outcome)}`;
}

/** Frees the host of a lane. Returns, for each next URL, the delay to the slot that its gate books, in milliseconds. */
async function settleAtGate({ driver }: LaneRun, sendings: Sending[]): Promise<[Sending, number][]> {
  const groups = [...Map.groupBy(sendings, ({ crawl, epoch }) => `${crawl} ${epoch}`).values()];
  const sending = groups.flatMap((group) =>
    group.slice(0, 1).map(({ crawl, epoch }) => ({ crawl, epoch, count: group.length })),
  );
  const quotes = await driver.settle(sending);
  return groups.flatMap((group, g) => group.map((sending, i): [Sending, number] => [sending, quotes[g]?.[i] ?? 0]));
}

function collect({ attempts, runs, moved }: Done): Sending[] {
  return [
    ...attempts.flatMap(({ work, retryDelayMs }) =>
      // The attempt was settled, so its batches fail in a row no more.
      retryDelayMs === null ? [] : [{ ...sendingOf(work, retryDelayMs, false), failures: 0 }],
    ),
    ...runs.flatMap((run) => run.unfetched).map((work) => sendingOf(work, 0, true)),
    ...moved.flatMap(({ crawl, queued, sitemaps, state }) => {
      if (state?.status !== "running") return [];
      const { epoch } = state;
      const sending = (sitemap: boolean) => (url: string) => ({
        crawl,
        epoch,
        url,
        sitemap,
        visit: null,
        failures: 0,
        delayMs: 0,
        inLine: true,
      });
      return [...sitemaps.map(sending(true)), ...queued.map(sending(false))];
    }),
  ];
}

function sendingOf(work: Work, delayMs: number, inLine: boolean): Sending {
  const { crawl, url } = work.row;
  const { epoch } = work.context.crawl;
  const { askAlone, inLane, failures } = work.hint;
  const marks = { ...(askAlone === undefined ? {} : { askAlone }), ...(inLane === undefined ? {} : { inLane }) };
  const sitemap = work.kind === "sitemap";
  return { crawl, url, epoch, sitemap, visit: visitOf(work), failures, delayMs, inLine, ...marks };
}

/** Tells the ledger if all messages of a crawl are due late, so that it is not treated as stalled until then. */
async function expectProgress(
  waiting: readonly Waiting[],
  sendings: Sending[],
  moved: readonly Moved[],
  deps: ScheduleDeps,
): Promise<void> {
  const now = deps.clock.now();
  const wakeAt = new Map(waiting.map(({ work }) => [work.row.crawl, work.context.crawl.wakeAt]));
  for (const { crawl } of moved) wakeAt.set(crawl, now + STALL_AFTER_MS);
  for (const [crawl, sent] of Map.groupBy(sendings, ({ crawl }) => crawl)) {
    const soonest = now + Math.min(...sent.map(({ delayMs }) => delayMs));
    if (soonest + STALL_AFTER_MS / 2 > (wakeAt.get(crawl) ?? 0)) {
      await deps.ledger.expectProgress(crawl, soonest + STALL_AFTER_MS);
    }
  }
}
