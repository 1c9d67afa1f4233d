import type { RestlessPlaces } from "../../changes/restless-places.ts";
import type { ToldVersions } from "../../changes/told-versions.ts";
import { monthAt, monthOf } from "../../crawl/bounds/month.ts";
import type { QueuedUrl } from "../../crawl/crawl.ts";
import { reasonsThat } from "../../crawl/page/reason.ts";
import type { RowFields } from "../../crawl/page/row-fields.ts";
import type { VisitedRow } from "../../crawl/watch/visit-time.ts";
import type { OpenFinding, Visit, Watch } from "../../crawl/watch/watch.ts";
import { NO_SIGNALS, type SignalCount, trustOf } from "../../revisit/signal-trust.ts";
import type { SiteKnowledge } from "../../revisit/site-prior.ts";
import type { VisitBudget, VisitCounts } from "../../revisit/visit-budget.ts";
import { hostKey } from "../../url/host-key.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";
import { documentOf, toDocument } from "../mirror/waiting-documents.ts";
import { toKnowledge } from "./stored-knowledge.ts";

/** Finds the pages of a watch whose visits are due, and reads what a visit needs. */

/** A page that may be visited again, and its URL. */
export interface DueRow extends VisitedRow, Pick<Visit, "signalledAt"> {
  url: string;
}

/** What says when a page is visited next. */
export interface NextVisit extends VisitedRow, Pick<Visit, "failures" | "missingAt" | "signalledAt"> {
  /** What the last visits say that is to be confirmed (`OpenFinding.says`); null if nothing is known. */
  says: string | null;
  /** The factor of all intervals of the watch. */
  scale: number;
  /** When a visit of all pages was last asked for; null if it never was. */
  askedAt: number | null;
}

/** The place of the heartbeat in a watch. */
export interface Sweep {
  /** The URL after which it goes on; empty for the first. */
  after: string;
  /** The epoch of the messages that it sent. */
  epoch: number;
  /** When this lap over all rows began, and the one before: 0 if there was none whose messages may still be alive. */
  lapAt: number;
  lastLapAt: number;
  /** Before this time no new lap begins. */
  nextLapAt: number;
  /** Visits that were sent, each once, and those that settled, since the watch began. */
  sent: number;
  settled: number;
  /** When visits last settled, or none was under way. */
  movedAt: number;
  budget: VisitBudget;
  /** Visits that were sent since the budget was last stepped. */
  begun: VisitCounts;
}

export interface WatchedCrawl {
  id: string;
  epoch: number;
  watch: Watch;
  watchingSince: number;
  knowledge: SiteKnowledge;
  /** Pages that are visited: those that the last survey found, or completed and errored ones. */
  size: number;
  /** Visits that they are to have in the mean interval, as the last survey counted them; before it, one each. */
  demand: number;
  /** Visits that settled. */
  settled: number;
  /** Null before the first heartbeat. */
  sweep: Sweep | null;
  /** When a visit of all pages was last asked for; null if it never was. */
  askedAt: number | null;
}

export type VisitRow = Omit<QueuedUrl, "visit" | "unanswered" | "attempts" | "cookies" | "document"> &
  Omit<
    Visit,
    "wasKept" | "hasUnstoredValidators" | "trust" | "told" | "fields" | "beganAt" | "openFinding" | "restless"
  > & {
    wasKept: number;
    hasUnstoredValidators: number | null;
    /** A SignalCount in JSON. */
    signals: string | null;
    told: string | null;
    openFinding: string | null;
    restless: string | null;
    fields: string | null;
    document: string | null;
  };

const VISITED_REASONS = reasonsThat(({ isVisited }) => isVisited)
  .map((reason) => `'${reason}'`)
  .join(", ");

/**
 * What signals make due: what was fetched, errors, redirects and pages of which only the links count. Not what
 * robots.txt or a limit left out. SQLite looks the list of reasons up in a table, and counts two rows read for it, so
 * it is asked of skipped pages alone.
 */
export const TAKES_SIGNALS = `iif(u.status IN ('completed', 'errored'), 1, u.status = 'skipped' AND u.reason IN (${VISITED_REASONS}))`;

/** What is visited again: pages, and the assets of a page that has changed, which signals them. */
export const IS_VISITED = `(u.kind = 'page' OR u.signalled_at IS NOT NULL) AND ${TAKES_SIGNALS}`;

export const LAST_AT = "coalesce(u.visited_at, u.fetched_at, 0)";

