import type { HostEvidence } from "../../changes/held-back.ts";
import type { NoiseTable } from "../../changes/noise/noise-place.ts";
import type { RoundTable } from "../../changes/template/round.ts";
import { DAY_MS } from "../../core/clock.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { MOST_COUNTED } from "../../crawl/watch/survey.ts";
import type { ChangedPage, DayCount, MonthTrouble } from "../../crawl/watch/watch-month.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";
import { TITLE } from "./changes.ts";
import { dayOf } from "./watch-hosts.ts";

/** What a watch noticed and held back since a time. Each query reads at most 10,000 changes, or a row for each host. */

type Numbered = Pick<Crawl, "id" | "changes">;

export class Months extends LedgerStore {
  async days({ id, changes }: Numbered, from: number): Promise<DayCount[]> {
    return this.all<DayCount>(
      `SELECT at / ${DAY_MS} AS day, kind, count(*) AS count FROM changes WHERE crawl = ?1 AND seq > ?2 AND at >= ?3
         GROUP BY day, kind ORDER BY day, kind`,
      [id, changes - MOST_COUNTED, from],
    );
  }

  /** The pages with most changes, and the number of all that have one. */
  async pages(
    { id, changes }: Numbered,
    from: number,
    most: number,
  ): Promise<{ pages: ChangedPage[]; changedPages: number }> {
    // SQLite takes the other columns from the row that has the greatest number:
    // https://www.sqlite.org/lang_select.html#bare_columns_in_an_aggregate_query
    const rows = await this.all<ChangedPage & { changedPages: number }>(
      `SELECT g.url, g.changes, g.seq, g.kind, g.at, g.detail, g.changedPages, ${TITLE} FROM (
         SELECT url, count(*) AS changes, max(seq) AS seq, kind, at, detail, count(*) OVER () AS changedPages
         FROM changes WHERE crawl = ?1 AND seq > ?2 AND at >= ?3 GROUP BY url ORDER BY changes DESC, seq DESC LIMIT ?4) g
       LEFT JOIN urls u ON u.crawl = ?1 AND u.url = g.url ORDER BY g.changes DESC, g.seq DESC`,
      [id, changes - MOST_COUNTED, from, most],
    );
    const changedPages = rows[0]?.changedPages ?? 0;
    return { pages: rows.map(({ changedPages: _, ...page }) => page), changedPages };
  }

  /** The last trouble of each host that had one, those that are in trouble now first. */
  async troubles(crawl: string, from: number, now: number, most: number): Promise<MonthTrouble[]> {
    const rows = await this.all<Omit<MonthTrouble, "isNow"> & { isNow: number }>(
      `SELECT host, trouble_since AS since, troubled_on * ${DAY_MS} AS lastAt, why,
         coalesce(in_trouble AND day >= ?3, 0) AS isNow
       FROM watch_hosts WHERE crawl = ?1 AND troubled_on >= ?2 ORDER BY isNow DESC, troubled_on DESC, host LIMIT ?4`,
      [crawl, dayOf(from), dayOf(now) - 1, most],
    );
    return rows.map(({ isNow, ...trouble }) => ({ ...trouble, isNow: isNow === 1 }));
  }

  /** What is known of noise and of changes of many pages, up to 100 kB for each host. */
  async evidence(crawl: string, most: number): Promise<HostEvidence[]> {
    const rows = await this.all<{ host: string; pages: number; noise: string | null; rounds: string | null }>(
      `SELECT host, template ->> '$.pages' AS pages, template -> '$.noise' AS noise, template -> '$.rounds' AS rounds
         FROM templates WHERE crawl = ?1 ORDER BY host LIMIT ?2`,
      [crawl, most],
    );
    return rows.map(({ host, pages, noise, rounds }) => ({
      host,
      pages,
      noise: JSON.parse(noise ?? "{}") as NoiseTable,
      rounds: JSON.parse(rounds ?? "{}") as RoundTable,
    }));
  }
}
