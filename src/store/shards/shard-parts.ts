import type { Usage } from "../../crawl/bounds/usage.ts";
import type { AmendedLimits, CrawlOptions } from "../../crawl/crawl-options.ts";
import { readOptions } from "../../crawl/crawl-options.ts";
import type { CrawlStatus } from "../../crawl/page/status.ts";
import type { Grant, GrantUse } from "../../crawl/shards/grants.ts";
import type { Parcel } from "../../crawl/shards/parcels.ts";
import type { Shards } from "../../crawl/shards/shards.ts";
import { NOTHING_NEW, planAdvance } from "../ledger/advance.ts";
import { type Moved, STALL_AFTER_MS } from "../ledger/ledger.ts";
import { emptyCommit, planCommit } from "../ledger/ledger-commit.ts";
import { IS_SEEN } from "../ledger/crawl-notes.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";
import { IN_OPEN } from "../ledger/open-crawls.ts";
import { joinPlans, type Plan, runPlan } from "../ledger/plan.ts";
import { planRetry, type Retried, type Retry, RETRY_CHUNK } from "../ledger/retrying.ts";
import { planCancel, planPause, planRenew } from "../ledger/transitions.ts";
import { HAS_LOWERED, NO_DEPTHS } from "../ledger/waiting/lowered.ts";
import { WITHHELD_OPEN } from "../ledger/waiting/withheld-urls.ts";
import { SITEMAPS_OPEN } from "../records/sitemaps.ts";
import { type Intent, isClaimRefused, type NumberedIntent, planClaim } from "./shard-intents.ts";

/** The parts of crawls over several ledgers, in one of these: what they say of themselves, and what changes them. */

/** A part at one moment. */
export interface PartState {
  id: string;
  status: CrawlStatus;
  epoch: number;
  /** Why it waits, for people. */
  waitingFor: string | null;
  /** The last intent that it has applied. */
  intent: number;
  /** Grow with each list that it takes from another part and that may set it working, or leaves for one. */
  taken: number;
  left: number;
  /** Grows with each URL that it gets. */
  discovered: number;
  /** What it has still to do. */
  openUrls: number;
  hasSitemaps: boolean;
  hasWithheld: boolean;
  hasLowered: boolean;
  hasLeft: boolean;
  grant: GrantUse;
  /** Pages of a dry run among those that it has taken. */
  dryPages: number;
  usage: Usage;
  bytes: number;
  /** Whether it has no page because none has changed. */
  isUnchanged: boolean;
}

/** What the home knows of the crawl as a whole. */
export interface HomeState {
  id: string;
  status: CrawlStatus;
  shards: Shards;
  options: CrawlOptions;
  /** When its time limit ends, in milliseconds since the epoch. */
  deadlineAt: number | null;
  grants: Grant[];
  /** The number of the last intent that was written. */
  lastIntent: number;
  /** Whether some part may not have applied all intents, or may not be there. */
  isWaited: boolean;
}

const STATE = `
SELECT id, status, epoch, notes ->> '$.waitingFor' AS waitingFor, p.intent, p.taken, p.left_behind AS "left",
  discovered, pending + queued AS openUrls, ${SITEMAPS_OPEN} AS hasSitemaps, ${WITHHELD_OPEN} AS hasWithheld, ${HAS_LOWERED} AS hasLowered,
  EXISTS (SELECT 1 FROM shard_outbox WHERE crawl = ?1) AS hasLeft,
  page_limit AS pageLimit, p.grant_number AS number, dry_pages AS dryPages, taken_pages AS takenPages, pages_moving AS moving, pages_waiting AS waiting,
  usage, bytes, iif(taken_pages = 0 AND pending + queued = 0, ${NOTHING_NEW}, 0) AS isUnchanged
FROM shard_parts p CROSS JOIN crawls ON id = p.crawl WHERE p.crawl = ?1 AND deleting_at IS NULL`;

interface StateRow extends Pick<PartState, "id" | "status" | "epoch" | "waitingFor" | "intent" | "taken" | "left"> {
  discovered: number;
  openUrls: number;
  hasSitemaps: number;
  hasWithheld: number;
  hasLowered: number;
  hasLeft: number;
  pageLimit: number;
  number: number;
  takenPages: number;
  moving: number;
  waiting: number;
  usage: string;
  bytes: number;
  isUnchanged: number;
  dryPages: number;
}

