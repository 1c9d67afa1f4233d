import type { Outcome } from "../../crawl/page/outcome.ts";
import { emptyCommit } from "../../store/ledger/ledger-commit.ts";
import { settleWithheld } from "../commit/settle-withheld.ts";
import { sendSweep } from "../documents/send-document.ts";
import type { DeadLetterDeps } from "../needs.ts";
import { hintTold } from "../visits/notice-hint.ts";
import { dispatchNow, type Hint } from "./message.ts";

/**
 * Settles messages of the dead-letter queue, whose batches failed `max_retries` times. Their URLs are errored, unless
 * the message is of an older epoch: then a newer message speaks for its URLs. A visit is dropped: its row is still due,
 * and the heartbeat sends it again.
 */
export async function settleDeadLetters(hints: Hint[], deps: DeadLetterDeps): Promise<void> {
  const now = deps.clock.now();
  const { crawls, urls } = await deps.ledger.admission(hints, now);
  const known = new Map(crawls.map((crawl) => [crawl.id, crawl]));
  const live = hints.filter(({ crawl, epoch, visit }) => visit === null && known.get(crawl)?.epoch === epoch);
  const commits = [...Map.groupBy(live, ({ crawl }) => crawl)].map(([crawl, group]) => {
    const { page = [], sitemap = [] } = Object.groupBy(group, (hint) => (hint.sitemap ? "sitemap" : "page"));
    const why = known.get(crawl)?.lastFailure?.what ?? null;
    const outcomes = (of: Hint[]) => [...new Set(of.map(({ url }) => url))].map((url) => outcomeOf(url, why, now));
    return {
      ...emptyCommit(crawl),
      outcomes: outcomes(page),
      documents: page.map(({ url }) => url),
      sitemapOutcomes: outcomes(sitemap).map((outcome) => ({ ...outcome, listed: null })),
    };
  });
  if (commits.length === 0) return;
  // The commit forgets documents that wait.
  const waiting = urls.filter(({ document, visit }) => document !== null && visit === null);
  await Promise.all(waiting.map((row) => sendSweep(row, deps)));
  const committed = await deps.ledger.commit(commits, now);
  const moved = await Promise.all(committed.map((each) => settleWithheld(each, deps)));
  await hintTold(deps);
  for (const { crawl, state, ...sent } of moved) {
    if (state?.status === "running") await dispatchNow(deps, { crawl, epoch: state.epoch }, sent);
  }
}

function outcomeOf(url: string, why: string | null, now: number): Outcome {
  const last = why === null ? "" : `, at last because ${why}`;
  const detail = `its batches failed again and again${last}; the Worker's log has the particulars`;
  const answer = { httpStatus: null, title: null, contentType: null, bytes: null, sha256: null };
  const empty = { ...answer, durationMs: null, truncated: null, packed: null, etag: null, lastModified: null };
  return { url, status: "errored", reason: "dead-letter", detail, ...empty, fetchedAt: now };
}
