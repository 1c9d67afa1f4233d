import type { PageTrouble, VisitOutcome } from "../../crawl/watch/watch.ts";
import { hostKey } from "../../url/host-key.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";
import { nameTransaction } from "../ledger/plan.ts";
import { planTelling } from "../notices/outbox.ts";
import { toStoredJson } from "../records/stored-text.ts";
import { SETTLING } from "./settling-visits.ts";

/**
 * Pages that keep failing while their host is well. Such a page is told as trouble at its third failed visit in a row,
 * and again when it answers. A host in trouble speaks for its pages.
 */

type SettlingVisit = Pick<VisitOutcome, "url" | "visit" | "trouble" | "recovers" | "failures">;

/** Failed visits in a row. */
const LEAST_FAILURES = 3;

/** ?2: the visits. ?4: today. A row that a retry left behind is no trouble that is known. */
const IS_NEW = `u.status = 'completed'
  AND (u.visit_failures < ${LEAST_FAILURES} OR NOT EXISTS (SELECT 1 FROM page_troubles p WHERE p.crawl = u.crawl AND p.url = u.url))
  AND NOT EXISTS (SELECT 1 FROM watch_hosts h
    WHERE h.crawl = u.crawl AND h.host = j.value ->> 'host' AND h.in_trouble AND h.day >= ?4 - 1)`;

const BEGIN = `
INSERT OR REPLACE INTO page_troubles (crawl, url, since, why)
SELECT u.crawl, u.url, ?3, j.value ->> 'trouble' FROM ${SETTLING} WHERE ${IS_NEW}`;

const IS_OVER = "EXISTS (SELECT 1 FROM page_troubles p WHERE p.crawl = u.crawl AND p.url = u.url)";

const SINCE = "(SELECT p.since FROM page_troubles p WHERE p.crawl = u.crawl AND p.url = u.url)";

const END = `
DELETE FROM page_troubles WHERE crawl = ?1 AND url IN (SELECT u.url FROM ${SETTLING})`;

const dataOf = (state: "began" | "ended", since: string, why: string) =>
  `json_object('crawl', c.id, 'host', j.value ->> 'host', 'url', u.url, 'state', '${state}', 'since', ${since},
    'visits', NULL, 'lost', NULL, 'why', ${why})`;

/** SETTLING in the place of the list that a telling statement has. */
const TOLD_ROWS = SETTLING.replaceAll("?2", "?5");

/** Tells and notes troubles of pages that begin or end. Runs before the rows are settled, after their hosts' count. */
export function planPageTroubles(
  db: D1Database,
  crawl: string,
  visits: readonly SettlingVisit[],
  day: number,
  now: number,
): D1PreparedStatement[] {
  const listOf = (chosen: readonly SettlingVisit[]) =>
    toStoredJson(chosen.map(({ url, visit, trouble }) => ({ url, visit, host: hostKey(url), trouble })));
  const failing = visits.filter(({ trouble, failures }) => trouble !== undefined && failures >= LEAST_FAILURES);
  const well = visits.filter(({ recovers }) => recovers === true);
  const tell = (when: string, data: string, values: (string | number)[]) => {
    const each = { rows: TOLD_ROWS, nth: "j.key" };
    return planTelling(db, crawl, { when, event: "'watch.trouble'", data, each, values }, nameTransaction(), now);
  };
  const began = listOf(failing);
  const ended = listOf(well);
  return [
    ...(failing.length === 0
      ? []
      : [
          tell(IS_NEW.replaceAll("?4", "?6"), dataOf("began", "?4", "j.value ->> 'trouble'"), [began, day]),
          db.prepare(BEGIN).bind(crawl, began, now, day),
        ]),
    ...(well.length === 0
      ? []
      : [tell(IS_OVER, dataOf("ended", isoOf(SINCE), "NULL"), [ended]), db.prepare(END).bind(crawl, ended)]),
  ];
}

/** SQL: a time in milliseconds as ISO 8601. */
function isoOf(time: string): string {
  return `strftime('%Y-%m-%dT%H:%M:%fZ', ${time} / 1000.0, 'unixepoch')`;
}

export class PageTroubles extends LedgerStore {
  /** The pages of a watch that keep failing, up to `most`. A retry asks for a page anew, and leaves its row behind. */
  async list(crawl: string, most: number): Promise<PageTrouble[]> {
    return this.all<PageTrouble>(
      `SELECT p.url, p.since, p.why FROM page_troubles p CROSS JOIN urls u ON u.crawl = p.crawl AND u.url = p.url
         WHERE p.crawl = ?1 AND u.visit_failures > 0 ORDER BY p.url LIMIT ?2`,
      [crawl, most],
    );
  }
}