const HOME = `
SELECT c.id, c.status, c.notes -> '$.shards' AS shards, c.options, c.deadline_at AS deadlineAt, p.grants,
  (SELECT max(number) FROM shard_intents i WHERE i.crawl = p.crawl) AS lastIntent,
  EXISTS (SELECT 1 FROM shard_intents i WHERE i.crawl = p.crawl AND is_done = 0) AS isWaited
FROM shard_parts p CROSS JOIN crawls c ON c.id = p.crawl
WHERE p.home = p.crawl AND c.deleting_at IS NULL`;

interface HomeRow extends Pick<HomeState, "id" | "status" | "deadlineAt" | "lastIntent"> {
  shards: string;
  options: string;
  grants: string;
  isWaited: number;
}

/** Takes pages from a grant only as far as they are neither taken nor in motion. */
const GRANT = `
UPDATE crawls SET page_limit = max(?2, min(page_limit, taken_pages + pages_moving))
WHERE id = ?1 AND EXISTS (SELECT 1 FROM shard_parts WHERE crawl = ?1 AND grant_number < ?3)`;
const COUNT_GRANT = "UPDATE shard_parts SET grant_number = ?2 WHERE crawl = ?1 AND grant_number < ?2";

const END = `
UPDATE crawls SET status = ?2, finished_at = ?3, updated_at = ?3, paused_at = NULL WHERE id = ?1 AND status IN ('running', 'paused')`;

/** As `planRetry` sets a crawl running that has ended. */
const REOPEN = `
UPDATE crawls SET epoch = epoch + 1, paused_ms = paused_ms + max(0, coalesce(?2 - max(finished_at, coalesce(started_at, ?2)), 0)),
  finished_at = NULL, deadline_at = CASE WHEN ${IS_SEEN} AND options ->> 'maxDurationS' > 0 THEN ?2 + 1000 * (options ->> 'maxDurationS') END,
  status = 'running', updated_at = ?2, patience_ms = ?3, wake_at = max(wake_at, ?2 + ?3)
WHERE id = ?1 AND status NOT ${IN_OPEN} AND deleting_at IS NULL`;

const AMEND = `
UPDATE crawls SET options = json_patch(options, ?2), updated_at = ?3,
  deadline_at = CASE WHEN NOT ${IS_SEEN} OR ?2 ->> 'maxDurationS' IS NULL THEN deadline_at
    WHEN ?2 ->> 'maxDurationS' > 0 THEN ?3 + 1000 * (?2 ->> 'maxDurationS') END
WHERE id = ?1`;

const TAKE = "UPDATE shard_parts SET taken = taken + 1 WHERE crawl = ?1";

export class ShardParts extends LedgerStore {
  /** Null if there is no such part, or not yet, or it is being deleted. */
  async state(part: string): Promise<PartState | null> {
    const row = await this.first<StateRow>(STATE, [part]);
    if (row === null) return null;
    const { pageLimit, number, takenPages, moving, waiting, usage, isUnchanged, ...rest } = row;
    const hasSitemaps = row.hasSitemaps === 1;
    const hasWithheld = row.hasWithheld === 1;
    return {
      ...rest,
      ...{ hasSitemaps, hasWithheld, hasLowered: row.hasLowered === 1, hasLeft: row.hasLeft === 1 },
      grant: { pageLimit, number, taken: takenPages, moving, waiting, wantsMore: hasSitemaps || hasWithheld },
      usage: JSON.parse(usage) as Usage,
      isUnchanged: isUnchanged === 1,
    };
  }

  /** Null if the crawl does not exist, is being deleted, or is no home. */
  async home(id: string): Promise<HomeState | null> {
    const row = await this.first<HomeRow>(`${HOME} AND p.crawl = ?1`, [id]);
    return row === null ? null : toHome(row);
  }

  /** The homes in this ledger of crawls that go on, or of which a part has something to apply. */
  async homes(): Promise<HomeState[]> {
    const rows = await this.all<HomeRow>(`${HOME} AND (c.status ${IN_OPEN} OR isWaited)`);
    return rows.map(toHome);
  }

