import type { Usage } from "../../crawl/bounds/usage.ts";
import type { Discovery } from "../../crawl/crawl.ts";
import type { Outcome } from "../../crawl/page/outcome.ts";
import type { Reason } from "../../crawl/page/reason.ts";
import type { FinalStatus } from "../../crawl/page/status.ts";
import { OUTCOME_FACTS } from "../../crawl/url-facts.ts";
import type { Parcels } from "../../crawl/shards/parcels.ts";
import type { Signal } from "../../crawl/watch/signal.ts";
import type { VisitOutcome } from "../../crawl/watch/watch.ts";
import type { Withheld } from "../../crawl/watch/withheld-url.ts";
import type { Refusal } from "../../scope/refusal.ts";
import { RELEVANT } from "../../topic/course/topic-state.ts";
import { sumOfUsages } from "../installation/usage-sql.ts";
import { type PackRow, planPacks } from "../mirror/archive-index.ts";
import { planRemoval } from "../mirror/waiting-documents.ts";
import { planTellingPages, receiversOf } from "../notices/outbox.ts";
import { FINISHED_IN, LIST_OUTCOMES } from "../records/finished-urls.ts";
import { fitting } from "../records/fitting.ts";
import { type PageText, planIndexing } from "../records/search-index.ts";
import { planSitemaps, type SitemapCommit } from "../records/sitemaps.ts";
import { toStoredJson } from "../records/stored-text.ts";
import { type Left, planLeaving } from "../shards/shard-outbox.ts";
import { planReadings } from "../watches/readings.ts";
import { planSignals, planSignalTests } from "../watches/signals.ts";
import { planWaitingChanges } from "../watches/told-changes.ts";
import { planAdded, planVisits } from "../watches/visiting.ts";
import { type Advance, growingPlaces, maxMoving, planAdvance } from "./advance.ts";
import { type AskAgain, planAskAgain } from "./asking-again.ts";
import { noteProgress } from "./crawl-notes.ts";
import { assignFacts, readFacts } from "./fact-columns.ts";
import { type HostPage, planHostPages } from "./host-pages.ts";
import { nameTransaction, type Plan } from "./plan.ts";
import { ADD_TO_BACKLOG } from "./waiting/backlog.ts";
import { type CommitDepths, NO_DEPTHS, planLowering, planUnrefusing } from "./waiting/lowered.ts";
import { planReleasing, planWithholding, type WithheldDecision } from "./waiting/withheld-urls.ts";
import { IN_OPEN } from "./open-crawls.ts";

/**
 * The transaction that moves a crawl on: outcomes, discoveries, counters, promotion and completion in one D1 batch.
 *
 * Every statement starts from the current rows, not from the caller's knowledge. So a message that is delivered twice
 * has no effect the second time: an outcome counts only if its row is still `queued`, a discovery only if there is no
 * row. Each list is one JSON parameter, because D1 binds at most 100:
 * https://developers.cloudflare.com/d1/platform/limits/
 */

/** The results of one consumer batch for one crawl. */
export interface CrawlCommit extends SitemapCommit {
  outcomes: Outcome[];
  /** Of pages that were known. */
  visits: VisitOutcome[];
  /** Completed pages of a watch that has told of its first crawl: people are told that they are new. */
  added: string[];
  /** Texts of completed pages, if the crawl has search. */
  texts: PageText[];
  /** Each URL once. In a crawl with a depth limit, known pages to which these are nearer ways too. */
  discoveries: Discovery[];
  /** Null for a crawl without a depth limit. */
  depths: CommitDepths | null;
  /** Redirects that are requested again with new cookies. */
  askAgain: AskAgain[];
  /** Pages that rules hold back until the end of the crawl, and those that they do not hold back any more. */
  withheld: Withheld[];
  released: WithheldDecision[];
  /** Known pages that are said to have changed. */
  signals: Signal[];
  refusals: PageRefusals[];
  /** `URL.host` values that a seed redirected to. */
  joinedHosts: string[];
  /** Packs that hold its pages. */
  packs: PackRow[];
  /** Pages among the outcomes by host, in a crawl with a page limit for each host. */
  hostPages: HostPage[];
  /** That limit: the commit fails if a host would have more pages (isOverHostLimit). Null without one. */
  limitPerHost: number | null;
  /** URLs that it settles whose documents had waited. */
  documents: string[];
  /** What it found for other parts of a crawl over several ledgers. */
  forOthers: Parcels;
  /** Platform usage since the crawl's last commit. */
  usage: Usage;
}

