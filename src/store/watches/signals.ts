import { LEAST_SIGNALS, type Signal, type SignalBudget } from "../../crawl/watch/signal.ts";
import type { VisitOutcome } from "../../crawl/watch/watch.ts";
import { MEMORY_VISITS, type SignalCount } from "../../revisit/signal-trust.ts";
import { hostKey } from "../../url/host-key.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";
import { fitting } from "../records/fitting.ts";
import { toStoredJson } from "../records/stored-text.ts";
import { IS_VISITED, LAST_AT, TAKES_SIGNALS } from "./due-visits.ts";
import { SETTLING, TAKES_VISITS } from "./settling-visits.ts";

/** Signals in D1: which pages they concern, what they cost, and how often they proved true. */

/** A page whose date in a sitemap is later than the known one. Times are milliseconds since the epoch. */
export interface MovedPage {
  url: string;
  lastmod: number;
  /** Whether no date was known. */
  isFirst: boolean;
  /** The last visit, or the first fetch. */
  lastAt: number;
}

/** A page is not visited sooner after a visit than this share of the mean interval, whatever signals say. */
const LEAST_SHARE = 32;

/** Whether the signal tells something that the row does not have yet. So a transaction that runs twice counts once. */
const IS_NEWS = `iif(s.lastmod IS NULL, u.signalled_at IS NULL, u.lastmod IS NULL OR u.lastmod < s.lastmod)`;

const LISTED = `s AS MATERIALIZED (
  SELECT value ->> 'url' AS url, value ->> 'lastmod' AS lastmod, value ->> 'isDue' AS is_due FROM json_each(?2))`;

/** Adds the visits of pages that the signals bring to the debt. Runs before SIGNAL. */
const SPEND = `
WITH ${LISTED}, t AS (
  SELECT count(*) AS n FROM s CROSS JOIN urls u ON u.crawl = ${TAKES_VISITS} AND u.url = s.url
  WHERE s.is_due AND u.kind = 'page' AND ${TAKES_SIGNALS} AND ${IS_NEWS}
)
UPDATE crawls SET signal_debt_at = ?3, signal_debt = t.n
  + max(0, signal_debt - max(completed, ${LEAST_SIGNALS}) * max(0, ?3 - signal_debt_at) / (every_s * 1000.0))
FROM t WHERE id = ?1 AND t.n > 0`;

/** One row a URL. Its visit comes sooner, never later. */
const SIGNAL = `
WITH ${LISTED}
UPDATE urls AS u SET lastmod = coalesce(s.lastmod, u.lastmod), signalled_at = ?3,
  visit_at = CASE WHEN s.is_due THEN
    min(coalesce(u.visit_at, 9e15), max(?3, ${LAST_AT} + (SELECT every_s * 1000 / ${LEAST_SHARE} FROM crawls WHERE id = ?1)))
    ELSE u.visit_at END
FROM s WHERE u.crawl = ${TAKES_VISITS} AND u.url = s.url AND ${TAKES_SIGNALS} AND ${IS_NEWS}`;

export function planSignals(
  db: D1Database,
  crawl: string,
  signals: readonly Signal[],
  now: number,
): D1PreparedStatement[] {
  return fitting(signals).flatMap((part) =>
    [SPEND, SIGNAL].map((sql) => db.prepare(sql).bind(crawl, toStoredJson(part), now)),
  );
}

const TOTALS = ["signalled", "proved", "expected", "changed"] as const;

/** Runs before the rows are settled. */
const TEST = `
INSERT INTO signals (crawl, host, signalled, proved, expected, changed)
SELECT ?1, j.value ->> 'host', ${TOTALS.map((total) => `sum(j.value ->> '${total}')`).join(", ")}
FROM ${SETTLING} WHERE u.kind = 'page' GROUP BY j.value ->> 'host'
ON CONFLICT DO UPDATE SET ${TOTALS.map(
  (total) => `${total} = (${total} + excluded.${total}) * iif(signalled + changed > ${MEMORY_VISITS}, 0.5, 1)`,
).join(", ")}`;

/** Counts how the visits of signalled pages ended, and which pages changed without a signal. */
export function planSignalTests(db: D1Database, crawl: string, visits: readonly VisitOutcome[]): D1PreparedStatement[] {
  const tests = visits.flatMap(({ url, visit, tested }) =>
    tested === null || tested.signalled + tested.changed === 0 ? [] : [{ url, visit, host: hostKey(url), ...tested }],
  );
  return tests.length === 0 ? [] : [db.prepare(TEST).bind(crawl, toStoredJson(tests))];
}

const MOVED = `
SELECT u.url, j.value ->> 'lastmod' AS lastmod, u.lastmod IS NULL AS isFirst, ${LAST_AT} AS lastAt
FROM json_each(?2) j CROSS JOIN urls u ON u.crawl = ?1 AND u.url = j.value ->> 'url'
WHERE ${IS_VISITED} AND (u.lastmod IS NULL OR u.lastmod < j.value ->> 'lastmod')`;

export class Signals extends LedgerStore {
  /** The visited pages among these whose date is later than the known one. Reads a row a page, and writes none. */
  async moved(crawl: string, dates: readonly { url: string; lastmod: number }[]): Promise<MovedPage[]> {
    const moved: MovedPage[] = [];
    // One after the other: a batch would hold all parts of a large sitemap at once.
    for (const part of fitting(dates)) {
      const results = await this.all<Omit<MovedPage, "isFirst"> & { isFirst: number }>(MOVED, [
        crawl,
        JSON.stringify(part),
      ]);
      for (const { isFirst, ...page } of results) moved.push({ ...page, isFirst: isFirst === 1 });
    }
    return moved;
  }

  /** The visited pages among these that have no signal yet. */
  async unsignalled(crawl: string, urls: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (const part of fitting(urls)) {
      const results = await this.all<{ url: string }>(
        `SELECT u.url FROM json_each(?2) j CROSS JOIN urls u ON u.crawl = ?1 AND u.url = j.value
           WHERE ${IS_VISITED} AND u.signalled_at IS NULL`,
        [crawl, JSON.stringify(part)],
      );
      found.push(...results.map(({ url }) => url));
    }
    return found;
  }

  /** The totals of these hosts; none for a host without signals and changes. */
  async counts(crawl: string, hosts: readonly string[]): Promise<Map<string, SignalCount>> {
    const results = await this.all<SignalCount & { host: string }>(
      `SELECT s.host, s.signalled, s.proved, s.expected, s.changed FROM json_each(?2) j
         CROSS JOIN signals s ON s.crawl = ?1 AND s.host = j.value`,
      [crawl, JSON.stringify(hosts)],
    );
    return new Map(results.map(({ host, ...count }) => [host, count]));
  }

  /** Null for a crawl that is no watch. */
  async budget(crawl: string): Promise<SignalBudget | null> {
    return this.first<SignalBudget>(
      `SELECT signal_debt AS debt, signal_debt_at AS at, completed AS pages, every_s * 1000 AS everyMs FROM crawls
         WHERE id = ?1 AND every_s IS NOT NULL`,
      [crawl],
    );
  }
}
