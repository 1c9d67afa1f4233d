import { takeTurn } from "../../core/turns.ts";
import type {
  Crawl,
  Discovery,
  Purpose,
  QueuedSitemap,
  QueuedUrl,
  Reading,
  SitemapDiscovery,
} from "../../crawl/crawl.ts";
import { type AmendedLimits, type CrawlOptions, hasTopic, isPrivate } from "../../crawl/crawl-options.ts";
import { readPair } from "../../crawl/list-cursor.ts";
import { firstGrants } from "../../crawl/shards/grants.ts";
import { ledgerOf } from "../../crawl/crawl-id.ts";
import { splitParcels } from "../../crawl/shards/parcels.ts";
import type { Shards } from "../../crawl/shards/shards.ts";
import type { Watch } from "../../crawl/watch/watch.ts";
import type { Refusal } from "../../scope/refusal.ts";
import type { ScheduleRun } from "../installation/schedules.ts";
import { documentOf, toDocument } from "../mirror/waiting-documents.ts";
import { planTellingStart, receiversOf } from "../notices/outbox.ts";
import { planWebhook } from "../notices/webhooks.ts";
import { fitting } from "../records/fitting.ts";
import { toStoredText } from "../records/stored-text.ts";
import { type Left, planLeaving } from "../shards/shard-outbox.ts";
import { hasIntent, planPart as planShardPart } from "../shards/shard-intents.ts";
import { planVisitAdmission, toVisitedUrl, type VisitRow } from "../watches/due-visits.ts";
import { IS_READ_AGAIN } from "../watches/readings.ts";
import { CANCELLED, type OpenPlace, OVER_LIMIT, planRetire, type Retirement } from "../watches/retiring.ts";
import { type Advance, planAdvance } from "./advance.ts";
import { findReturns, type Return } from "./asking-again.ts";
import { LISTED, sortContents } from "./contents.ts";
import { type CrawlNotes, IS_SEEN, isPart } from "./crawl-notes.ts";
import { type CrawlRow, toCrawl } from "./crawl-row.ts";
import { FULL_HOSTS, HOST_PAGES, OVER_HOST_LIMIT } from "./host-pages.ts";
import {
  type CrawlCommit,
  EXAMPLES_KEPT,
  emptyCommit,
  leadingOf,
  planCommit,
  planPart,
  planPortion,
  type Results,
  type Settled,
  splitCommit,
} from "./ledger-commit.ts";
import { LedgerStore } from "./ledger-store.ts";
import { joinPlans, nameTransaction, type Plan, runPlan } from "./plan.ts";
import { planRetry, type Retried, type Retry, RETRY_CHUNK } from "./retrying.ts";
import { ALL_URLS, readInWindows, type UrlRange } from "./row-windows.ts";
import {
  type CancelledStatus,
  isStalled,
  planAmend,
  planCancel,
  planPause,
  planRenew,
  planVisitAll,
  planWatch,
} from "./transitions.ts";
import { IN_BACKLOG } from "./waiting/backlog.ts";
import { WithheldUrls } from "./waiting/withheld-urls.ts";
import { IN_OPEN } from "./open-crawls.ts";

/**
 * The ledger: one row per crawl, one per (crawl, URL), exact counters. The ledger decides; queue messages are only
 * hints.
 */

/**
 * A running crawl without progress for this long after its expected time is stalled, and is repaired. After a repair it
 * is twice as long: its messages may wait behind those of other crawls, and the next repair would drop them.
 */
export const STALL_AFTER_MS = 120_000;
/** URLs that one transaction ends: far below D1's limit of 30 s a query. */
const RETIRE_CHUNK = 2_000;
/** Pages on the way from a seed that are looked up for one copy of a page. Each is one row read. */
const MAX_WAY = 1_000;

/** A crawl after a transaction, with the settled URLs and the messages to send. */
export interface Moved extends Advance {
  crawl: string;
  settled: Settled[];
  /** The rows that it left for other parts; absent for a transaction that finds nothing. */
  left?: Left[];
}

interface NewCrawl {
  id: string;
  /** Absent: a crawl. */
  purpose?: Purpose;
  options: CrawlOptions;
  hosts: string[];
  seeds: Discovery[];
  sitemaps: SitemapDiscovery[];
  /** The name of the list that its other seeds come from. It is paused until they are there. Absent: it starts. */
  list?: string;
  now: number;
  /**
   * The schedule's run to claim in the same transaction. The crawl is created only if the run was not claimed before.
   */
  schedule?: ScheduleRun;
  /** The id of a schedule that claimed a run for this crawl in another database. The crawl may be made already. */
  claimedBy?: string;
  /** This is a part of a crawl over several ledgers. It may be made already. */
  shards?: Shards;
}