  /** The homes in this ledger that are being deleted, whose parts may not be. `deletingAt`: when its rows may go. */
  async homesToDelete(): Promise<{ shards: Shards; deletingAt: number }[]> {
    const rows = await this.all<{ shards: string; deletingAt: number }>(
      `SELECT c.notes -> '$.shards' AS shards, c.deleting_at AS deletingAt FROM shard_parts p CROSS JOIN crawls c ON c.id = p.crawl
       WHERE p.home = p.crawl AND p.intent >= 0 AND c.deleting_at IS NOT NULL`,
    );
    return rows.map(({ shards, deletingAt }) => ({ shards: JSON.parse(shards) as Shards, deletingAt }));
  }

  /** Lets the row of a home go with its other rows: its parts are being deleted. */
  async letHomeGo(home: string): Promise<void> {
    const isDeleted = "EXISTS (SELECT 1 FROM crawls WHERE id = ?1 AND deleting_at IS NOT NULL)";
    await this.run(`UPDATE shard_parts SET intent = -1 WHERE crawl = ?1 AND ${isDeleted}`, [home]);
  }

  /** Takes what another part has found. May be repeated. */
  async take(part: string, parcel: Parcel, hasDepthLimit: boolean, now: number): Promise<Moved> {
    const { discoveries, sitemaps, hosts: joinedHosts } = parcel;
    const depths = hasDepthLimit ? NO_DEPTHS : null;
    const commit = { ...emptyCommit(part), discoveries, sitemaps, joinedHosts, depths };
    // A list that brings neither a URL, which `discovered` counts, nor this sets nothing working.
    const counted = sitemaps.length > 0 || hasDepthLimit ? [this.db.prepare(TAKE).bind(part)] : [];
    const counting: Plan<undefined> = { statements: counted, read: () => undefined };
    const taking = planCommit(this.db, commit, now, STALL_AFTER_MS);
    const [moved] = await runPlan(
      this.db,
      joinPlans<Awaited<ReturnType<typeof taking.read>> | undefined>([taking, counting]),
    );
    if (moved === undefined) throw new Error("a transaction without an answer");
    return { crawl: part, ...moved };
  }

  /**
   * Writes the next intent of a crawl. Null if the crawl is deleted, or its home has none of these states. `after`: the
   * last intent that there may be; absent: any.
   */
  async write(
    home: string,
    intent: Intent,
    among: readonly CrawlStatus[] | null,
    after?: number,
  ): Promise<number | null> {
    const row = await this.first<{ number: number }>(
      `INSERT INTO shard_intents (crawl, number, body)
       SELECT id, 1 + (SELECT max(number) FROM shard_intents WHERE crawl = ?1), ?2 FROM crawls
       WHERE id = ?1 AND deleting_at IS NULL AND (?3 IS NULL OR status IN (SELECT value FROM json_each(?3)))
         AND (?4 IS NULL OR ?4 = (SELECT max(number) FROM shard_intents WHERE crawl = ?1))
       RETURNING number`,
      [home, JSON.stringify(intent), among === null ? null : JSON.stringify(among), after ?? null],
    );
    return row?.number ?? null;
  }

  /** The intents after this number, in order. */
  async intents(home: string, after: number): Promise<NumberedIntent[]> {
    const rows = await this.all<{ number: number; body: string }>(
      "SELECT number, body FROM shard_intents WHERE crawl = ?1 AND number > max(0, ?2) ORDER BY number",
      [home, after],
    );
    return rows.map(({ number, body }) => ({ number, intent: JSON.parse(body) as Intent }));
  }

  /** Notes that all parts have applied the intents up to this one. */
  async noteDone(home: string, upTo: number): Promise<void> {
    await this.run("UPDATE shard_intents SET is_done = 1 WHERE crawl = ?1 AND number <= ?2 AND is_done = 0", [
      home,
      upTo,
    ]);
  }

  /**
   * Applies an intent that sends nothing, or sends what moves up. False if the part has applied it, or is not there.
   * `retry` is applied by `reopen` and `retryChunk`.
   */
  async apply(part: string, { number, intent }: NumberedIntent, now: number): Promise<Moved | false> {
    const isDone = await this.#claiming(part, number, true, this.#plan(part, intent, now));
    if (isDone === null) return false;
    return { crawl: part, settled: [], ...(await runPlan(this.db, planAdvance(this.db, part, now))) };
  }