/** `visits`: hints. */
export function planVisitAdmission(
  db: D1Database,
  visits: readonly { crawl: string; url: string; visit: number | null }[],
): D1PreparedStatement {
  return db
    .prepare(
      `SELECT u.crawl, u.url, u.depth, u.priority, u.redirects, u.chain, u.kind, u.lastmod, u.via, u.found, u.visits AS count, u.status, u.reason, u.detail,
         u.title, u.content_type AS contentType, u.body_sha256 AS sha256, u.etag, u.last_modified AS lastModified,
         u.validators_unstored AS hasUnstoredValidators, ${LAST_AT} AS lastAt,
         u.rate_changes AS rateChanges, u.rate_days AS rateDays, u.visit_failures AS failures, u.missing_at AS missingAt, u.told, u.fields,
         u.open_finding AS openFinding, u.restless, coalesce(u.full_at, u.fetched_at) AS fullAt,
         (SELECT h.lied_at FROM watch_hosts h WHERE h.crawl = u.crawl AND h.host = j.value ->> 'host') AS liedAt,
         u.signalled_at AS signalledAt, iif(u.pack_offset IS NULL, NULL, u.fetched_at) AS storedAt, u.revisits,
         (SELECT json_object('signalled', s.signalled, 'proved', s.proved, 'expected', s.expected, 'changed', s.changed) FROM signals s
           WHERE u.signalled_at IS NOT NULL AND s.crawl = u.crawl AND s.host = j.value ->> 'host') AS signals,
         EXISTS (SELECT 1 FROM versions v WHERE v.crawl = u.crawl AND v.url = u.url) AS wasKept,
         ${documentOf("u.visits")} AS document
       FROM json_each(?1) j CROSS JOIN urls u ON u.crawl = j.value ->> 'crawl' AND u.url = j.value ->> 'url'
         AND u.visits = j.value ->> 'visit'
       WHERE ${IS_VISITED}`,
    )
    .bind(JSON.stringify(visits.map((visit) => ({ ...visit, host: hostKey(visit.url) }))));
}

/** `now`: milliseconds since the epoch. */
export function toVisitedUrl(row: VisitRow, now: number): QueuedUrl {
  const {
    crawl,
    url,
    depth,
    priority,
    redirects,
    chain,
    kind,
    lastmod,
    via,
    found,
    wasKept,
    hasUnstoredValidators,
    signals,
    told,
    openFinding,
    restless,
    fields,
    document,
    ...visit
  } = row;
  const count = signals === null ? NO_SIGNALS : (JSON.parse(signals) as SignalCount);
  return {
    ...{ crawl, url, depth, priority, redirects, chain, kind, lastmod, via, found },
    visit: {
      ...visit,
      wasKept: wasKept === 1,
      hasUnstoredValidators: hasUnstoredValidators === 1,
      trust: visit.signalledAt === null ? null : trustOf(count),
      told: told === null ? null : (JSON.parse(told) as ToldVersions),
      beganAt: now,
      openFinding: openFinding === null ? null : (JSON.parse(openFinding) as OpenFinding),
      restless: restless === null ? null : (JSON.parse(restless) as RestlessPlaces),
      fields: fields === null ? null : (JSON.parse(fields) as RowFields),
    },
    attempts: 0,
    cookies: null,
    unanswered: null,
    document: toDocument(document),
  };
}

export class DueVisits extends LedgerStore {
  /** The watches that visit pages now. */
  async watches(): Promise<WatchedCrawl[]> {
    const results = await this.all<{
      id: string;
      epoch: number;
      watch: string;
      watchingSince: number;
      knowledge: string;
      size: number;
      demand: number;
      settled: number;
      sweep: string | null;
      askedAt: number | null;
    }>(`SELECT id, epoch, options -> '$.watch' AS watch, watching_since AS watchingSince, knowledge,
           coalesce(survey ->> '$.done.pages', completed - assets_completed + errored) AS size,
           coalesce(survey ->> '$.done.demand', survey ->> '$.done.pages', completed - assets_completed + errored) AS demand,
           (SELECT coalesce(sum(value), 0) FROM json_each(visits)) AS settled, sweep, notes ->> '$.visitsAskedAt' AS askedAt FROM crawls
         WHERE every_s IS NOT NULL AND watching_since IS NOT NULL AND status IN ('running', 'watching') AND deleting_at IS NULL`);
    return results.map(({ watch, knowledge, sweep, ...row }) => ({
      ...row,
      watch: JSON.parse(watch) as Watch,
      knowledge: toKnowledge(knowledge),
      sweep: sweep === null ? null : (JSON.parse(sweep) as Sweep),
    }));
  }

