import { TEST_PRIORITY } from "../../../crawl/page/url-kind.ts";
import type { Withheld, WithheldUrl } from "../../../crawl/watch/withheld-url.ts";
import { fitting } from "../../records/fitting.ts";
import { REOPENED } from "../fact-columns.ts";
import { LedgerStore } from "../ledger-store.ts";

/**
 * URLs that learned rules hold back until the end of their crawl (scope/choose-withheld.ts). They are noted in the
 * transaction that settles the page on which they were found, and leave in the one that gives them rows or opens their
 * rows again.
 */

/** URLs of a row. */
const CHUNK = 100;

/** SQL: whether crawl ?1 must look at URLs that rules hold back before it ends. Beyond its page limit it need not. */
export const WITHHELD_OPEN = "EXISTS (SELECT 1 FROM withheld_urls WHERE crawl = ?1 AND is_open = 1)";

/** Whether a row is of a slowed group (`endlessKey`), and not of a rule about same pages. */
const OF_ENDLESS = "rule LIKE 'nothing-new %'";

const ADD = `
INSERT INTO withheld_urls (crawl, host, rule, seq, total, count, links, urls)
SELECT c.id, j.value ->> 'host', j.value ->> 'rule', j.value ->> 'offset' + coalesce((
    SELECT w.seq + w.total FROM withheld_urls w
    WHERE w.crawl = c.id AND w.host = j.value ->> 'host' AND w.rule = j.value ->> 'rule' ORDER BY w.seq DESC LIMIT 1), 0),
  json_array_length(j.value, '$.urls'), json_array_length(j.value, '$.urls'), j.value ->> 'links', j.value -> 'urls'
FROM crawls c CROSS JOIN json_each(?2) j WHERE c.id = ?1 AND c.deleting_at IS NULL`;

/** Statements of a commit that note what it holds back. Run twice, they note it twice, which changes nothing later. */
export function planWithholding(db: D1Database, crawl: string, withheld: readonly Withheld[]): D1PreparedStatement[] {
  // A lane and the links of a page may hold back URLs by one rule. Its rows are numbered together.
  const byRule = [...Map.groupBy(withheld, ({ host, rule }) => `${host} ${rule}`).values()].flatMap((group) =>
    group.slice(0, 1).map((first) => ({ ...first, urls: group.flatMap(({ urls }) => urls) })),
  );
  const chunks = byRule.flatMap(({ host, rule, urls }) =>
    Array.from({ length: Math.ceil(urls.length / CHUNK) }, (_, i) => {
      const own = urls.slice(i * CHUNK, (i + 1) * CHUNK);
      return { host, rule, offset: i * CHUNK, links: linksOf(own), urls: own };
    }),
  );
  return chunks.length === 0 ? [] : fitting(chunks).map((part) => db.prepare(ADD).bind(crawl, JSON.stringify(part)));
}

function linksOf(urls: readonly WithheldUrl[]): number {
  return urls.filter(({ found }) => found !== null).length;
}

/** Lets the crawl look again at all that rules of the host hold back. */
export function planReopening(db: D1Database, crawl: string, host: string): D1PreparedStatement {
  return db
    .prepare("UPDATE withheld_urls SET is_open = 1, version = version + 1 WHERE crawl = ?1 AND host = ?2")
    .bind(crawl, host);
}

/** Likewise for one rule. */
export function planReopeningRule(db: D1Database, crawl: string, host: string, rule: string): D1PreparedStatement {
  return db
    .prepare("UPDATE withheld_urls SET is_open = 1, version = version + 1 WHERE crawl = ?1 AND host = ?2 AND rule = ?3")
    .bind(crawl, host, rule);
}

/** A row of the table, as it was read. */
export interface WithheldRow {
  seq: number;
  version: number;
  /** URLs that were fetched to test the rule. */
  tested: number;
  urls: WithheldUrl[];
}

/** What a look at the URLs of one rule decided. */
export interface WithheldDecision {
  host: string;
  rule: string;
  /** The rows as they are now, with the version that was read. */
  rows: (WithheldRow & { isOpen: boolean })[];
  /** URLs that have no record but in the row of a skipped one, which is opened again. */
  released: { url: string; isTest: boolean }[];
}

const REWRITE = `
WITH r AS MATERIALIZED (
  SELECT ?1 AS crawl, ?2 AS host, ?3 AS rule, value ->> 'seq' AS seq, value ->> 'version' AS version,
    value ->> 'tested' AS tested, value ->> 'isOpen' AS is_open, value ->> 'links' AS links, value -> 'urls' AS urls
  FROM json_each(?4))
UPDATE withheld_urls SET urls = r.urls, count = json_array_length(r.urls), links = r.links, tested = r.tested,
  is_open = r.is_open, version = withheld_urls.version + 1
FROM r WHERE withheld_urls.crawl = r.crawl AND withheld_urls.host = r.host AND withheld_urls.rule = r.rule
  AND withheld_urls.seq = r.seq AND withheld_urls.version = r.version`;

/** The list has its own `crawl`, so that the planner looks up each row by the primary key. */
const RELEASED = `
SELECT ?1 AS crawl, value ->> 'url' AS url, value ->> 'isTest' AS is_test
FROM json_each(?2) WHERE EXISTS (SELECT 1 FROM crawls WHERE id = ?1 AND deleting_at IS NULL)`;
const IS_SKIPPED = "u.status = 'skipped' AND u.reason IN ('same-page', 'nothing-new')";

