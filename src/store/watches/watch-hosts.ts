import { DAY_MS } from "../../core/clock.ts";
import type { ChangeKind, HostTrouble, VisitResult } from "../../crawl/watch/watch.ts";
import { hostKey } from "../../url/host-key.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";
import { toStoredJson } from "../records/stored-text.ts";
import { SETTLING } from "./settling-visits.ts";
import { planTellingTroubles } from "./told-troubles.ts";

/**
 * How the visits of a watch go at each host. Where many pages of a host are missing, moved or failing at once, it is
 * the host that is in trouble: what its pages say is held until the next day confirms it.
 */

interface SettlingVisit {
  url: string;
  /** The number of settled visits when this one began. */
  visit: number;
  result: VisitResult;
  change: ChangeKind | null;
}

const isLost = ({ result, change }: SettlingVisit) =>
  result === "missing" || result === "failed" || change === "removed" || change === "moved";

/** ?4: today. A day that is older than yesterday counts no more. */
const COUNT = `
INSERT INTO watch_hosts (crawl, host, day, visits, lost)
SELECT ?1, j.value ->> 'host', ?4, count(*), sum(j.value ->> 'lost') FROM ${SETTLING} WHERE true GROUP BY j.value ->> 'host'
ON CONFLICT (crawl, host) DO UPDATE SET
  visits_before = CASE ?4 - day WHEN 0 THEN visits_before WHEN 1 THEN visits ELSE 0 END,
  lost_before = CASE ?4 - day WHEN 0 THEN lost_before WHEN 1 THEN lost ELSE 0 END,
  visits = iif(day = ?4, visits, 0) + excluded.visits,
  lost = iif(day = ?4, lost, 0) + excluded.lost,
  day = ?4`;

/** Once a day for each host in trouble: trouble begins where `trouble_since` gets the time of this transaction. */
const NOTE = `
UPDATE watch_hosts SET trouble_since = iif(troubled_on >= day - 1, trouble_since, ?3), troubled_on = day
WHERE crawl = ?1 AND host IN (SELECT value ->> 'host' FROM json_each(?2)) AND day = ?4 AND is_troubled AND troubled_on IS NOT day`;

/** Counts the visits of the hosts of which one was lost, and tells new troubles. Runs before the rows are settled. */
export function planTrouble(
  db: D1Database,
  crawl: string,
  visits: readonly SettlingVisit[],
  now: number,
): D1PreparedStatement[] {
  const hosts = new Set(visits.filter(isLost).map(({ url }) => hostKey(url)));
  const counted = visits.flatMap((visit) => {
    const host = hostKey(visit.url);
    return hosts.has(host) ? [{ url: visit.url, visit: visit.visit, host, lost: isLost(visit) ? 1 : 0 }] : [];
  });
  if (counted.length === 0) return [];
  const list = toStoredJson(counted);
  const bound = (sql: string) => db.prepare(sql).bind(crawl, list, now, dayOf(now));
  return [bound(COUNT), ...planTellingTroubles(db, crawl, [...hosts], dayOf(now), now), bound(NOTE)];
}

/** Days since 1970. */
export function dayOf(now: number): number {
  return Math.floor(now / DAY_MS);
}

export class WatchHosts extends LedgerStore {
  /** Whether the host of this URL is in trouble. */
  async isTroubled(crawl: string, url: string, now: number): Promise<boolean> {
    const row = await this.first<{ isTroubled: number }>(
      "SELECT is_troubled AND day >= ?3 AS isTroubled FROM watch_hosts WHERE crawl = ?1 AND host = ?2",
      [crawl, hostKey(url), dayOf(now) - 1],
    );
    return row?.isTroubled === 1;
  }

  /** The hosts of a watch that are in trouble now, up to `most`. */
  async troubled(crawl: string, now: number, most: number): Promise<HostTrouble[]> {
    return this.all<HostTrouble>(
      `SELECT host, trouble_since AS since, lost + lost_before AS lost, visits + visits_before AS visits FROM watch_hosts
         WHERE crawl = ?1 AND is_troubled AND day >= ?2 ORDER BY host LIMIT ?3`,
      [crawl, dayOf(now) - 1, most],
    );
  }
}
