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
import { ALL_URLS, IN_WINDOW, readInWindows, type UrlRange } from "../ledger/row-windows.ts";

/**
 * Counts a crawl's rows in all ways at once. It reads each row five times, a window of rows at a time. Counters or
 * indexes would cost one more billed row at every write, and reading a row costs a thousandth of that.
 */

const MOST_HOSTS = 20;
const MOST_RECORDS = 10;

/** One pass groups by all of these columns. The few groups are then added up by each column. */
const TALLIES = `
WITH g AS MATERIALIZED (
  SELECT status, reason, http_status, content_type, depth, ${ORIGIN} AS origin, count(*) AS n,
    sum(CASE status WHEN 'completed' THEN bytes ELSE 0 END) AS bytes
  FROM urls WHERE ${IN_WINDOW} GROUP BY 1, 2, 3, 4, 5, 6
)
SELECT 'codes' AS by, CAST(http_status AS TEXT) AS name, sum(n) AS n, NULL AS completed, NULL AS bytes
  FROM g WHERE http_status IS NOT NULL GROUP BY http_status
UNION ALL SELECT 'types', lower(trim(substr(content_type, 1, instr(content_type || ';', ';') - 1))) AS type, sum(n), NULL, NULL
  FROM g WHERE content_type IS NOT NULL GROUP BY type
UNION ALL SELECT 'depths', CAST(depth AS TEXT), sum(n), NULL, NULL FROM g GROUP BY depth
-- A try that is to be repeated leaves its reason with the queued URL.
UNION ALL SELECT 'reasons', reason, sum(n), NULL, NULL FROM g WHERE reason IS NOT NULL AND status NOT IN ('pending', 'queued') GROUP BY reason
UNION ALL SELECT 'hosts', substr(origin, instr(origin, '//') + 2) AS host, sum(n),
    sum(CASE status WHEN 'completed' THEN n ELSE 0 END), sum(bytes)
  FROM g GROUP BY host`;

const latest = (status: "completed" | "errored") => `
SELECT ${URL_COLUMNS} FROM urls WHERE ${IN_WINDOW} AND status = '${status}'${status === "completed" ? " AND kind = 'page'" : ""}
ORDER BY fetched_at DESC, url LIMIT ${MOST_RECORDS}`;

/** D1 binds numbers as floating-point numbers, so a division would not be an integer division. */
const HISTORY = `
SELECT CAST(?4 AS INTEGER) + (fetched_at - CAST(?4 AS INTEGER)) / CAST(?5 AS INTEGER) * CAST(?5 AS INTEGER) AS at,
  count(*) AS pages, coalesce(sum(bytes), 0) AS bytes
FROM urls WHERE ${IN_WINDOW} AND status = 'completed' AND kind = 'page' AND fetched_at >= CAST(?4 AS INTEGER) GROUP BY 1`;

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
    const tallies = new Map<string, Tally>();
    const history = new Map<number, HistoryStep>();
    let newest: CrawlUrl[] = [];
    let errors: CrawlUrl[] = [];
    for await (const window of readInWindows(this.db, id, ALL_URLS, (range) => this.#count(id, range, from, stepMs))) {
      for (const tally of window[0].results) {
        const { by, name } = tally;
        const sum = tallies.get(`${by} ${name}`);
        tallies.set(
          `${by} ${name}`,
          sum === undefined ? tally : { by, name, ...sumOf(["n", "completed", "bytes"], sum, tally) },
        );
      }
      newest = latestOf([...newest, ...window[1].results]);
      errors = latestOf([...errors, ...window[2].results]);
      for (const step of window[3].results) {
        const sum = history.get(step.at);
        history.set(step.at, sum === undefined ? step : { at: step.at, ...sumOf(["pages", "bytes"], sum, step) });
      }
    }
    const {
      codes = [],
      types = [],
      depths = [],
      reasons = [],
      hosts = [],
    } = Object.groupBy(tallies.values(), ({ by }) => by);
    return {
      codes: counts(codes),
      types: counts(types),
      depths: counts(depths),
      reasons: counts(reasons),
      hosts: largestOf(hosts).map(({ name, n, completed, bytes }) => ({ host: name, urls: n, completed, bytes })),
      newest,
      errors,
      history: startedAt === null ? [] : fillHistory([...history.values()], from, to, stepMs),
    };
  }

  async #count(id: string, { above, upTo }: UrlRange, from: number, stepMs: number) {
    const bounds = [id, above, upTo];
    return (await this.db.batch([
      this.statement(TALLIES, bounds),
      this.statement(latest("completed"), bounds),
      this.statement(latest("errored"), bounds),
      this.statement(HISTORY, [...bounds, from, stepMs]),
    ])) as [D1Result<Tally>, D1Result<CrawlUrl>, D1Result<CrawlUrl>, D1Result<HistoryStep>];
  }
}

/** The report of a crawl over several ledgers, from those of its parts, whose histories have the same intervals. */
export function mergeReports(reports: readonly Report[]): Report {
  const add = (of: (report: Report) => Record<string, number>) => {
    const sums = new Map<string, number>();
    for (const report of reports)
      for (const [name, n] of Object.entries(of(report))) sums.set(name, (sums.get(name) ?? 0) + n);
    return Object.fromEntries([...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  };
  const steps = new Map<number, HistoryStep>();
  for (const step of reports.flatMap(({ history }) => history)) {
    const sum = steps.get(step.at);
    steps.set(step.at, sum === undefined ? step : { at: step.at, ...sumOf(["pages", "bytes"], sum, step) });
  }
  return {
    codes: add(({ codes }) => codes),
    types: add(({ types }) => types),
    depths: add(({ depths }) => depths),
    reasons: add(({ reasons }) => reasons),
    // Each host is in one part.
    hosts: reports
      .flatMap(({ hosts }) => hosts)
      .toSorted((a, b) => b.urls - a.urls || (a.host < b.host ? -1 : 1))
      .slice(0, MOST_HOSTS),
    newest: latestOf(reports.flatMap(({ newest }) => newest)),
    errors: latestOf(reports.flatMap(({ errors }) => errors)),
    history: [...steps.values()].toSorted((a, b) => a.at - b.at),
  };
}

/** The sums of these numbers of two rows. */
function sumOf<Name extends string>(names: readonly Name[], a: Record<Name, number>, b: Record<Name, number>) {
  return Object.fromEntries(names.map((name) => [name, a[name] + b[name]])) as Record<Name, number>;
}

/** In the order in which rows came, which is the order of URLs, where times are equal. */
function latestOf(rows: CrawlUrl[]): CrawlUrl[] {
  return rows.toSorted((a, b) => (b.fetchedAt ?? 0) - (a.fetchedAt ?? 0)).slice(0, MOST_RECORDS);
}

function largestOf(hosts: Tally[]): Tally[] {
  return hosts.toSorted((a, b) => b.n - a.n || (a.name < b.name ? -1 : 1)).slice(0, MOST_HOSTS);
}

function counts(tallies: Tally[]): Record<string, number> {
  return Object.fromEntries(tallies.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(({ name, n }) => [name, n]));
}