  /**
   * The next `most` rows after the URL `after`: those that are visited, and the URL where to go on; null at the end.
   */
  async next(crawl: string, after: string, most: number): Promise<{ pages: DueRow[]; last: string | null }> {
    const results = await this.all<DueRow & { isVisited: number }>(
      `SELECT u.url, u.seq, u.visits, u.visit_at AS visitAt, ${LAST_AT} AS lastAt,
           coalesce(u.rate_changes, 0) AS changes, coalesce(u.rate_days, 0) AS days, u.signalled_at AS signalledAt,
           ${IS_VISITED} AS isVisited
         FROM urls u WHERE u.crawl = ?1 AND u.url > ?2 ORDER BY u.url LIMIT ?3`,
      [crawl, after, most],
    );
    const pages = results.filter(({ isVisited }) => isVisited === 1).map(({ isVisited: _, ...page }) => page);
    return { pages, last: results.length < most ? null : (results.at(-1)?.url ?? null) };
  }

  /** Null for a page that is not visited again, and in a crawl that does not visit. */
  async nextVisit(crawl: string, url: string): Promise<NextVisit | null> {
    return this.first<NextVisit>(
      `SELECT u.url, u.seq, u.visits, u.visit_at AS visitAt, ${LAST_AT} AS lastAt, u.visit_failures AS failures, u.missing_at AS missingAt,
           u.open_finding ->> 'says' AS says, u.signalled_at AS signalledAt, coalesce(u.rate_changes, 0) AS changes, coalesce(u.rate_days, 0) AS days,
           coalesce(c.sweep ->> '$.budget.scale', 1.0) AS scale, c.notes ->> '$.visitsAskedAt' AS askedAt
         FROM urls u JOIN crawls c ON c.id = u.crawl AND c.watching_since IS NOT NULL
         WHERE u.crawl = ?1 AND u.url = ?2 AND ${IS_VISITED}`,
      [crawl, url],
    );
  }

  /** Whether all pages were visited since this time. Reads up to all rows of the crawl. */
  async areVisitedSince(crawl: string, since: number): Promise<boolean> {
    const query = `
      SELECT NOT EXISTS (SELECT 1 FROM urls u WHERE u.crawl = ?1 AND ${IS_VISITED} AND ${LAST_AT} < ?2) AS are`;
    return (await this.value("are", query, [crawl, since])) === 1;
  }

  /** The first completed pages of a host, up to `most`. */
  async someCompleted(crawl: string, host: string, most: number): Promise<string[]> {
    const urls: string[] = [];
    for (const scheme of ["https", "http"]) {
      const results = await this.all<{ url: string }>(
        `SELECT url FROM urls WHERE crawl = ?1 AND url >= ?2 AND url < ?2 || char(127) AND status = 'completed' AND kind = 'page'
           ORDER BY url LIMIT ?3`,
        [crawl, `${scheme}://${host}/`, most],
      );
      urls.push(...results.map(({ url }) => url));
    }
    return urls.slice(0, most);
  }

  /**
   * Begins a month for each watch that has not begun it: its cost of the month counts from here on. A crawl of this
   * month has cost all that it has. Returns the crawls that a limit paused and that go on now.
   */
  async beginMonth(now: number): Promise<string[]> {
    const [, due] = await this.db.batch<{ id: string }>([
      this.statement(
        `UPDATE crawls SET month = ?1, month_usage = iif(month IS NULL AND created_at >= ?2, '{}', usage)
           WHERE every_s IS NOT NULL AND month IS NOT ?1 AND deleting_at IS NULL`,
        [monthOf(now), monthAt(now)],
      ),
      this.statement(
        `SELECT id FROM crawls
           WHERE status = 'paused' AND resume_at <= ?1 AND every_s IS NOT NULL AND deleting_at IS NULL`,
        [now],
      ),
    ]);
    return (due?.results ?? []).map(({ id }) => id);
  }

  /** `halve`: also halves what the watch knows, so that it follows the site. */
  async noteSweep(crawl: string, sweep: Sweep, halve: boolean): Promise<void> {
    const half = "(SELECT json_group_object(key, value / 2.0) FROM json_each(knowledge))";
    const sql = `UPDATE crawls SET sweep = ?2${halve ? `, knowledge = ${half}` : ""} WHERE id = ?1`;
    await this.run(sql, [crawl, JSON.stringify(sweep)]);
  }
}
