import { dispatch, dispatchNow } from "../frontier/batch/message.ts";
import { settleWithheld } from "../frontier/commit/settle-withheld.ts";
import { isFull } from "../store/ledger/advance.ts";
import type { Moved } from "../store/ledger/ledger.ts";
import type { MovingRows } from "../store/ledger/motion.ts";
import type { ResendDeps } from "./needs.ts";
import { spreadByHost } from "./spread-by-host.ts";

/** Rows read at a time when a crawl is sent again. */
const RESEND_ROWS = 10_000;

/**
 * Sends every queued URL that is due under the crawl's new epoch, at about its host's pace; the gates give exact slots
 * when the messages arrive. URLs that are not sent because of an interruption stall, and are repaired.
 */
export async function sendAgain(renewed: Moved | null, deps: ResendDeps): Promise<boolean> {
  if (renewed === null) return false;
  const { crawl, state } = await settleWithheld(renewed, deps);
  if (state?.status !== "running") return true;
  const now = deps.clock.now();
  if (isFull(state)) await deps.ledger.retireOverLimit(crawl, now);
  const sitemaps = await deps.sitemaps.queued(crawl, now);
  await dispatchNow(deps, { crawl, epoch: state.epoch }, { queued: [], sitemaps });
  let sent = sitemaps.length;
  const row = await deps.ledger.crawl(crawl);
  if (row === null) return true;
  const spread = spreadByHost(row, deps);
  for (let after: string | null = ""; after !== null; ) {
    const { rows, last }: MovingRows = await deps.motion.pages(crawl, after, RESEND_ROWS, now);
    const delays = await spread(rows.map(({ url }) => url));
    await dispatch(
      deps,
      rows.map(({ url }, i) => ({ crawl, epoch: state.epoch, url, sitemap: false, delayMs: delays[i] ?? 0 })),
    );
    sent += rows.length;
    after = last;
  }
  if (sent === 0) await deps.ledger.expectDue(crawl);
  return true;
}
