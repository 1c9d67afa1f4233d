import { logWarning } from "../../../core/log.ts";
import { keepsArchive } from "../../../crawl/crawl-options.ts";
import { hostOf } from "../../../url/host-key.ts";
import type { Attempt } from "../../attempt.ts";
import type { Deps } from "../../deps.ts";
import type { PageWork } from "../../work.ts";
import type { Recommit } from "../feature.ts";
import { isLimited, overHostLimitAttempt } from "./over-host-limit.ts";

/**
 * Keeps the page limits for hosts where lanes did not know of each other: a lane that outlived its lease, and documents
 * that were read at the same time. The ledger refuses a commit with too many pages of a host; then those that are too
 * many end here, without their links, and the commit is made again.
 */

/** The attempts, with an end instead of each page for which its host has no room. */
export async function turnAway(
  attempts: readonly Attempt[],
  deps: Pick<Deps, "ledger" | "mirror" | "clock">,
): Promise<Recommit> {
  const turned = new Map<Attempt, Attempt>();
  const now = deps.clock.now();
  const limited = attempts.flatMap((attempt) =>
    isLimited(attempt.work) && attempt.outcome.status === "completed" ? [{ attempt, work: attempt.work }] : [],
  );
  for (const [crawl, own] of Map.groupBy(limited, ({ work }) => work.row.crawl)) {
    const hosts = Map.groupBy(own, ({ work }) => hostOf(work.row.url));
    // The counts come first. A page that settles between the two readings is then in neither, and the commit may fail
    // once more; in both, it would take the place of another page.
    const counts = await deps.ledger.hostPages(crawl, [...hosts.keys()]);
    const queued = await queuedOf(
      own.map(({ work }) => work),
      deps,
    );
    for (const [host, pages] of hosts) {
      const open = pages.filter(({ work }) => queued.has(work.row.url));
      const limit = open[0]?.work.context.crawl.options.limitPerHost ?? 0;
      const room = Math.max(0, limit - (counts.get(host) ?? 0));
      for (const { attempt, work } of open.slice(room)) turned.set(attempt, overHostLimitAttempt(work, now));
    }
  }
  return {
    attempts: attempts.map((attempt) => turned.get(attempt) ?? attempt),
    afterwards: () => removeTurnedAway([...turned.keys()], deps),
  };
}

/** The URLs of those whose rows are still queued. The others change nothing in a commit. */
async function queuedOf(
  works: readonly PageWork[],
  { clock, ledger }: Pick<Deps, "clock" | "ledger">,
): Promise<Set<string>> {
  const keys = works.map(({ row: { crawl, url } }) => ({ crawl, url, sitemap: false, visit: null }));
  const { urls } = await ledger.admission(keys, clock.now());
  return new Set(urls.map(({ url }) => url));
}

/**
 * Removes the mirror's files of pages that were turned away. To be called after their commit, because another consumer
 * may have completed one of them.
 */
async function removeTurnedAway(
  turned: readonly Attempt[],
  { ledger, mirror }: Pick<Deps, "ledger" | "mirror">,
): Promise<void> {
  const rows = turned.flatMap(({ work }) => (keepsArchive(work.context.crawl.options) ? [] : [work.row]));
  for (const [crawl, own] of Map.groupBy(rows, ({ crawl }) => crawl)) {
    try {
      const ended = await ledger.overHostLimit(
        crawl,
        own.map(({ url }) => url),
      );
      await mirror.remove(crawl, ended);
    } catch (error) {
      // They are removed with their crawl.
      logWarning("files-not-removed", { crawl, error: String(error) });
    }
  }
}
