import { DAY_MS } from "../../core/clock.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import type { HostTrouble, VisitOutcome } from "../../crawl/watch/watch.ts";
import { hostKey } from "../../url/host-key.ts";
import { type CrawlRow, toCrawl } from "../ledger/crawl-row.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";
import { toStoredJson } from "../records/stored-text.ts";
import { planPageTroubles } from "./page-troubles.ts";
import { SETTLING } from "./settling-visits.ts";
import { planTellingTroubles } from "./told-troubles.ts";
import { IN_OPEN } from "../ledger/open-crawls.ts";

/**
 * How the visits of a watch go at each host. Where many pages of a host are lost at once (missing, moved, failing, or
 * behind a wall), it is the host that is in trouble: what its pages say is held until the next day confirms it.
 */

type SettlingVisit = Pick<
  VisitOutcome,
  "url" | "visit" | "result" | "change" | "trouble" | "recovers" | "marks" | "failures"
>;

const isLost = ({ result, trouble, change }: SettlingVisit) =>
  result === "failed" || trouble !== undefined || change === "removed" || change === "moved";

/** A host with more rows is counted by the first ones: so many visits outweigh any that are lost. */
const MOST_ROWS = 20_000;

/**
 * SQL: the visits of a host between two days, from the rows of its pages. Both schemes and all ports are one host.
 */
const visitsBetween = (from: string, to: string) => `(SELECT count(*) FROM (
  SELECT coalesce(r.visited_at, r.fetched_at) AS at
  FROM json_each('["https://","http://"]') s CROSS JOIN json_each('[["/","0"],[":",";"]]') b CROSS JOIN urls r
    ON r.crawl = ?1 AND r.url >= s.value || c.host || (b.value ->> 0) AND r.url < s.value || c.host || (b.value ->> 1)
  LIMIT ${MOST_ROWS}) WHERE at >= ${DAY_MS} * ${from} AND at < ${DAY_MS} * ${to})`;

const IS_COUNTED = "h.day BETWEEN ?4 - 1 AND ?4 AND h.lost + h.lost_before > 0";

/**
 * ?4: today. A day that is older than yesterday counts no more. Each visit counts once, but for one that asks again on
 * the same day for a page that was lost already. Visits of a host without a loss write nothing: with the first loss,
 * those of its two days are counted from its rows.
 */
const COUNT = `
INSERT INTO watch_hosts (crawl, host, day, visits, lost, visits_before, why)
SELECT ?1, c.host, ?4, c.visits + iif(c.is_counted, 0, ${visitsBetween("?4", "(?4 + 1)")}), c.lost,
  iif(c.is_counted, 0, ${visitsBetween("(?4 - 1)", "?4")}), c.why
FROM (
  SELECT j.value ->> 'host' AS host, count(*) AS visits, sum(j.value ->> 'lost') AS lost, max(j.value ->> 'trouble') AS why,
    EXISTS (SELECT 1 FROM watch_hosts h WHERE h.crawl = ?1 AND h.host = j.value ->> 'host' AND ${IS_COUNTED}) AS is_counted
  FROM ${SETTLING}
  WHERE NOT ((u.visit_failures > 0 OR u.missing_at IS NOT NULL) AND j.value ->> 'lost' AND u.visited_at >= ${DAY_MS} * ?4)
  GROUP BY j.value ->> 'host'
) c WHERE c.lost > 0 OR c.is_counted
ON CONFLICT (crawl, host) DO UPDATE SET
  visits_before = CASE ?4 - day WHEN 0 THEN visits_before WHEN 1 THEN visits ELSE 0 END + excluded.visits_before,
  lost_before = CASE ?4 - day WHEN 0 THEN lost_before WHEN 1 THEN lost ELSE 0 END,
  visits = iif(day = ?4, visits, 0) + excluded.visits,
  lost = iif(day = ?4, lost, 0) + excluded.lost,
  why = coalesce(excluded.why, why),
  day = ?4`;

/** Once a day for each host in trouble: trouble begins where `trouble_since` gets the time of this transaction. */
const NOTE = `
UPDATE watch_hosts SET trouble_since = iif(troubled_on >= day - 1, trouble_since, ?3), troubled_on = day
WHERE crawl = ?1 AND host IN (SELECT value ->> 'host' FROM json_each(?2)) AND day = ?4 AND in_trouble AND troubled_on IS NOT day`;