  #plan(part: string, intent: Intent, now: number): Plan<unknown> {
    const one = (sql: string, ...values: unknown[]): Plan<unknown> => ({
      statements: [this.db.prepare(sql).bind(part, ...values)],
      read: () => undefined,
    });
    switch (intent.kind) {
      case "pause":
        return planPause(this.db, part, { reason: intent.reason, resumeAt: null }, now);
      case "resume":
        return planRenew(this.db, part, "open", now, STALL_AFTER_MS);
      case "cancel":
        return planCancel(this.db, part, intent.as, now);
      case "amend":
        return one(AMEND, JSON.stringify(intent.limits satisfies AmendedLimits), now);
      case "end":
        return one(END, intent.as, now);
      case "retry":
        return one(REOPEN, now, STALL_AFTER_MS);
    }
  }

  /**
   * Whether a part has something to retry: such URLs or sitemaps, or, if it was cancelled, what it had found for others
   * or had to look at again.
   */
  async hasToRetry(part: string, { status, reason }: Omit<Retry, "limit">): Promise<boolean> {
    const of = (table: string) =>
      `EXISTS (SELECT 1 FROM ${table} WHERE crawl = ?1 AND status = ?2 AND (?3 IS NULL OR reason = ?3))`;
    const row = await this.first<{ has: number }>(
      `SELECT ${of("urls")} OR ${of("sitemaps")} OR (?2 = 'cancelled' AND c.status NOT ${IN_OPEN}
         AND (EXISTS (SELECT 1 FROM shard_outbox WHERE crawl = ?1) OR ${HAS_LOWERED})) AS has
       FROM crawls c WHERE c.id = ?1`,
      [part, status, reason],
    );
    return row?.has === 1;
  }

  /** Sets a part running for the retry with this number. May be repeated; false if it has applied the retry. */
  async reopen(part: string, { number, intent }: NumberedIntent, now: number): Promise<boolean> {
    return (await this.#claiming(part, number, false, this.#plan(part, intent, now))) !== null;
  }

  /** The next chunk of that retry, after this URL. Null if the part has applied the retry, or is not there. */
  async retryChunk(
    part: string,
    { number, intent }: NumberedIntent,
    after: string,
    now: number,
  ): Promise<Retried | null> {
    if (intent.kind !== "retry") return null;
    const chunk = { ...intent.retry, limit: null, crawl: part, after, most: RETRY_CHUNK };
    return this.#claiming(part, number, false, planRetry(this.db, chunk, now, STALL_AFTER_MS));
  }

  /** Notes that a part has applied the retry with this number. */
  async finishRetry(part: string, { number }: NumberedIntent): Promise<void> {
    await this.#claiming(part, number, true, { statements: [], read: () => undefined });
  }

  async #claiming<T>(part: string, number: number, isLast: boolean, plan: Plan<T>): Promise<T | null> {
    const claim = planClaim(this.db, part, number, isLast);
    try {
      const [isThere, done] = await runPlan(this.db, joinPlans<boolean | T>([claim, plan]));
      return isThere === true ? (done as T) : null;
    } catch (error) {
      if (isClaimRefused(error)) return null;
      throw error;
    }
  }

  /** Replaces the notes of grants. False if somebody else has. */
  async noteGrants(home: string, before: readonly Grant[], after: readonly Grant[]): Promise<boolean> {
    const sql = "UPDATE shard_parts SET grants = ?3 WHERE crawl = ?1 AND grants = ?2";
    const { meta } = await this.run(sql, [home, JSON.stringify(before), JSON.stringify(after)]);
    return meta.changes > 0;
  }

  /** Applies a change of a grant, unless the part has a newer one. */
  async grant(part: string, { target, number }: Grant, now: number): Promise<Moved> {
    const granting: Plan<undefined> = {
      statements: [this.db.prepare(GRANT).bind(part, target, number), this.db.prepare(COUNT_GRANT).bind(part, number)],
      read: () => undefined,
    };
    await runPlan(this.db, granting);
    return { crawl: part, settled: [], ...(await runPlan(this.db, planAdvance(this.db, part, now))) };
  }
}

function toHome({ shards, options, grants, isWaited, ...row }: HomeRow): HomeState {
  return {
    ...row,
    shards: JSON.parse(shards) as Shards,
    options: readOptions(options),
    grants: JSON.parse(grants) as Grant[],
    isWaited: isWaited === 1,
  };
}