/** A commit without results. */
export function emptyCommit(crawl: string): CrawlCommit {
  return {
    crawl,
    outcomes: [],
    visits: [],
    added: [],
    texts: [],
    discoveries: [],
    depths: null,
    askAgain: [],
    withheld: [],
    released: [],
    signals: [],
    readings: [],
    sitemapOutcomes: [],
    sitemaps: [],
    dated: [],
    refusals: [],
    joinedHosts: [],
    hostPages: [],
    limitPerHost: null,
    documents: [],
    forOthers: {},
    usage: {},
    packs: [],
  };
}

/** A URL that this transaction settled. A message that arrives twice settles nothing the second time. */
export interface Settled {
  url: string;
  /** `queued` if it will be retried. */
  status: FinalStatus | "queued";
  reason: Reason | null;
}

/** What a transaction made of the results. */
export interface Results {
  settled: Settled[];
  /** The number of the list that it wrote of the URLs that finished; null if it wrote none, or its answer was lost. */
  list: number | null;
  /** The rows that it left for other parts. One whose answer was lost waits for the heartbeat. */
  left: Left[];
}

/** The links of one page, or the URLs of one sitemap, that scope refused for one reason. */
export interface PageRefusals {
  page: string;
  in: "urls" | "sitemaps";
  reason: Refusal;
  count: number;
  examples: string[];
}

export const EXAMPLES_KEPT = 3;

/** Whether crawl `c` takes new URLs. */
const TAKES_URLS = `c.status ${IN_OPEN}`;

/** Whether the first try of transaction ?9 was billed: `billed` has the names of the last ones. */
const IS_BILLED = "instr(' ' || billed, ' ' || ?9 || ' ') > 0";

/**
 * Counts first, while the rows still show the coming changes. `granted` new URLs go straight into the queue, if it has
 * room and no URL waits before them: assets, then pages, then growing pages, as in ROOM. The others go into the
 * backlog. ?8: whether any may be granted.
 *
 * A crawl that moves loses its patience again, as fast as time passes: a queue with hours of backlog delivers a crawl's
 * messages together, and then lets it wait again.
 *
 * A watch with new URLs crawls again, until it has none.
 */