const COUNT = `
WITH j AS MATERIALIZED (${RELEASED})
UPDATE crawls SET skipped = skipped - n.n, pending = pending + n.n, growing_pending = growing_pending + n.growing
FROM (
  SELECT count(*) AS n, coalesce(sum(j.is_test OR u.priority < 0), 0) AS growing
  FROM j CROSS JOIN urls u ON u.crawl = j.crawl AND u.url = j.url WHERE ${IS_SKIPPED}) n
WHERE id = ?1 AND n.n > 0`;

const REOPEN = `
WITH j AS MATERIALIZED (${RELEASED})
UPDATE urls AS u SET ${REOPENED}, priority = iif(j.is_test, ${TEST_PRIORITY}, u.priority)
FROM j WHERE u.crawl = j.crawl AND u.url = j.url AND ${IS_SKIPPED}`;

/**
 * Statements of a commit that take URLs out of the rows, and open the rows of those that a lane has skipped. A row that
 * has changed since it was read stays as it is, and is looked at again. The discoveries of the commit are the others.
 */
export function planReleasing(db: D1Database, crawl: string, decisions: readonly WithheldDecision[]) {
  return decisions.flatMap(({ host, rule, rows, released }) => [
    ...fitting(rows.map((row) => ({ ...row, isOpen: row.isOpen ? 1 : 0, links: linksOf(row.urls) }))).map((part) =>
      db.prepare(REWRITE).bind(crawl, host, rule, JSON.stringify(part)),
    ),
    ...fitting(released.map(({ url, isTest }) => ({ url, isTest: isTest ? 1 : 0 }))).flatMap((part) =>
      [COUNT, REOPEN].map((sql) => db.prepare(sql).bind(crawl, JSON.stringify(part))),
    ),
  ]);
}

export class WithheldUrls extends LedgerStore {
  /** Up to `most` rules that hold back URLs at which the crawl must look before it ends. */
  async open(crawl: string, most: number): Promise<{ host: string; rule: string }[]> {
    return this.all<{ host: string; rule: string }>(
      "SELECT DISTINCT host, rule FROM withheld_urls WHERE crawl = ?1 AND is_open = 1 LIMIT ?2",
      [crawl, most],
    );
  }

  async rowsOf(crawl: string, host: string, rule: string): Promise<WithheldRow[]> {
    const results = await this.all<Omit<WithheldRow, "urls"> & { urls: string }>(
      "SELECT seq, version, tested, urls FROM withheld_urls WHERE crawl = ?1 AND host = ?2 AND rule = ?3 ORDER BY seq",
      [crawl, host, rule],
    );
    return results.map((row) => ({ ...row, urls: JSON.parse(row.urls) as WithheldUrl[] }));
  }

  /**
   * How many URLs each of these rules has held back so far, by host and rule; those that have held back none left out.
   */
  async counts(crawl: string, rules: readonly { host: string; rule: string }[]): Promise<Map<string, number>> {
    const results = await this.all<{ host: string; rule: string; count: number | null }>(
      `SELECT j.value ->> 'host' AS host, j.value ->> 'rule' AS rule, (
           SELECT w.seq + w.total FROM withheld_urls w
           WHERE w.crawl = ?1 AND w.host = j.value ->> 'host' AND w.rule = j.value ->> 'rule' ORDER BY w.seq DESC LIMIT 1) AS count
         FROM json_each(?2) j`,
      [crawl, JSON.stringify(rules)],
    );
    return new Map(results.flatMap(({ host, rule, count }) => (count === null ? [] : [[`${host} ${rule}`, count]])));
  }

  /** How many links rules hold back now, and some of them, by the reason with which they are refused. */
  async links(
    crawl: string,
    examples: number,
  ): Promise<{ reason: "same-page" | "nothing-new"; count: number; examples: string[] }[]> {
    const kinds = [
      ["same-page", "NOT "],
      ["nothing-new", ""],
    ] as const;
    const answers = (await this.db.batch(
      kinds.flatMap(([, not]) =>
        [
          `SELECT coalesce(sum(links), 0) AS count FROM withheld_urls WHERE crawl = ?1 AND ${not}${OF_ENDLESS}`,
          `SELECT urls FROM withheld_urls WHERE crawl = ?1 AND links > 0 AND ${not}${OF_ENDLESS} LIMIT 1`,
        ].map((sql) => this.statement(sql, [crawl])),
      ),
    )) as D1Result<{ count: number; urls: string }>[];
    return kinds.flatMap(([reason], i) => {
      const count = answers[2 * i]?.results[0]?.count ?? 0;
      const urls = JSON.parse(answers[2 * i + 1]?.results[0]?.urls ?? "[]") as WithheldUrl[];
      const links = urls.filter(({ found }) => found !== null).slice(0, examples);
      return count === 0 ? [] : [{ reason, count, examples: links.map(({ url }) => url) }];
    });
  }

  /** How many URLs slowed groups hold back now, by rule. */
  async heldByEndless(crawl: string): Promise<Map<string, number>> {
    const results = await this.all<{ rule: string; count: number }>(
      `SELECT rule, sum(count) AS count FROM withheld_urls WHERE crawl = ?1 AND ${OF_ENDLESS} GROUP BY host, rule`,
      [crawl],
    );
    return new Map(results.map(({ rule, count }) => [rule, count]));
  }
}
