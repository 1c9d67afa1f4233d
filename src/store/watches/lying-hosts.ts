import type { VisitOutcome } from "../../crawl/watch/watch.ts";
import { hostKey } from "../../url/host-key.ts";
import { toStoredJson } from "../records/stored-text.ts";
import { SETTLING } from "./settling-visits.ts";
import { dayOf } from "./watch-hosts.ts";

/** Hosts whose validators stayed while their pages changed: their pages are then asked for in full (full-look.ts). */

const NOTE = `
INSERT INTO watch_hosts (crawl, host, day, visits, lost, lied_at)
SELECT DISTINCT ?1, j.value ->> 'host', ?4, 0, 0, ?3 FROM ${SETTLING} WHERE true
ON CONFLICT (crawl, host) DO UPDATE SET lied_at = ?3`;

/** Runs before the rows are settled. No statement where no page of the visits has lied. */
export function planLies(
  db: D1Database,
  crawl: string,
  visits: readonly Pick<VisitOutcome, "url" | "visit" | "hasLied">[],
  now: number,
): D1PreparedStatement[] {
  const lies = visits.flatMap(({ url, visit, hasLied }) => (hasLied ? [{ url, visit, host: hostKey(url) }] : []));
  return lies.length === 0 ? [] : [db.prepare(NOTE).bind(crawl, toStoredJson(lies), now, dayOf(now))];
}