const TALLY = `
WITH
  o AS (
    SELECT count(*) AS settled, coalesce(sum(u.kind = 'page'), 0) AS settled_pages, coalesce(sum(u.kind = 'asset'), 0) AS settled_assets,
      coalesce(sum(u.priority < 0), 0) AS settled_growing,
      coalesce(sum(u.kind = 'asset' AND j.value ->> 'status' = 'completed'), 0) AS completed_assets,
      coalesce(sum(j.value ->> 'status' = 'completed'), 0) AS completed,
      coalesce(sum(j.value ->> 'status' = 'disallowed'), 0) AS disallowed,
      coalesce(sum(j.value ->> 'status' = 'skipped'), 0) AS skipped,
      coalesce(sum(j.value ->> 'reason' = 'dry-run'), 0) AS dry_pages,
      coalesce(sum(j.value ->> 'status' = 'errored'), 0) AS errored,
      coalesce(sum(j.value ->> 'status' = 'cancelled'), 0) AS cancelled,
      coalesce(sum(CASE WHEN j.value ->> 'status' = 'completed' AND j.value ->> 'sha256' IS NOT NULL THEN j.value ->> 'bytes' END), 0) AS bytes,
      count(CASE WHEN j.value ->> 'status' = 'completed' THEN j.value ->> 'shell' END) AS shells,
      count(CASE WHEN j.value ->> 'status' = 'completed' THEN j.value ->> 'rendered' END) AS rendered,
      coalesce(sum(j.value ->> 'status' = 'completed' AND j.value ->> 'relevance' >= ${RELEVANT}), 0) AS relevant
    FROM json_each(?2) j CROSS JOIN urls u ON u.crawl = ?1 AND u.url = j.value ->> 'url'
    WHERE u.status = 'queued' AND j.value ->> 'status' <> 'queued'
  ),
  n AS (
    SELECT count(*) AS fresh, coalesce(sum(j.value ->> 'kind' = 'asset'), 0) AS fresh_assets,
      coalesce(sum(j.value ->> 'priority' < 0), 0) AS fresh_growing
    FROM json_each(?3) j
    WHERE NOT EXISTS (SELECT 1 FROM urls u WHERE u.crawl = ?1 AND u.url = j.value ->> 'url')
  ),
  t AS (
    SELECT o.*, iif(${TAKES_URLS}, n.fresh, 0) AS fresh,
      iif(${TAKES_URLS}, n.fresh_assets, 0) AS fresh_assets,
      iif(${TAKES_URLS}, n.fresh_growing, 0) AS fresh_growing,
      c.pages_moving - o.settled_pages AS pages_in_motion,
      max(0, min(c.growing_moving - o.settled_growing, c.pages_moving - o.settled_pages)) AS growing_in_motion,
      c.page_limit - (c.taken_pages + o.completed - o.completed_assets + o.dry_pages) AS pages_left,
      iif(c.status IN ('running', 'watching') AND ?8 AND c.assets_waiting = 0,
        max(0, min(n.fresh_assets, c.max_queued - (c.moving - o.settled))), 0) AS granted_assets,
      iif(c.status IN ('running', 'watching') AND ?8 AND c.waiting = c.growing_waiting,
        max(0, min(c.max_queued - n.fresh_assets - (c.moving - o.settled), (${maxMoving("c.")}) - (c.pages_moving - o.settled_pages))), 0) AS places,
      c.waiting = 0 AS is_none_waiting, c.hosts
    FROM crawls c, o, n WHERE c.id = ?1
  ),
  p AS (SELECT t.*, fresh - fresh_assets - fresh_growing AS fresh_others, max(0, min(places, pages_left - pages_in_motion)) AS room FROM t),
  g AS (
    SELECT p.*, min(fresh_others, room) AS granted_others, iif(is_none_waiting, max(0, min(fresh_growing, room - fresh_others,
      ${growingPlaces("pages_in_motion - growing_in_motion + fresh_others", "pages_left")} - growing_in_motion)), 0) AS granted_growing
    FROM p
  )
UPDATE crawls SET
  status = CASE WHEN crawls.status = 'watching' AND t.fresh > 0 THEN 'running' ELSE crawls.status END,
  discovered = discovered + t.fresh,
  queued = queued - t.settled + t.fresh,
  backlog = backlog + t.fresh - t.granted,
  assets_queued = assets_queued - t.settled_assets + t.fresh_assets,
  assets_backlog = assets_backlog + t.fresh_assets - t.granted_assets,
  growing_queued = growing_queued - t.settled_growing + t.fresh_growing,
  growing_backlog = growing_backlog + t.fresh_growing - t.granted_growing,
  assets_completed = assets_completed + t.completed_assets,
  completed = crawls.completed + t.completed,
  disallowed = crawls.disallowed + t.disallowed,
  skipped = crawls.skipped + t.skipped,
  dry_pages = crawls.dry_pages + t.dry_pages,
  errored = crawls.errored + t.errored,
  cancelled = crawls.cancelled + t.cancelled,
  bytes = crawls.bytes + t.bytes,
  shells = crawls.shells + t.shells,
  rendered = crawls.rendered + t.rendered,
  relevant = crawls.relevant + t.relevant,
  tx_fresh = t.fresh,
  tx_granted = t.granted,
  hosts = CASE WHEN ?6 = '[]' THEN crawls.hosts ELSE
    (SELECT json_group_array(value) FROM (SELECT value FROM json_each(crawls.hosts) UNION SELECT value FROM json_each(?6))) END,
  started_at = coalesce(started_at, ?2 ->> '$[0].fetchedAt'),
  usage = CASE WHEN ?7 = '{}' OR ${IS_BILLED} THEN usage ELSE ${sumOfUsages("usage", "?7")} END,
  billed = CASE WHEN ?7 = '{}' OR ${IS_BILLED} THEN billed ELSE substr(?9 || ' ' || billed, 1, 100) END,
  ${noteProgress("?2 ->> '$[#-1].url'")},
  patience_ms = CASE WHEN t.settled > 0 THEN max(?5, patience_ms - max(0, min(?4 - updated_at, ?5))) ELSE patience_ms END,
  updated_at = ?4,
  wake_at = max(wake_at, ?4 + patience_ms)
FROM (SELECT g.*, granted_assets + granted_others + granted_growing AS granted FROM g) t WHERE crawls.id = ?1`;