const firstDue = (table: "urls" | "sitemaps") => `
SELECT due_at FROM (SELECT due_at FROM ${table} INDEXED BY ${table}_due
  WHERE crawl = ?1 AND status = 'queued' AND due_at IS NOT NULL ORDER BY due_at LIMIT 1)`;

const EXPECT_DUE = `
UPDATE crawls SET wake_at = max(wake_at, coalesce((
  SELECT min(due_at) FROM (${firstDue("urls")} UNION ALL ${firstDue("sitemaps")})) + ?2, 0))
WHERE id = ?1`;

/** Of a row of `crawls`: the same as `isPrivate` says, the other way round. */
export const IS_SHARED = "(coalesce(crawls.options ->> 'session', '') = '' OR crawls.options ->> 'shared')";

export class Ledger extends LedgerStore {
  readonly #told: Set<string>;
  /** Whether crawls that are private are there: for everybody but who is told of shared ones alone. */
  seesPrivate = true;

  /** `told` gets the receivers of the notices that its transactions write. */
  constructor(db: D1Database, told: Set<string> = new Set()) {
    super(db);
    this.#told = told;
  }

  /** Creates a crawl with its seeds. Null if the schedule's run was already claimed. */
  async create(crawl: NewCrawl): Promise<Moved | null> {
    const { id, now, schedule, claimedBy = null } = crawl;
    // The webhook has a row of its own.
    const { webhook, ...options } = crawl.options;
    const part = partOf(crawl);
    const claim = schedule
      ? [
          this.statement(
            "UPDATE schedules SET next_at = ?3, last_crawl_id = ?4, last_started_at = ?5 WHERE id = ?1 AND next_at = ?2",
            [schedule.id, schedule.dueAt, schedule.nextAt, id, now],
          ),
        ]
      : [];
    const insert = this.statement(
      `INSERT INTO crawls (id, status, options, hosts, schedule_id, created_at, updated_at, wake_at, deadline_at, page_limit,
           max_queued, dry_run, retention_days, purpose, list, learns, notes)
         SELECT ?1, iif(?13 IS NULL, 'running', 'paused'), ?2, ?3, ?4, ?5, ?5, ?6, ?7, ?8, ?9, ?10, ?11, nullif(?12, 'crawl'), ?13, ?14, ?16
         WHERE ?4 IS NULL OR ?15 OR EXISTS (SELECT 1 FROM schedules WHERE id = ?4 AND last_crawl_id = ?1)
         ON CONFLICT DO NOTHING`,
      [
        id,
        JSON.stringify(options),
        JSON.stringify(crawl.hosts),
        schedule?.id ?? claimedBy,
        now,
        now + STALL_AFTER_MS,
        options.maxDurationS > 0 && part.isHome ? now + options.maxDurationS * 1000 : null,
        part.pageLimit,
        part.maxQueued,
        options.dryRun ? 1 : 0,
        part.isHome ? options.retentionDays : 0,
        crawl.purpose ?? "crawl",
        crawl.list ?? null,
        hasTopic(options) ? 1 : 0,
        claimedBy === null ? 0 : 1,
        part.notes,
      ],
    );
    const commit = { ...emptyCommit(id), discoveries: crawl.seeds, sitemaps: crawl.sitemaps };
    const plan = planCommit(this.db, commit, now, STALL_AFTER_MS);
    const webhooks = webhook === null ? [] : [planWebhook(this.db, id, webhook, now)];
    const noting = crawl.shards === undefined ? [] : planShardPart(this.db, id, crawl.shards, part.grants);
    const before = [...claim, insert, ...webhooks, ...noting];
    // Whoever makes a claimed crawl again tells of it under the same id, so it is told once.
    const tx = claimedBy === null ? nameTransaction() : Number.parseInt(id.slice(0, 8), 16);
    const after = webhook === null ? [] : [planTellingStart(this.db, id, tx, now)];
    const last = before.length + plan.statements.length;
    const moved = await this.#run({
      ...plan,
      statements: [...before, ...plan.statements, ...after],
      read: (results) => {
        const made = plan.read(results.slice(before.length, last));
        return { ...made, told: [...made.told, ...receiversOf(results[last])] };
      },
    });
    return moved.state === null ? null : { crawl: id, ...moved };
  }

  /**
   * Commits all results of a batch, for any number of crawls, in one transaction. Discoveries that are too many for it,
   * and outcomes that are too large, go before, in transactions of their own. Throws if a host would have more pages
   * than its limit (isOverHostLimit).
   */
  async commit(commits: CrawlCommit[], now: number): Promise<Moved[]> {
    const plans: Plan<Advance & Results>[] = [];
    const lists: { crawl: string; list: number }[] = [];
    const noteList = (crawl: string, list: number | null) => list !== null && lists.push({ crawl, list });
    const settledBefore = new Map<string, Settled[]>();
    const leftBefore = new Map<string, Left[]>();
    for (const commit of commits) {
      const { crawl } = commit;
      const { portions, parts, last } = splitCommit(commit);
      const parcels = splitParcels(commit.forOthers);
      const lastParcels = parts.length > 0 ? {} : (parcels.pop() ?? {});
      for (const each of parcels)
        leftBefore.set(crawl, [
          ...(leftBefore.get(crawl) ?? []),
          ...(await runPlan(this.db, planLeaving(this.db, crawl, each))),
        ]);
      const hasDepthLimit = commit.depths !== null;
      for (const portion of portions)
        await takeTurn(() =>
          runPlan(this.db, planPortion(this.db, crawl, portion, hasDepthLimit, now, STALL_AFTER_MS)),
        );
      const leading = new Set(leadingOf(commit));
      const leadingIn = ({ outcomes }: CrawlCommit) => outcomes.map(({ url }) => url).filter((url) => leading.has(url));
      for (const part of parts) {
        const { settled, list } = await this.#run(planPart(this.db, part, now, STALL_AFTER_MS, leadingIn(part)));
        noteList(crawl, list);
        settledBefore.set(crawl, [...(settledBefore.get(crawl) ?? []), ...settled]);
      }
      plans.push(planCommit(this.db, { ...last, forOthers: lastParcels }, now, STALL_AFTER_MS, leadingIn(last)));
    }
    const moves = await runPlan(this.db, joinPlans(plans));
    for (const { told } of moves) this.#note(told);
    const done = moves.map(({ list, ...moved }, i) => {
      const crawl = commits[i]?.crawl ?? "";
      noteList(crawl, list);
      const left = [...(leftBefore.get(crawl) ?? []), ...moved.left];
      return { crawl, ...moved, left, settled: [...(settledBefore.get(crawl) ?? []), ...moved.settled] };
    });
    for (const { crawl, list } of lists) await sortContents(this.db, crawl, list);
    return done;
  }

  /**
   * The crawls and rows that the hints name. Rows that are no longer queued are left out, and so are visits that have
   * settled. `now`: when the visits begin, in milliseconds since the epoch.
   */
  async admission(
    keys: { crawl: string; url: string; sitemap: boolean; visit: number | null }[],
    now: number,
  ): Promise<{ crawls: Crawl[]; urls: QueuedUrl[]; sitemaps: QueuedSitemap[] }> {
    const {
      page = [],
      sitemap = [],
      visit = [],
    } = Object.groupBy(keys, (key) => (key.sitemap ? "sitemap" : key.visit === null ? "page" : "visit"));
    const [crawls, urls, sitemaps, visited = { results: [] }] = (await this.db.batch([
      this.statement("SELECT * FROM crawls WHERE id IN (SELECT value FROM json_each(?1))", [
        JSON.stringify([...new Set(keys.map((key) => key.crawl))]),
      ]),
      this.statement(
        `SELECT u.crawl, u.url, u.depth, u.attempts, u.priority, u.redirects, u.chain, u.kind, u.lastmod, u.via,
             u.found, u.cookies, iif(u.http_status IS NULL, u.reason, NULL) AS unanswered,
             ${documentOf("NULL")} AS document
           FROM json_each(?1) j CROSS JOIN urls u ON u.crawl = j.value ->> 'crawl' AND u.url = j.value ->> 'url'
           WHERE u.status = 'queued'`,
        [JSON.stringify(page)],
      ),
      this.statement(
        `SELECT s.crawl, s.url, s.depth, s.attempts, s.redirects, s.guessed,
             iif(s.http_status IS NULL, s.reason, NULL) AS unanswered,
             iif(s.status = 'queued', NULL, json_object('count', s.readings, 'etag', s.etag, 'lastModified', s.last_modified)) AS reading
           FROM json_each(?1) j CROSS JOIN sitemaps s ON s.crawl = j.value ->> 'crawl' AND s.url = j.value ->> 'url'
           WHERE iif(j.value ->> 'visit' IS NULL, s.status = 'queued',
             s.readings = j.value ->> 'visit' AND s.${IS_READ_AGAIN})`,
        [JSON.stringify(sitemap)],
      ),
      ...(visit.length > 0 ? [planVisitAdmission(this.db, visit)] : []),
    ])) as [
      D1Result<CrawlRow>,
      D1Result<Omit<QueuedUrl, "visit" | "document"> & { document: string | null }>,
      D1Result<Omit<QueuedSitemap, "guessed" | "reading"> & { guessed: number; reading: string | null }>,
      D1Result<VisitRow>?,
    ];
    return {
      crawls: crawls.results.map(toCrawl),
      urls: [
        ...urls.results.map((row) => ({ ...row, document: toDocument(row.document), visit: null })),
        ...visited.results.map((row) => toVisitedUrl(row, now)),
      ],
      sitemaps: sitemaps.results.map(({ reading, ...row }) => ({
        ...row,
        // A reading is tried once: what is known stays.
        ...(reading === null ? {} : { attempts: 0, unanswered: null }),
        guessed: row.guessed === 1,
        reading: reading === null ? null : (JSON.parse(reading) as Reading),
      })),
    };
  }

  /** Whether this URL waits in the backlog for a place in the queue. */
  async isInBacklog(crawl: string, url: string): Promise<boolean> {
    const query = `SELECT 1 FROM urls u WHERE u.crawl = ?1 AND u.url = ?2 AND ${IN_BACKLOG}`;
    return (await this.first(query, [crawl, url])) !== null;
  }

  /** Removes what transactions before this time noted for their own retries. */
  async forgetPromotions(before: number): Promise<void> {
    await this.run("DELETE FROM promotions WHERE at < ?1", [before]);
  }

  /** The URLs among these for which the crawl has no row. */
  async unknown(crawl: string, urls: string[]): Promise<Set<string>> {
    const query = this.db.prepare(
      `SELECT j.value AS url FROM json_each(?2) j
       WHERE NOT EXISTS (SELECT 1 FROM urls u WHERE u.crawl = ?1 AND u.url = j.value)`,
    );
    const unknown = new Set<string>();
    // One after the other: a batch would hold all parts of a large page at once.
    for (const part of fitting(urls)) {
      const { results } = await query.bind(crawl, JSON.stringify(part)).all<{ url: string }>();
      for (const { url } of results) unknown.add(url);
    }
    return unknown;
  }

  /**
   * The pages among these that the crawl knows, by URL: whether this is a nearer way to them. For crawls with a depth
   * limit.
   */
  async nearer(crawl: string, pages: readonly Pick<Discovery, "url" | "depth">[]): Promise<Map<string, boolean>> {
    const query = this.db.prepare(
      `SELECT u.url, u.kind = 'page' AND u.depth > j.value ->> 1 AS nearer
       FROM json_each(?2) j CROSS JOIN urls u ON u.crawl = ?1 AND u.url = j.value ->> 0`,
    );
    const known = new Map<string, boolean>();
    for (const part of fitting(pages.map(({ url, depth }) => [url, depth]))) {
      const { results } = await query.bind(crawl, JSON.stringify(part)).all<{ url: string; nearer: number }>();
      for (const { url, nearer } of results) known.set(url, nearer === 1);
    }
    return known;
  }

  /** The number of the crawl's pages with each of these digests, counted up to `most` or a little further. */
  async copies(crawl: string, digests: string[], most: number): Promise<Map<string, number>> {
    const results = await this.all<{ digest: string; copies: number }>(
      `WITH ${LISTED}
         SELECT d.sha256 AS digest, (SELECT count(*) FROM (
             SELECT 1 FROM urls u INDEXED BY urls_sha256 WHERE u.crawl = ?1 AND u.sha256 = d.sha256 LIMIT ?3))
           + (SELECT count(*) FROM listed l CROSS JOIN urls u ON u.crawl = ?1 AND u.url = l.url
             WHERE l.sha256 = d.sha256 AND u.listed_sha256 = d.sha256) AS copies
         FROM d`,
      [crawl, JSON.stringify(digests), most],
    );
    return new Map(results.map(({ digest, copies }) => [digest, copies]));
  }

  /**
   * By URL, the number of pages with the same digest on the way from the seed to each of these pages, counted up to
   * `most`. The way is followed back over the pages that hold the links, MAX_WAY of them at most.
   */
  async copiesBefore(
    crawl: string,
    pages: { url: string; via: string | null; sha256: string }[],
    most: number,
  ): Promise<Map<string, number>> {
    const results = await this.all<{ url: string; copies: number }>(
      `WITH RECURSIVE way (url, sha256, via, steps, copies) AS (
           SELECT value ->> 'url', value ->> 'sha256', value ->> 'via', 0, 0 FROM json_each(?2)
           UNION ALL
           SELECT way.url, way.sha256, u.via, way.steps + 1, way.copies + (u.body_sha256 IS way.sha256)
           FROM way CROSS JOIN urls u ON u.crawl = ?1 AND u.url = way.via
           WHERE way.copies < ?3 AND way.steps < ${MAX_WAY}
         )
         SELECT url, max(copies) AS copies FROM way GROUP BY url`,
      [crawl, JSON.stringify(pages), most],
    );
    return new Map(results.map(({ url, copies }) => [url, copies]));
  }

  /**
   * For each of these digests, the page of the crawl whose pack holds the content itself. Any page with the digest
   * refers to it. A page of a watch that says something else by now is none. The query names the index; otherwise the
   * planner reads the entire crawl for each digest.
   */
  async originals(crawl: string, digests: string[]): Promise<{ sha256: string; url: string; fetchedAt: number }[]> {
    return this.all<{ sha256: string; url: string; fetchedAt: number }>(
      `WITH ${LISTED}
         SELECT d.sha256, o.url, o.fetched_at AS fetchedAt FROM d CROSS JOIN urls o ON o.crawl = ?1 AND o.url = coalesce(
           (SELECT u.url FROM listed l CROSS JOIN urls u ON u.crawl = ?1 AND u.url = l.url
             WHERE l.sha256 = d.sha256 AND u.listed_sha256 = d.sha256 AND u.pack_offset IS NOT NULL LIMIT 1),
           (SELECT coalesce(u.revisits, u.url) FROM urls u INDEXED BY urls_sha256
             WHERE u.crawl = ?1 AND u.sha256 = d.sha256 AND (u.revisits IS NOT NULL OR u.pack_offset IS NOT NULL) LIMIT 1))
         WHERE o.body_sha256 = d.sha256 AND o.revisits IS NULL AND o.pack_offset IS NOT NULL`,
      [crawl, JSON.stringify(digests)],
    );
  }

  /** The number of URLs of each of these patterns that were found on pages of the same pattern. */
  async variants(crawl: string, patterns: string[]): Promise<Map<string, number>> {
    const query = this.db.prepare(
      "SELECT v.pattern, v.count FROM json_each(?2) j CROSS JOIN variants v ON v.crawl = ?1 AND v.pattern = j.value",
    );
    const answers = await this.db.batch<{ pattern: string; count: number }>(
      fitting(patterns).map((part) => query.bind(crawl, JSON.stringify(part))),
    );
    return new Map(answers.flatMap(({ results }) => results.map(({ pattern, count }) => [pattern, count] as const)));
  }

  /** The number of completed pages of each of these hosts (`URL.host`), in a crawl that limits it. */
  async hostPages(crawl: string, hosts: readonly string[]): Promise<Map<string, number>> {
    const results = await this.all<{ host: string; count: number }>(HOST_PAGES, [crawl, JSON.stringify(hosts)]);
    return new Map(results.map(({ host, count }) => [host, count]));
  }

  /** The hosts that have given as many pages as the crawl takes of each, at most `max`. `limit`: 0 for none. */
  async fullHosts(crawl: string, limit: number, max: number): Promise<string[]> {
    if (limit === 0) return [];
    const results = await this.all<{ host: string }>(FULL_HOSTS, [crawl, limit, max]);
    return results.map(({ host }) => host);
  }

  /** Those of these URLs that ended because their host had its pages. */
  async overHostLimit(crawl: string, urls: readonly string[]): Promise<string[]> {
    const results = await this.all<{ url: string }>(OVER_HOST_LIMIT, [crawl, JSON.stringify(urls)]);
    return results.map(({ url }) => url);
  }

  /**
   * For each of these redirects that leads back into its own chain, by its URL: the stored jar with which the target
   * was requested.
   */
  async returns(crawl: string, returns: readonly Return[]): Promise<Map<string, string | null>> {
    return findReturns(this.db, crawl, returns);
  }

  /** The heartbeat does not treat the crawl as stalled before `wakeAt`, because all its messages are due later. */
  async expectProgress(crawl: string, wakeAt: number): Promise<void> {
    await this.run("UPDATE crawls SET wake_at = max(wake_at, ?2) WHERE id = ?1", [crawl, wakeAt]);
  }

  /**
   * Like `expectProgress`, for a crawl whose queued rows are all due later: the heartbeat sends the first of them when
   * it is due.
   */
  async expectDue(crawl: string): Promise<void> {
    await this.run(EXPECT_DUE, [crawl, STALL_AFTER_MS]);
  }

  /** Stores what a crawl waits for, for people. Its next commit clears it. */
  async setWaitingFor(crawl: string, what: string): Promise<void> {
    await this.run(
      "UPDATE crawls SET notes = json_set(notes, '$.waitingFor', ?2) WHERE id = ?1 AND notes ->> '$.waitingFor' IS NOT ?2",
      [crawl, toStoredText(what)],
    );
  }

  /** Stores what a batch of these crawls could not do, for people. The detail of dead-lettered URLs repeats it. */
  async noteFailure(crawls: string[], what: string, now: number): Promise<void> {
    await this.run(
      `UPDATE crawls SET notes = json_set(notes, '$.failure', json_object('what', ?2, 'at', ?3))
         WHERE id IN (SELECT value FROM json_each(?1))`,
      [JSON.stringify(crawls), what, now],
    );
  }

  /**
   * Pauses a crawl that runs or watches. False if it does neither. `reason`: the limit that it has reached; null if a
   * user asked. `resumeAt`: when the heartbeat resumes it, if it is a watch by then; null for never.
   */
  async pause(
    crawl: string,
    now: number,
    { reason = null, resumeAt = null }: { reason?: string | null; resumeAt?: number | null } = {},
  ): Promise<boolean> {
    const { isDone } = await this.#run(planPause(this.db, crawl, { reason, resumeAt }, now));
    return isDone;
  }

  /**
   * Resumes a paused crawl, or restarts a running one. The caller sends its messages, those of rows that are due by
   * `now` included. Null if it has ended.
   */
  async resume(crawl: string, now: number): Promise<Moved | null> {
    return this.#moveOn(crawl, planRenew(this.db, crawl, "open", now, STALL_AFTER_MS), now);
  }

  /**
   * Like `resume`, for a running crawl that is stalled at `now`. It doubles the crawl's patience. Null if the crawl is
   * not stalled, or was already repaired.
   */
  async repair(crawl: string, now: number): Promise<Moved | null> {
    return this.#moveOn(crawl, planRenew(this.db, crawl, "stalled", now, STALL_AFTER_MS), now);
  }

  /** Changes the limits of a crawl. The caller sends the URLs that move up. Null if it has ended. */
  async amend(crawl: string, limits: AmendedLimits, now: number): Promise<Moved | null> {
    return this.#moveOn(crawl, planAmend(this.db, crawl, limits, now), now);
  }

  /** Makes a crawl a watch, or changes how often it visits. False if it was cancelled, failed, or keeps no pages. */
  async watch(crawl: string, watch: Watch, now: number): Promise<boolean> {
    return runPlan(this.db, planWatch(this.db, crawl, watch, now));
  }

  /** Makes all pages of a watch due now. False if it visits nothing now. */
  async visitAll(crawl: string, now: number): Promise<boolean> {
    return runPlan(this.db, planVisitAll(this.db, crawl, now));
  }

  /** Ends a crawl and its sitemaps; `retireOpen` ends its open URLs. False if it had already ended. */
  async cancel(crawl: string, as: CancelledStatus, now: number): Promise<boolean> {
    const { isDone } = await this.#run(planCancel(this.db, crawl, as, now));
    return isDone;
  }

  /**
   * Ends the pending URLs of a crawl that has reached its page limit, one chunk per transaction. May be repeated.
   * `intent`: only while this is the last intent that a part has applied, because another one may raise the limit.
   */
  async retireOverLimit(crawl: string, now: number, intent?: number): Promise<void> {
    const guard = intent === undefined ? "" : ` AND ${hasIntent(intent)}`;
    const retirement = { ...OVER_LIMIT, holds: `${OVER_LIMIT.holds}${guard}` };
    for (const from of ["backlog", "pending"] as const) await this.#retire(crawl, from, retirement, now);
  }

  /** Ends the open URLs of a cancelled crawl, one chunk per transaction. May be repeated. */
  async retireOpen(crawl: string, now: number): Promise<void> {
    for (const from of ["backlog", "pending"] as const) await this.#retire(crawl, from, CANCELLED, now);
    for await (const range of readInWindows(this.db, crawl, ALL_URLS, async (range) => range))
      await this.#retire(crawl, "queued", CANCELLED, now, range);
  }

  async #retire(crawl: string, from: OpenPlace, retirement: Retirement, now: number, range?: UrlRange): Promise<void> {
    const plan = planRetire(this.db, crawl, from, retirement, RETIRE_CHUNK, now, range);
    // A crawl that ends with few open URLs waits for nobody.
    let { isMore } = await this.#run(plan);
    while (isMore) ({ isMore } = await takeTurn(() => this.#run(plan)));
  }

  /**
   * Retries the next URLs with this status and reason after the URL `after`, in one transaction. `retried` has them in
   * no order; it is empty if there are no more. If `after` is empty, it retries the sitemaps too. The caller sends the
   * URLs that move up. Null if the crawl is deleted or is being deleted.
   */
  async retry(crawl: string, retry: Retry, after: string, now: number): Promise<(Retried & { crawl: string }) | null> {
    const plan = planRetry(this.db, { ...retry, crawl, after, most: RETRY_CHUNK }, now, STALL_AFTER_MS);
    const retried = await this.#run(plan);
    return retried.state === null ? null : { crawl, ...retried };
  }

  /** Null if the crawl does not exist or is being deleted. */
  async crawl(id: string): Promise<Crawl | null> {
    const row = await this.first<CrawlRow>("SELECT * FROM crawls WHERE id = ?1 AND deleting_at IS NULL", [id]);
    const crawl = row ? toCrawl(row) : null;
    return crawl !== null && !this.seesPrivate && isPrivate(crawl.options) ? null : crawl;
  }

  /** The first ids that begin with this, up to `most`, without those of crawls that are being deleted. */
  async idsBeginning(start: string, most: number): Promise<string[]> {
    const results = await this.all<{ id: string }>(
      `SELECT id FROM crawls WHERE id >= ?1 AND id < ?1 || '~' AND deleting_at IS NULL AND ${IS_SEEN} AND (?3 OR ${IS_SHARED}) ORDER BY id LIMIT ?2`,
      [start, most, this.seesPrivate ? 1 : 0],
    );
    return results.map(({ id }) => id);
  }

  /**
   * The newest crawls first, without those that are being deleted. `cursor`: that of the crawl before the first one;
   * empty for the newest. `isAll`: with those that answer one request of Firecrawl's paths.
   */
  async crawls(most: number, cursor = "", isAll = false): Promise<Crawl[]> {
    const [createdAt, id] = readPair(cursor) ?? ["", ""];
    const results = await this.all<CrawlRow>(
      `SELECT * FROM crawls WHERE deleting_at IS NULL AND ${IS_SEEN} AND (?4 OR purpose IS NULL OR purpose = 'import') AND (?2 = '' OR created_at < ?2 + 0 OR (created_at = ?2 + 0 AND id > ?3))
         AND (?5 OR ${IS_SHARED}) ORDER BY created_at DESC, id LIMIT ?1`,
      [most, createdAt, id, isAll ? 1 : 0, this.seesPrivate ? 1 : 0],
    );
    return results.map(toCrawl);
  }

  /** Crawls that run or are paused, the newest first. */
  async openCrawls(most: number): Promise<Crawl[]> {
    const results = await this.all<CrawlRow>(
      `SELECT * FROM crawls WHERE status IN ('running', 'paused') AND deleting_at IS NULL AND ${IS_SEEN} AND (?2 OR ${IS_SHARED})
         ORDER BY created_at DESC, id LIMIT ?1`,
      [most, this.seesPrivate ? 1 : 0],
    );
    return results.map(toCrawl);
  }

  /** Watches that have not ended, the newest first. */
  async watches(most: number): Promise<Crawl[]> {
    const results = await this.all<CrawlRow>(
      `SELECT * FROM crawls WHERE every_s IS NOT NULL AND status ${IN_OPEN} AND deleting_at IS NULL
         AND (?2 OR ${IS_SHARED}) ORDER BY created_at DESC, id LIMIT ?1`,
      [most, this.seesPrivate ? 1 : 0],
    );
    return results.map(toCrawl);
  }

  /**
   * The watches with these seeds that have not ended. `seeds`: their `seedsKey`, whose order is that of SQLite for URLs
   * in canonical form. `isListed`: whether they come from a list.
   */
  async watchesOf(seeds: string, isListed: boolean): Promise<{ id: string; createdAt: number }[]> {
    return this.all(
      `SELECT id, created_at AS createdAt FROM crawls
       WHERE every_s IS NOT NULL AND status ${IN_OPEN} AND deleting_at IS NULL AND (?3 OR ${IS_SHARED})
         AND (list IS NOT NULL) = ?2
         AND (SELECT group_concat(value, ' ' ORDER BY value) FROM json_each(options, '$.urls')) = ?1`,
      [seeds, isListed ? 1 : 0, this.seesPrivate ? 1 : 0],
    );
  }

  /** The crawls that need the heartbeat. A crawl is stalled if its progress was expected before `stalledAt`. */
  async overdue(now: number, stalledAt = now): Promise<{ stalled: string[]; expired: string[]; unswept: string[] }> {
    const [stalled, expired, unswept] = await this.db.batch<{ id: string }>([
      this.statement(`SELECT id FROM crawls WHERE ${isStalled("?1")}`, [stalledAt]),
      this.statement(
        `SELECT id FROM crawls WHERE status IN ('running', 'paused') AND deadline_at <= ?1 AND NOT ${isPart()}`,
        [now],
      ),
      this.db.prepare(
        "SELECT id FROM crawls WHERE status LIKE 'cancelled%' AND pending + queued > 0 AND deleting_at IS NULL",
      ),
    ]);
    const idsOf = (answer?: D1Result<{ id: string }>) => (answer?.results ?? []).map(({ id }) => id);
    return { stalled: idsOf(stalled), expired: idsOf(expired), unswept: idsOf(unswept) };
  }

  /** Links that scope refused, by reason, the most frequent first. Links that rules hold back now are among them. */
  async refusals(crawl: string): Promise<{ reason: Refusal; count: number; examples: string[] }[]> {
    const results = await this.all<{ reason: Refusal; count: number; examples: string }>(
      "SELECT reason, count, examples FROM refusals WHERE crawl = ?1",
      [crawl],
    );
    const refused = results.map((row) => ({ ...row, examples: JSON.parse(row.examples) as string[] }));
    for (const withheld of await new WithheldUrls(this.db).links(crawl, EXAMPLES_KEPT)) {
      const others = refused.findIndex(({ reason }) => reason === withheld.reason);
      const before = others === -1 ? { count: 0, examples: [] } : refused.splice(others, 1)[0];
      const examples = [...(before?.examples ?? []), ...withheld.examples].slice(0, EXAMPLES_KEPT);
      refused.push({ reason: withheld.reason, count: (before?.count ?? 0) + withheld.count, examples });
    }
    return refused.toSorted((a, b) => b.count - a.count);
  }

  async #moveOn(crawl: string, transition: Plan<boolean>, now: number): Promise<Moved | null> {
    if (!(await runPlan(this.db, transition))) return null;
    return { crawl, settled: [], ...(await this.#run(planAdvance(this.db, crawl, now))) };
  }

  /** Runs a plan, and notes the receivers of the notices that it wrote. */
  async #run<T extends { told: string[] }>(plan: Plan<T>): Promise<T> {
    const result = await runPlan(this.db, plan);
    this.#note(result.told);
    return result;
  }

  #note(receivers: readonly string[]): void {
    for (const receiver of receivers) this.#told.add(receiver);
  }
}

/** What a part of a crawl has of its limits, and its notes. A crawl in one ledger has all. */
function partOf({ id, shards, options }: NewCrawl) {
  const { limit: pageLimit, maxQueued } = options;
  if (shards === undefined) return { isHome: true, pageLimit, maxQueued, notes: "{}", grants: [] };
  const { home, ledgers } = shards;
  const grants = firstGrants(pageLimit, ledgers.length);
  return {
    isHome: id === home,
    pageLimit: grants[ledgers.indexOf(ledgerOf(id))]?.bound ?? 0,
    maxQueued: Math.max(1, Math.floor(maxQueued / ledgers.length)),
    notes: JSON.stringify({ shards } satisfies CrawlNotes),
    grants,
  };
}
