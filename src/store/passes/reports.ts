import type { Crawl, CrawlUrl } from "../../crawl/crawl.ts";
import {
  fillHistory,
  type HistoryStep,
  type HostCount,
  historyStepMs,
  type Report,
} from "../../crawl/report/report.ts";
import { ORIGIN, URL_COLUMNS } from "../ledger/fact-columns.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";

/**
 * Counts a crawl's rows in all ways at once. It reads each row four times, in four passes. Counters or indexes would
 * cost one more billed row at every write, and reading a row costs a thousandth of that.
 */

const MOST_HOSTS = 20;
const MOST_RECORDS = 10;

/** One pass groups by all of these columns. The few groups are then added up by each column. */
const TALLIES = `
WITH g AS MATERIALIZED (
  SELECT status, reason, http_status, content_type, depth, ${ORIGIN} AS origin, count(*) AS n,
    sum(CASE status WHEN 'completed' THEN bytes ELSE 0 END) AS bytes
  FROM urls WHERE crawl = ?1 GROUP BY 1, 2, 3, 4, 5, 6
)
SELECT 'codes' AS by, CAST(http_status AS TEXT) AS name, sum(n) AS n, NULL AS completed, NULL AS bytes
  FROM g WHERE http_status IS NOT NULL GROUP BY http_status
UNION ALL SELECT 'types', lower(trim(substr(content_type, 1, instr(content_type || ';', ';') - 1))) AS type, sum(n), NULL, NULL
  FROM g WHERE content_type IS NOT NULL GROUP BY type
UNION ALL SELECT 'depths', CAST(depth AS TEXT), sum(n), NULL, NULL FROM g GROUP BY depth
-- A try that is to be repeated leaves its reason with the queued URL.
UNION ALL SELECT 'reasons', reason, sum(n), NULL, NULL FROM g WHERE reason IS NOT NULL AND status NOT IN ('pending', 'queued') GROUP BY reason
UNION ALL SELECT * FROM (
  SELECT 'hosts', substr(origin, instr(origin, '//') + 2) AS host, sum(n) AS urls,
    sum(CASE status WHEN 'completed' THEN n ELSE 0 END), sum(bytes)
  FROM g GROUP BY host ORDER BY urls DESC, host LIMIT ${MOST_HOSTS})`;

const latest = (status: "completed" | "errored") => `
SELECT ${URL_COLUMNS} FROM urls WHERE crawl = ?1 AND status = '${status}'${status === "completed" ? " AND kind = 'page'" : ""}
ORDER BY fetched_at DESC, url LIMIT ${MOST_RECORDS}`;

/** D1 binds numbers as floating-point numbers, so a division would not be an integer division. */
const HISTORY = `
SELECT CAST(?2 AS INTEGER) + (fetched_at - CAST(?2 AS INTEGER)) / CAST(?3 AS INTEGER) * CAST(?3 AS INTEGER) AS at,
  count(*) AS pages, coalesce(sum(bytes), 0) AS bytes
FROM urls WHERE crawl = ?1 AND status = 'completed' AND kind = 'page' AND fetched_at >= CAST(?2 AS INTEGER) GROUP BY 1 ORDER BY 1`;

type Tally = { by: "codes" | "types" | "depths" | "reasons" | "hosts"; name: string; n: number } & Omit<
  HostCount,
  "host" | "urls"
>;

export class Reports extends LedgerStore {
  /** Depends only on the rows: the history ends at the crawl's last change. */
  async of({ id, startedAt, updatedAt, finishedAt }: Crawl): Promise<Report> {
    const from = startedAt ?? updatedAt;
    const to = Math.max(from, finishedAt ?? updatedAt);
    const stepMs = historyStepMs(from, to);
    const [tallies, newest, errors, history] = (await this.db.batch([
      this.statement(TALLIES, [id]),
      this.statement(latest("completed"), [id]),
      this.statement(latest("errored"), [id]),
      this.statement(HISTORY, [id, from, stepMs]),
    ])) as [D1Result<Tally>, D1Result<CrawlUrl>, D1Result<CrawlUrl>, D1Result<HistoryStep>];
    const {
      codes = [],
      types = [],
      depths = [],
      reasons = [],
      hosts = [],
    } = Object.groupBy(tallies.results, ({ by }) => by);
    return {
      codes: counts(codes),
      types: counts(types),
      depths: counts(depths),
      reasons: counts(reasons),
      hosts: hosts.map(({ name, n, completed, bytes }) => ({ host: name, urls: n, completed, bytes })),
      newest: newest.results,
      errors: errors.results,
      history: startedAt === null ? [] : fillHistory(history.results, from, to, stepMs),
    };
  }
}

function counts(tallies: Tally[]): Record<string, number> {
  return Object.fromEntries(tallies.map(({ name, n }) => [name, n]));
}