const refuse = (table: PageRefusals["in"]) => `
INSERT INTO refusals (crawl, reason, count, examples)
SELECT ?1, j.value ->> 'reason', sum(j.value ->> 'count'), j.value -> 'examples'
FROM json_each(?2) j CROSS JOIN ${table} u ON u.crawl = ?1 AND u.url = j.value ->> 'page'
WHERE u.status = 'queued'
GROUP BY j.value ->> 'reason'
ON CONFLICT (crawl, reason) DO UPDATE SET count = count + excluded.count, examples = (
  SELECT json_group_array(value) FROM (
    SELECT value FROM json_each(refusals.examples) UNION SELECT value FROM json_each(excluded.examples) LIMIT ${EXAMPLES_KEPT}))`;

/**
 * The list has its own `crawl`, so the planner looks up each row by the primary key. Otherwise it scans the crawl. An
 * attempt that will be retried leaves the row queued; its time tells whether it was counted already.
 */
const SETTLE = `
WITH o AS MATERIALIZED (SELECT ?1 AS crawl, value ->> 'url' AS url, ${readFacts(OUTCOME_FACTS)} FROM json_each(?2))
UPDATE urls SET ${assignFacts(OUTCOME_FACTS, "o")}, attempts = attempts + 1, due_at = NULL, tx = NULL,
  finished_in = iif(o.status = 'queued', NULL, ${FINISHED_IN})
FROM o WHERE urls.crawl = o.crawl AND urls.url = o.url AND urls.status = 'queued'
  AND (o.status <> 'queued' OR urls.fetched_at IS NOT o.fetched_at)
RETURNING url, status, reason`;

/** What SETTLE returned at its first try. */
const SETTLED = `
SELECT u.url, u.status, u.reason FROM json_each(?2) j CROSS JOIN urls u ON u.crawl = ?1 AND u.url = j.value ->> 'url'
WHERE u.status = j.value ->> 'status' AND u.fetched_at = j.value ->> 'fetchedAt'`;

/** The crawl, where it has ended; no row otherwise, so that the statements below then read nothing. */
const ENDED_CRAWL = `(SELECT id FROM crawls WHERE id = ?1 AND status NOT ${IN_OPEN})`;

/**
 * A crawl that has ended takes no discoveries, and a completed page is never read again. So a page that brings
 * discoveries stays as it is, and a retry reads it. No outcome reaches it between HOLD and RELEASE, for it is not
 * queued then; other transactions never see it so.
 */
const HOLD = `
UPDATE urls SET status = 'held'
WHERE crawl = ${ENDED_CRAWL} AND url IN (SELECT value FROM json_each(?2)) AND status = 'queued'`;

