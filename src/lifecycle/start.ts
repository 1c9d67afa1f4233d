import { type CrawlOptions, DEFAULT_POLITENESS, type Politeness } from "../crawl/crawl-options.ts";
import type { Deps } from "../frontier/deps.ts";
import { guessSitemap } from "../frontier/gather-sitemap.ts";
import { dispatch, dispatchNow } from "../frontier/message.ts";
import { isFull } from "../store/advance.ts";
import type { Moved } from "../store/ledger.ts";
import { hostKey, originOf } from "../url/host-key.ts";

/** How a crawl is set in motion, stopped, and set in motion again. Used by the API and by the heartbeat. */

/** Rows read, and messages sent, at a time while a crawl is set in motion again. */
const RESEND_PAGE = 500;

/** Makes the crawl and sends its seeds. Null when it was to take a schedule's turn that somebody had taken. */
export async function startCrawl(
  options: CrawlOptions,
  deps: Deps,
  schedule?: { id: string; dueAt: number; nextAt: number },
): Promise<string | null> {
  const id = crypto.randomUUID();
  const moved = await deps.ledger.create({
    id,
    options,
    hosts: [...new Set(options.urls.map((url) => new URL(url).host))],
    seeds: options.urls.map((url) => ({
      url,
      kind: "page",
      via: null,
      depth: 0,
      priority: 1,
      redirects: 0,
      chain: 0,
      pattern: null,
      lastmod: null,
    })),
    sitemaps: options.source === "links" ? [] : [...new Set(options.urls.map(originOf))].map(guessSitemap),
    now: deps.clock.now(),
    ...(schedule ? { schedule } : {}),
  });
  if (moved === null) return null;
  await dispatchNow(deps.frontier, { crawl: id, epoch: moved.state?.epoch ?? 1 }, moved);
  return id;
}

/** Sets a paused crawl going, or a running one anew. False when it has ended. */
export async function resumeCrawl(id: string, deps: Deps): Promise<boolean> {
  return resend(await deps.ledger.resume(id, deps.clock.now()), deps);
}

/** Changes the limits of a crawl that has not ended, and sends what they let in. False when it has ended. */
export async function amendCrawl(
  id: string,
  limits: Partial<Pick<CrawlOptions, "limit" | "maxCostUsd">>,
  deps: Deps,
): Promise<boolean> {
  const moved = await deps.ledger.amend(id, limits, deps.clock.now());
  if (moved === null) return false;
  if (moved.state?.status === "running")
    await dispatchNow(deps.frontier, { crawl: id, epoch: moved.state.epoch }, moved);
  return true;
}

/** Sets a stalled crawl going. False when it was not stalled after all. */
export async function repairCrawl(id: string, deps: Deps): Promise<boolean> {
  return resend(await deps.ledger.repair(id, deps.clock.now()), deps);
}

/** Stops a crawl for good. False when it had ended already. */
export async function cancelCrawl(
  id: string,
  as: "cancelled_by_user" | "cancelled_due_to_timeout",
  deps: Deps,
): Promise<boolean> {
  const now = deps.clock.now();
  if (!(await deps.ledger.cancel(id, as, now))) return false;
  await sweepCancelled(id, deps);
  return true;
}

/** Ends what a cancelled crawl left open. May be repeated; a crawl that runs again is left alone. */
export async function sweepCancelled(id: string, deps: Deps): Promise<void> {
  await deps.ledger.retireOpen(id, deps.clock.now());
}

/**
 * Sends every queued URL under the crawl's new epoch, at about the pace at which its host may be asked; the gates put them into their slots
 * as they arrive. What is interrupted here stalls, and is repaired.
 */
async function resend(moved: Moved | null, deps: Deps): Promise<boolean> {
  if (moved === null) return false;
  const { crawl, state } = moved;
  if (state?.status !== "running") return true;
  const now = deps.clock.now();
  if (isFull(state)) await deps.ledger.retireOverLimit(crawl, now);
  const sitemaps = await deps.sitemaps.queued(crawl, now);
  await dispatchNow(deps.frontier, { crawl, epoch: state.epoch }, { queued: [], sitemaps });
  const delayOf = inTurn((await deps.ledger.crawl(crawl))?.options.politeness ?? DEFAULT_POLITENESS);
  for (let after = ""; ; ) {
    const urls = await deps.ledger.queued(crawl, after, RESEND_PAGE, now);
    await dispatch(
      deps.frontier,
      urls.map((url) => ({ crawl, epoch: state.epoch, url, sitemap: false, delayMs: delayOf(url) })),
    );
    const last = urls.at(-1);
    if (last === undefined || urls.length < RESEND_PAGE) return true;
    after = last;
  }
}

/** When each URL's turn is, counted by its host. */
function inTurn({ minDelayMs, maxConcurrencyPerHost }: Politeness): (url: string) => number {
  const turns = new Map<string, number>();
  return (url) => {
    const host = hostKey(url);
    const turn = turns.get(host) ?? 0;
    turns.set(host, turn + 1);
    return Math.ceil((turn * minDelayMs) / maxConcurrencyPerHost);
  };
}
