import { BEFORE_NEXT_BEAT_MS, systemClock } from "../core/clock.ts";
import { logError, logInfo, logWarning } from "../core/log.ts";
import { SOFTWARE } from "../core/version.ts";
import type { NoticeRequest } from "../fetch/request/post-notice.ts";
import type { Deps } from "../frontier/deps.ts";
import { atLedger, type LedgersDeps } from "../frontier/ledgers.ts";
import { hintReceivers, type NoticeHint } from "../frontier/visits/notice-hint.ts";
import { SealProblem } from "../store/installation/seal.ts";
import type { ClaimedDelivery, DeliveryResult } from "../store/notices/deliveries.ts";
import { nextAttemptAt } from "./backoff.ts";
import { firecrawlBody, type PageSource } from "./firecrawl-notice.ts";
import { firecrawlSignature, signedHeaders } from "./notice-signature.ts";
import { renderNotice } from "./render-notice.ts";

/** Delivers what is due in the outbox, to one receiver at a time. */

/** Attempts to one receiver at once, over all invocations. An invocation on Cloudflare has six connections. */
const AT_ONCE = 5;
/** Real time. An attempt takes at most 15 s, so a longer one is dead. */
const LEASE_MS = 60_000;
/** Rounds of one invocation, with two calls to D1 each: the free plan allows 50. */
const MAX_ROUNDS = 20;
/** After so many attempts and three days, what never ends is given up. What merely slept gets another attempt. */
const LOST_ATTEMPTS = 10;

type Sender = Pick<
  Deps,
  "deliveries" | "ledgerNumber" | "notices" | "postNotice" | "sealedValues" | "clock" | "random"
> &
  PageSource;

/**
 * Handles a batch of the queue of notices. Hints of another version are dropped, and a failure is logged: the heartbeat
 * finds what is due. `elsewhere` delivers from a ledger in another invocation.
 */
export async function deliverNotices(
  batch: Pick<MessageBatch<NoticeHint>, "messages">,
  deps: Sender & LedgersDeps & Pick<Deps, "meter">,
  elsewhere: (receiver: string, ledger: number) => Promise<void> = (receiver, ledger) =>
    deliverTo(receiver, atLedger(deps, ledger)),
): Promise<void> {
  // One invocation; and for each message, one read and one delete.
  deps.meter.add({ workerRequests: 1, queueOperations: 2 * batch.messages.length });
  const hints = batch.messages.map(({ body }) => body).filter(({ v }) => v === 1);
  const places = new Map(hints.map(({ receiver, ledger = 0 }) => [`${ledger} ${receiver}`, { receiver, ledger }]));
  await Promise.all(
    [...places.values()].map(async ({ receiver, ledger }) => {
      try {
        await elsewhere(receiver, ledger);
      } catch (error) {
        logError("notices-not-delivered", error, { ledger });
      }
    }),
  );
}

/**
 * Delivers what is due to a receiver, AT_ONCE at a time. It stops when nothing is due or when all attempts of a round
 * fail: the receiver is in trouble, and what is left is tried with its retries or by the heartbeat.
 */
export async function deliverTo(receiver: string, deps: Sender): Promise<void> {
  const { deliveries, clock } = deps;
  const counts = { delivered: 0, retried: 0, givenUp: 0 };
  /** The retries that are due before the next heartbeat: it does not see them in time. */
  let retryAt = 0;
  const finish = async (delayMs: number | null) => {
    if (delayMs !== null) await hintReceivers(deps, [{ receiver, delayMs }]);
    if (Object.values(counts).some((count) => count > 0)) logInfo("notices", counts);
  };
  const untilRetry = () => (retryAt === 0 ? null : Math.max(0, retryAt - clock.now()));
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const claimed = await deliveries.claim(receiver, AT_ONCE, LEASE_MS * clock.speed, clock.now());
    if (claimed.length === 0) return finish(untilRetry());
    const results = await Promise.all(claimed.map((one) => attempt(one, deps)));
    await deliveries.settle(results, clock.now());
    for (const { end, claimed } of results) {
      if (end === "delivered") counts.delivered += 1;
      else if (typeof end === "object") counts.retried += 1;
      else {
        counts.givenUp += 1;
        logWarning("notice-given-up", { crawl: claimed.crawl, id: claimed.id });
      }
      if (typeof end === "object" && end.retryAt - clock.now() < BEFORE_NEXT_BEAT_MS * clock.speed)
        retryAt = Math.max(retryAt, end.retryAt);
    }
    if (results.every(({ end }) => end !== "delivered")) return finish(untilRetry());
  }
  await finish(0);
}

async function attempt(claimed: ClaimedDelivery, deps: Sender): Promise<DeliveryResult> {
  const { url, attempts, giveUpAt } = claimed;
  if (attempts > LOST_ATTEMPTS && deps.clock.now() > giveUpAt)
    return { claimed, end: "given-up", httpStatus: null, detail: "its attempts were interrupted for three days" };
  const opened = await deps.sealedValues.openWebhook(claimed).catch(asSealProblem);
  const { status, retryAfterMs, detail } =
    opened instanceof SealProblem
      ? { status: null, retryAfterMs: null, detail: opened.message }
      : await deps.postNotice({ url, ...(await signed(opened, deps)) });
  const result = { claimed, httpStatus: status, detail };
  if (detail === null) return { ...result, end: "delivered" };
  if (status === 410) return { ...result, end: "gone" };
  const retryAt = nextAttemptAt({ attempts, giveUpAt, retryAfterMs }, deps.clock.now(), deps.random());
  return { ...result, end: retryAt === null ? "given-up" : { retryAt } };
}

function asSealProblem(error: unknown): SealProblem {
  if (error instanceof SealProblem) return error;
  throw error;
}

async function signed(claimed: ClaimedDelivery, deps: Sender): Promise<Omit<NoticeRequest, "url">> {
  const { id, secret, style } = claimed;
  // Real time on any clock: the receiver compares it with its own.
  const timestampS = Math.floor(systemClock.now() / 1_000);
  const { headers: ofStyle, body } = await inStyle(claimed, deps);
  const headers = {
    "content-type": "application/json",
    ...ofStyle,
    "user-agent": SOFTWARE,
    ...(await signedHeaders(secret, { id, timestampS, body })),
    ...(style !== null && "job" in style ? { "x-firecrawl-signature": await firecrawlSignature(secret, body) } : {}),
  };
  return { headers, body };
}

/** The notice in the form that its webhook asks for. */
async function inStyle(
  claimed: ClaimedDelivery,
  deps: Sender,
): Promise<{ headers: Record<string, string>; body: string }> {
  const { style, body } = claimed;
  if (style === null) return { headers: {}, body };
  if (!("job" in style)) return renderNotice(claimed, style);
  return {
    headers: { ...style.headers, "content-type": "application/json" },
    body: await firecrawlBody(claimed, style, deps),
  };
}