const RELEASE = `
UPDATE urls SET status = 'queued'
WHERE crawl = ${ENDED_CRAWL} AND url IN (SELECT value FROM json_each(?2)) AND status = 'held'`;

const DISCOVER = `
INSERT INTO urls (crawl, url, status, depth, via, priority, seq, redirects, chain, lastmod, cookies, asset, found, tx)
SELECT c.id, f.url, 'queued',
  f.depth, f.via, f.priority, c.discovered - c.tx_fresh + f.rank, f.redirects, f.chain, f.lastmod, f.cookies, f.asset, f.found,
  CASE WHEN f.rank <= c.tx_granted THEN ?3 END
FROM crawls c JOIN (
  SELECT value ->> 'url' AS url, value ->> 'via' AS via, value ->> 'depth' AS depth, value ->> 'priority' AS priority,
    value ->> 'redirects' AS redirects, value ->> 'chain' AS chain, value ->> 'lastmod' AS lastmod, value ->> 'cookies' AS cookies, value ->> 'kind' = 'asset' AS asset,
    value -> 'found' AS found,
    row_number() OVER (ORDER BY value ->> 'priority' DESC, value ->> 'depth', key) AS rank
  FROM json_each(?2) j
  WHERE NOT EXISTS (SELECT 1 FROM urls u WHERE u.crawl = ?1 AND u.url = j.value ->> 'url')
) f
WHERE c.id = ?1 AND c.tx_fresh > 0
RETURNING url, tx`;

/** Runs before DISCOVER, while the rows still show which URLs are new, and only if DISCOVER will add them. */
const COUNT_VARIANTS = `
INSERT INTO variants (crawl, pattern, count)
SELECT ?1, j.value ->> 'pattern', count(*) FROM json_each(?2) j
WHERE j.value ->> 'pattern' IS NOT NULL AND NOT EXISTS (SELECT 1 FROM urls u WHERE u.crawl = ?1 AND u.url = j.value ->> 'url')
  AND EXISTS (SELECT 1 FROM crawls WHERE id = ?1 AND tx_fresh > 0)
GROUP BY j.value ->> 'pattern'
ON CONFLICT (crawl, pattern) DO UPDATE SET count = count + excluded.count`;

interface CommitSettings {
  now: number;
  stallAfterMs: number;
  leading: readonly string[];
}

