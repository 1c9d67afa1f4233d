import { LedgerStore } from "../ledger/ledger-store.ts";
import { nameTransaction } from "../ledger/plan.ts";
import { planTelling, wants } from "../notices/outbox.ts";

/**
 * Tells when the trouble of a host of a watch begins and ends. The transaction that notes a trouble tells its beginning
 * and remembers that its end is to be told; the heartbeat tells that one, because it follows from the calendar.
 */

/** A trouble that is over, whose end is still to be told. */
export interface EndedTrouble {
  crawl: string;
  host: string;
  /** When it began: milliseconds since the epoch. */
  since: number;
}

const EVENT = "'watch.trouble'";

/**
 * ?3: the time. ?5: the hosts. ?6: today. The statement that notes the trouble finds the same rows, and sets
 * `troubled_on`.
 */
const BEGUN = "json_each(?5) j CROSS JOIN watch_hosts h ON h.crawl = w.crawl AND h.host = j.value";
const BEGINS = "h.day = ?6 AND h.in_trouble AND (h.troubled_on IS NULL OR h.troubled_on < h.day - 1)";

/** The statement that tells has ?2 and ?4, too. */
const REMEMBER = `
INSERT INTO told_troubles (crawl, host, since)
SELECT DISTINCT h.crawl, h.host, ?3 FROM webhooks w CROSS JOIN ${BEGUN}
WHERE w.crawl = ?1 AND ${BEGINS} AND ${wants(EVENT)}
ON CONFLICT DO NOTHING`;

/**
 * Statements that tell the troubles that begin at these hosts. They run after the visits of the hosts were counted, and
 * before the trouble is noted. `day`: today, in days since 1970. The heartbeat sends the messages.
 */
export function planTellingTroubles(
  db: D1Database,
  crawl: string,
  hosts: readonly string[],
  day: number,
  now: number,
): D1PreparedStatement[] {
  const list = JSON.stringify(hosts);
  const data = `json_object('crawl', c.id, 'host', h.host, 'url', NULL, 'state', 'began', 'since', ?4,
    'visits', h.visits + h.visits_before, 'lost', h.lost + h.lost_before, 'why', h.why)`;
  const telling = { when: BEGINS, event: EVENT, data, each: { rows: BEGUN, nth: "j.key" }, values: [list, day] };
  return [
    planTelling(db, crawl, telling, nameTransaction(), now),
    db.prepare(REMEMBER).bind(crawl, null, now, null, list, day),
  ];
}

export class ToldTroubles extends LedgerStore {
  /** Troubles that were not seen today or yesterday, up to `most`. A watch that is paused or has ended sees nothing. */
  async ended(day: number, most: number): Promise<EndedTrouble[]> {
    return this.all<EndedTrouble>(
      `SELECT t.crawl, t.host, t.since FROM told_troubles t CROSS JOIN crawls c ON c.id = t.crawl
         LEFT JOIN watch_hosts h ON h.crawl = t.crawl AND h.host = t.host
         WHERE c.status IN ('running', 'watching') AND c.deleting_at IS NULL
           AND (h.trouble_since IS NOT t.since OR h.troubled_on < ?1 - 1) LIMIT ?2`,
      [day, most],
    );
  }

  /** Tells the end of a trouble once, however often it is called. */
  async tellEnd({ crawl, host, since }: EndedTrouble, now: number): Promise<void> {
    const telling = {
      when: "EXISTS (SELECT 1 FROM told_troubles WHERE crawl = ?1 AND host = ?5 AND since = ?6)",
      event: EVENT,
      data: "json_object('crawl', c.id, 'host', ?5, 'url', NULL, 'state', 'ended', 'since', ?7, 'visits', NULL, 'lost', NULL, 'why', NULL)",
      values: [host, since, new Date(since).toISOString()],
    };
    await this.db.batch([
      planTelling(this.db, crawl, telling, nameTransaction(), now),
      this.statement("DELETE FROM told_troubles WHERE crawl = ?1 AND host = ?2 AND since = ?3", [crawl, host, since]),
    ]);
  }
}