const MARK = `
INSERT OR REPLACE INTO answer_marks (crawl, host, url, marks, at)
SELECT ?1, j.value ->> 'host', u.url, j.value -> 'marks', ?3 FROM ${SETTLING} WHERE j.value -> 'marks' IS NOT NULL`;

/** Those of pages that have not answered so for a month. */
const FORGET = "DELETE FROM answer_marks WHERE crawl = ?1 AND host IN (SELECT value FROM json_each(?2)) AND at < ?3";
const MARKS_KEPT_MS = 30 * DAY_MS;

/** Counts visits, and tells new troubles. Runs before the rows are settled. */
export function planTrouble(
  db: D1Database,
  crawl: string,
  visits: readonly SettlingVisit[],
  now: number,
): D1PreparedStatement[] {
  const counted = visits.map((visit) => {
    const { url, trouble, marks } = visit;
    const more = { ...(trouble === undefined ? {} : { trouble }), ...(marks === undefined ? {} : { marks }) };
    return { url, visit: visit.visit, host: hostKey(url), lost: isLost(visit) ? 1 : 0, ...more };
  });
  const list = toStoredJson(counted);
  const bound = (sql: string) => db.prepare(sql).bind(crawl, list, now, dayOf(now));
  const lost = [...new Set(counted.filter((visit) => visit.lost === 1).map(({ host }) => host))];
  const marked = [...new Set(counted.filter(({ marks }) => marks !== undefined).map(({ host }) => host))];
  return [
    bound(COUNT),
    ...(lost.length === 0 ? [] : [...planTellingTroubles(db, crawl, lost, dayOf(now), now), bound(NOTE)]),
    ...(marked.length === 0
      ? []
      : [
          db.prepare(MARK).bind(crawl, list, now),
          db.prepare(FORGET).bind(crawl, JSON.stringify(marked), now - MARKS_KEPT_MS),
        ]),
    ...planPageTroubles(db, crawl, visits, dayOf(now), now),
  ];
}

/** Days since 1970. */
export function dayOf(now: number): number {
  return Math.floor(now / DAY_MS);
}

/** SQL over `crawls`: a watch that visits pages of the `URL.host` ?1. */
export const IS_WATCH_OF_HOST = `every_s IS NOT NULL AND watching_since IS NOT NULL AND status ${IN_OPEN} AND deleting_at IS NULL AND EXISTS (SELECT 1 FROM json_each(hosts) WHERE value = ?1)`;

export class WatchHosts extends LedgerStore {
  /** The watches that visit pages of this `URL.host`. */
  async watchesOf(host: string): Promise<Crawl[]> {
    const results = await this.all<CrawlRow>(`SELECT * FROM crawls WHERE ${IS_WATCH_OF_HOST}`, [host]);
    return results.map(toCrawl);
  }

  /** Whether the host of this URL is in trouble. */
  async isTroubled(crawl: string, url: string, now: number): Promise<boolean> {
    const row = await this.first<{ isTroubled: number }>(
      "SELECT in_trouble AND day >= ?3 AS isTroubled FROM watch_hosts WHERE crawl = ?1 AND host = ?2",
      [crawl, hostKey(url), dayOf(now) - 1],
    );
    return row?.isTroubled === 1;
  }

  /** The hosts of a watch that are in trouble now, up to `most`. */
  async troubled(crawl: string, now: number, most: number): Promise<HostTrouble[]> {
    return this.all<HostTrouble>(
      `SELECT host, trouble_since AS since, lost + lost_before AS lost, visits + visits_before AS visits, why FROM watch_hosts
         WHERE crawl = ?1 AND in_trouble AND day >= ?2 ORDER BY host LIMIT ?3`,
      [crawl, dayOf(now) - 1, most],
    );
  }

  /** The marks of answers of pages that lost their text since then, by URL, up to `most`. */
  async answers(crawl: string, host: string, since: number, most: number): Promise<[string, ReadonlySet<string>][]> {
    const rows = await this.all<{ url: string; marks: string }>(
      "SELECT url, marks FROM answer_marks WHERE crawl = ?1 AND host = ?2 AND at >= ?3 LIMIT ?4",
      [crawl, host, since, most],
    );
    return rows.map(({ url, marks }) => [url, new Set(JSON.parse(marks) as string[])]);
  }
}
