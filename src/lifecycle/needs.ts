import type { Deps, RoomDeps } from "../frontier/deps.ts";
import type { LedgersDeps } from "../frontier/ledgers.ts";
import type { ShardDeps, WithheldDeps } from "../frontier/needs.ts";
import type { PassRuns } from "../passes/needs.ts";

/**
 * What this room uses. A function takes one of these, or names its members. The heartbeat takes all of
 * `Deps`.
 */

/** Changes a crawl's row. */
export type RowDeps = Pick<Deps, "ledger" | "clock">;

/** Changes a crawl, and sends what that sets in motion. */
export type SendDeps = RowDeps & Pick<Deps, "frontier">;

/** Sends a crawl if the database has room. */
export type StartDeps = SendDeps & RoomDeps;

/** Puts a new crawl into the ledger with the most room. */
export type NewCrawlDeps = StartDeps & PartDeps & Pick<Deps, "schedules">;

/** Makes the parts of a crawl over several ledgers. */
export type PartDeps = SendDeps & LedgersDeps & Pick<Deps, "shardParts">;

/** Sends the queued URLs of a crawl again, without those that rules hold back. */
export type ResendDeps = WithheldDeps & Pick<Deps, "motion" | "sitemaps" | "gate">;

/** Steers all parts of a crawl over several ledgers. */
export type SteerDeps = ShardDeps & ResendDeps;

/** Starts the crawls of schedules. */
export type ScheduleDeps = NewCrawlDeps;

/** Takes up URLs that the owner of a host submits. */
export type SubmissionDeps = SendDeps & LedgersDeps & Pick<Deps, "indexnow" | "signals" | "seen" | "watchHosts">;

/** Sends the visits of watches, and surveys them. */
export type VisitDeps = Pick<Deps, "dueVisits" | "surveys" | "signals" | "frontier" | "clock">;

/** Removes deleted crawls. */
export type RemoveDeps = PassRuns &
  LedgersDeps &
  Pick<Deps, "deletions" | "mirror" | "packs" | "roomNotes" | "clock" | "shardParts">;