/** The statements of a commit, without those that move the crawl on. `tx`: the name of the transaction. */
function planResults(
  db: D1Database,
  commit: CrawlCommit,
  { now, stallAfterMs, leading, tx, mayGrant }: CommitSettings & { tx: number; mayGrant: boolean },
): Required<Plan<{ granted: string[]; sitemaps: string[]; told: string[] } & Results>> {
  const { crawl } = commit;
  const outcomes = toStoredJson(commit.outcomes);
  const discoveries = JSON.stringify(commit.discoveries);
  const onLeading = (sql: string) =>
    leading.length === 0 ? [] : [db.prepare(sql).bind(crawl, JSON.stringify(leading))];
  const statements = [
    ...onLeading(HOLD),
    planTally(db, commit, { tx, outcomes, discoveries, now, stallAfterMs, mayGrant }),
  ];
  for (const table of ["urls", "sitemaps"] as const) {
    const refusals = commit.refusals.filter((refusal) => refusal.in === table);
    if (refusals.length === 0) continue;
    statements.push(...fitting(refusals).map((part) => db.prepare(refuse(table)).bind(crawl, toStoredJson(part))));
  }
  const { read = [], visited = [] } = Object.groupBy(commit.texts, ({ visit }) =>
    visit === null ? "read" : "visited",
  );
  statements.push(...planIndexing(db, crawl, read));
  statements.push(...planAdded(db, crawl, commit.added, now));
  statements.push(...planSignalTests(db, crawl, commit.visits));
  statements.push(...planVisits(db, crawl, commit.visits, visited, now));
  const mayTell = commit.added.length > 0 || commit.visits.some(({ change }) => change !== null);
  if (mayTell) statements.push(planWaitingChanges(db, crawl, now));
  const tellsAt = commit.outcomes.some(({ status }) => status === "completed")
    ? statements.push(planTellingPages(db, crawl, outcomes, tx, now)) - 1
    : -1;
  statements.push(...planHostPages(db, crawl, commit.hostPages, commit.limitPerHost));
  const listAt = commit.outcomes.length > 0 ? statements.push(db.prepare(LIST_OUTCOMES).bind(crawl, outcomes)) - 1 : -1;
  const settleAt = commit.outcomes.length > 0 ? statements.push(db.prepare(SETTLE).bind(crawl, outcomes)) - 1 : -1;
  statements.push(...onLeading(RELEASE));
  statements.push(...planRemoval(db, crawl, commit.documents));
  statements.push(...planAskAgain(db, crawl, commit.askAgain));
  statements.push(...planWithholding(db, crawl, commit.withheld));
  statements.push(...planReleasing(db, crawl, commit.released));
  statements.push(...planPacks(db, crawl, commit.packs));
  if (commit.depths !== null) statements.push(...planLowering(db, crawl, commit.depths, discoveries));
  statements.push(...countVariants(db, commit, discoveries));
  const sitemaps = planSitemaps(db, commit, mayGrant ? tx : null);
  const sitemapsAt = statements.push(...sitemaps.statements) - sitemaps.statements.length;
  statements.push(...planReadings(db, crawl, commit.readings));
  if (commit.signals.length > 0) statements.push(...planSignals(db, crawl, commit.signals, now));
  const discoverAt =
    commit.discoveries.length > 0 ? statements.push(db.prepare(DISCOVER).bind(crawl, discoveries, tx)) - 1 : -1;
  if (discoverAt >= 0) statements.push(db.prepare(ADD_TO_BACKLOG).bind(crawl, discoveries));
  if (commit.depths?.looked.length) statements.push(...planUnrefusing(db, crawl));
  const leaving = Object.keys(commit.forOthers).length > 0 ? planLeaving(db, crawl, commit.forOthers) : null;
  const leavingAt = leaving === null ? -1 : statements.push(...leaving.statements) - leaving.statements.length;
  return {
    statements,
    read(results) {
      const inserted = (results[discoverAt]?.results ?? []) as { url: string; tx: number | null }[];
      const granted = inserted.filter((row) => row.tx !== null).map((row) => row.url);
      const settled = (results[settleAt]?.results ?? []) as Settled[];
      const [listed] = (results[listAt]?.results ?? []) as { seq: number }[];
      const sent = sitemaps.read(results.slice(sitemapsAt, sitemapsAt + sitemaps.statements.length));
      const left = leaving?.read(results.slice(leavingAt, leavingAt + leaving.statements.length)) ?? [];
      return { granted, sitemaps: sent, told: receiversOf(results[tellsAt]), settled, list: listed?.seq ?? null, left };
    },
    recall: {
      statements: [db.prepare(SETTLED).bind(crawl, outcomes)],
      read: (answer, [settled]) => ({ ...answer, settled: (settled?.results ?? []) as Settled[] }),
    },
  };
}

/**
 * Plans an entire commit. `leading`: its pages with discoveries. `stallAfterMs`: the least time without progress after
 * which the heartbeat may treat the crawl as stalled.
 */
export function planCommit(
  db: D1Database,
  commit: CrawlCommit,
  now: number,
  stallAfterMs: number,
  leading: readonly string[] = [],
): Required<Plan<Advance & Results>> {
  const tx = nameTransaction();
  const made = planResults(db, commit, { now, stallAfterMs, leading, tx, mayGrant: true });
  const advance = planAdvance(db, commit.crawl, now, tx);
  const advanceAt = made.statements.length;
  return {
    statements: [...made.statements, ...advance.statements],
    read(results) {
      const { granted, sitemaps: sent, told: toldOfPages, settled, list, left } = made.read(results);
      const { queued, sitemaps, told, state } = advance.read(results.slice(advanceAt));
      return {
        queued: [...granted, ...queued],
        sitemaps: [...sent, ...sitemaps],
        told: [...told, ...toldOfPages],
        ...{ state, settled, list, left },
      };
    },
    recall: {
      statements: [...made.recall.statements, ...advance.recall.statements],
      read(answer, [settled, ...rest]) {
        return { ...answer, ...advance.recall.read(answer, rest), settled: (settled?.results ?? []) as Settled[] };
      },
    },
  };
}

/**
 * Plans a transaction with a part of a commit's outcomes and visits, before the commit itself. Its discoveries are in
 * the ledger already, and a failure after it loses nothing, because the other rows are still queued. No URL moves up,
 * and the crawl does not end, because the commit itself does that.
 */
export function planPart(
  db: D1Database,
  part: CrawlCommit,
  now: number,
  stallAfterMs: number,
  leading: readonly string[],
): Required<Plan<{ told: string[] } & Results>> {
  return planResults(db, part, { now, stallAfterMs, leading, tx: nameTransaction(), mayGrant: false });
}

/** The pages of a commit with discoveries that may be new to the ledger. */
export function leadingOf({ outcomes, discoveries, forOthers }: CrawlCommit): string[] {
  const pages = new Set(discoveries.map(({ via }) => via));
  for (const parcel of Object.values(forOthers)) for (const { via } of parcel.discoveries) pages.add(via);
  return outcomes.map(({ url }) => url).filter((url) => pages.has(url));
}

/** A commit in portions that D1 accepts, in the order of their transactions. */
interface CommitParts {
  /** Discoveries that go into the ledger before the commit, none of them empty. */
  portions: Iterable<Discovery[]>;
  /** Outcomes and visits that go into the ledger after all discoveries. */
  parts: CrawlCommit[];
  /** All the rest. */
  last: CrawlCommit;
}

/**
 * Discoveries that one transaction adds. A database does one thing at a time, and so many rows take it some 25 ms: a
 * page of 400,000 links must not stop what others ask of it.
 */
const MOST_DISCOVERIES = 1_000;

/** Splits the discoveries, outcomes and visits of a commit, so that each list fits into a parameter of D1. */
export function splitCommit(commit: CrawlCommit): CommitParts {
  const outcomes = fitting(commit.outcomes);
  const visits = fitting(commit.visits);
  const lastOutcomes = outcomes.pop() ?? [];
  const lastVisits = visits.pop() ?? [];
  if (outcomes.length + visits.length === 0) {
    const from = Math.max(0, Math.ceil(commit.discoveries.length / MOST_DISCOVERIES) - 1) * MOST_DISCOVERIES;
    const lastPortions = fitting(commit.discoveries.slice(from));
    const discoveries = lastPortions.pop() ?? [];
    const portions = inPortions(commit.discoveries.slice(0, from), lastPortions);
    return { portions, parts: [], last: { ...commit, discoveries } };
  }
  const { crawl, sitemaps, packs, signals, withheld } = commit;
  const early = new Set([...outcomes, ...visits].flat().map(({ url }) => url));
  const parts = [
    ...outcomes.map((list) => ofPages(commit, list, [])),
    ...visits.map((list) => ofPages(commit, [], list)),
  ];
  // What pages lead to must be in the ledger before the first of them is settled.
  const first = { ...emptyCommit(crawl), sitemaps, packs, signals, withheld };
  const rest = {
    added: commit.added.filter((url) => !early.has(url)),
    texts: commit.texts.filter(({ url }) => !early.has(url)),
    askAgain: commit.askAgain.filter(({ page }) => !early.has(page)),
    refusals: commit.refusals.filter(({ page, in: table }) => table === "sitemaps" || !early.has(page)),
    hostPages: commit.hostPages.filter(({ url }) => !early.has(url)),
    documents: commit.documents.filter((url) => !early.has(url)),
  };
  const led = { discoveries: [], sitemaps: [], packs: [], signals: [], withheld: [], forOthers: {} };
  const last = { ...commit, ...led, ...rest, outcomes: lastOutcomes, visits: lastVisits };
  return { portions: inPortions(commit.discoveries), parts: [first, ...parts], last };
}

/** Portions that are split off as they are needed, because a hundred thousand discoveries take a second. */
function* inPortions(discoveries: readonly Discovery[], others: Discovery[][] = []): Iterable<Discovery[]> {
  for (let at = 0; at < discoveries.length; at += MOST_DISCOVERIES)
    yield* fitting(discoveries.slice(at, at + MOST_DISCOVERIES));
  yield* others;
}

/** What a commit holds of these pages. */
function ofPages(commit: CrawlCommit, outcomes: Outcome[], visits: VisitOutcome[]): CrawlCommit {
  const pages = new Set([...outcomes, ...visits].map(({ url }) => url));
  return {
    ...emptyCommit(commit.crawl),
    outcomes,
    visits,
    added: commit.added.filter((url) => pages.has(url)),
    texts: commit.texts.filter(({ url }) => pages.has(url)),
    askAgain: commit.askAgain.filter(({ page }) => pages.has(page)),
    refusals: commit.refusals.filter(({ page, in: table }) => table === "urls" && pages.has(page)),
    hostPages: commit.hostPages.filter(({ url }) => pages.has(url)),
    limitPerHost: commit.limitPerHost,
    documents: commit.documents.filter((url) => pages.has(url)),
    depths: commit.depths && { ...NO_DEPTHS, read: commit.depths.read.filter(({ url }) => pages.has(url)) },
  };
}

/**
 * Plans a transaction that adds a portion of a commit's discoveries before the commit itself, to the backlog. A
 * failure between the two loses nothing: the pages that hold the links are still queued, so they are read again. No URL
 * moves up, because the commit sends the messages.
 */
export function planPortion(
  db: D1Database,
  crawl: string,
  portion: Discovery[],
  hasDepthLimit: boolean,
  now: number,
  stallAfterMs: number,
): Plan<undefined> {
  const commit = { ...emptyCommit(crawl), discoveries: portion };
  const discoveries = JSON.stringify(portion);
  const statements = [
    planTally(db, commit, { tx: 0, outcomes: "[]", discoveries, now, stallAfterMs, mayGrant: false }),
    ...(hasDepthLimit ? planLowering(db, crawl, NO_DEPTHS, discoveries) : []),
    ...countVariants(db, commit, discoveries),
    db.prepare(DISCOVER).bind(crawl, discoveries, null),
    db.prepare(ADD_TO_BACKLOG).bind(crawl, discoveries),
  ];
  return { statements, read: () => undefined };
}

interface Tally {
  /** The name of the transaction. */
  tx: number;
  /** In JSON, as the statements after it get them. */
  outcomes: string;
  discoveries: string;
  now: number;
  stallAfterMs: number;
  mayGrant: boolean;
}

function planTally(
  db: D1Database,
  { crawl, joinedHosts, usage }: CrawlCommit,
  { tx, outcomes, discoveries, now, stallAfterMs, mayGrant }: Tally,
): D1PreparedStatement {
  const hosts = JSON.stringify(joinedHosts);
  const used = JSON.stringify(usage);
  return db.prepare(TALLY).bind(crawl, outcomes, discoveries, now, stallAfterMs, hosts, used, mayGrant ? 1 : 0, tx);
}

function countVariants(db: D1Database, commit: CrawlCommit, discoveries: string): D1PreparedStatement[] {
  const hasVariants = commit.discoveries.some(({ pattern }) => pattern !== null);
  return hasVariants ? [db.prepare(COUNT_VARIANTS).bind(commit.crawl, discoveries)] : [];
}
