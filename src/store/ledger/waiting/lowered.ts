import type { Discovery, QueuedUrl } from "../../../crawl/crawl.ts";
import type { Reason } from "../../../crawl/page/reason.ts";
import type { FinalStatus } from "../../../crawl/page/status.ts";
import type { LinksPlace } from "../../mirror/kept-links.ts";
import { REOPENED } from "../fact-columns.ts";
import { LedgerStore } from "../ledger-store.ts";

/**
 * Depths in a crawl with a depth limit. A page may be found by a long way first, for example while a page of the short
 * one fails and is tried again. When a nearer way is found, its depth is lowered. If it was read at the greater depth,
 * its links are looked at again: the crawl may have refused them for their depth, and their targets are nearer, too. So
 * the depths end as those of a walk in breadth, whatever the order of fetching.
 *
 * A row of `lowered` stands for a page whose links are to be looked at again. A crawl does not end while it has one.
 */

/** What a commit says about depths. */
export interface CommitDepths {
  /** The depths at which pages were read. A row may have got a smaller one since. */
  read: Pick<Discovery, "url" | "depth">[];
  /** Pages whose links were looked at again. */
  looked: string[];
  /** Skipped URLs to fetch again, because nothing says where they lead. */
  reopened: string[];
}

export const NO_DEPTHS: CommitDepths = { read: [], looked: [], reopened: [] };

/** SQL: whether crawl ?1 has pages whose links are to be looked at again. */
export const HAS_LOWERED = "EXISTS (SELECT 1 FROM lowered WHERE crawl = ?1)";

const REMOVE = "DELETE FROM lowered WHERE crawl = ?1 AND url IN (SELECT value FROM json_each(?2))";

/** Notes the rows whose depth is `than` that of an item of ?2. A URL that led nowhere has no links to look at. */
const note = (than: "greater" | "less") => `
INSERT INTO lowered (crawl, url)
SELECT u.crawl, u.url FROM json_each(?2) j CROSS JOIN urls u ON u.crawl = ?1 AND u.url = j.value ->> 'url'
WHERE u.kind = 'page' AND u.depth ${than === "greater" ? ">" : "<"} j.value ->> 'depth' AND u.status IN ('completed', 'skipped')
ON CONFLICT DO NOTHING`;

/** What belongs to the way goes with the depth. The backlog finds a row by the depth under which it lists it. */
const LOWER = `
WITH f AS MATERIALIZED (
  SELECT ?1 AS crawl, value ->> 'url' AS url, value ->> 'depth' AS depth, value ->> 'via' AS via, value ->> 'redirects' AS redirects,
    value ->> 'chain' AS chain, value ->> 'cookies' AS cookies
  FROM json_each(?2) WHERE value ->> 'kind' = 'page'
)
UPDATE urls SET listed_depth = coalesce(listed_depth, urls.depth), depth = f.depth, via = f.via, redirects = f.redirects,
  chain = f.chain, cookies = f.cookies
FROM f WHERE urls.crawl = f.crawl AND urls.url = f.url AND urls.kind = 'page' AND urls.depth > f.depth`;

/** Runs before REOPEN, while the rows still show what it reopens. */
const COUNT_REOPENED = `
UPDATE crawls SET skipped = skipped - n.n, pending = pending + n.n, growing_pending = growing_pending + n.growing,
  status = CASE WHEN status = 'watching' AND n.n > 0 THEN 'running' ELSE status END
FROM (
  SELECT count(*) AS n, coalesce(sum(u.priority < 0), 0) AS growing
  FROM json_each(?2) j CROSS JOIN urls u ON u.crawl = ?1 AND u.url = j.value WHERE u.status = 'skipped' AND u.kind = 'page') n
WHERE id = ?1`;

const REOPEN = `
UPDATE urls SET ${REOPENED}
WHERE crawl = ?1 AND url IN (SELECT value FROM json_each(?2)) AND status = 'skipped' AND kind = 'page'`;

/**
 * Lowers the depths of known pages, and notes which of them were read at another one. Runs after the outcomes are
 * settled and before the discoveries get rows, so these are only looked up. `discoveries`: in JSON.
 */
export function planLowering(
  db: D1Database,
  crawl: string,
  { read, looked, reopened }: CommitDepths,
  discoveries: string,
): D1PreparedStatement[] {
  const onList = (sqls: string[], list: readonly unknown[]) =>
    list.length === 0 ? [] : sqls.map((sql) => db.prepare(sql).bind(crawl, JSON.stringify(list)));
  return [
    // A page that was lowered once more meanwhile is noted again, by its depth.
    ...onList([REMOVE], looked),
    ...onList([COUNT_REOPENED, REOPEN], reopened),
    ...onList([note("less")], read),
    ...(discoveries === "[]" ? [] : [note("greater"), LOWER].map((sql) => db.prepare(sql).bind(crawl, discoveries))),
  ];
}

/**
 * Takes back the refusals of URLs that another look has discovered: it was their depth that refused them. Runs after
 * they have rows.
 */
export function planUnrefusing(db: D1Database, crawl: string): D1PreparedStatement[] {
  const found = "(SELECT tx_fresh FROM crawls WHERE id = ?1)";
  return [
    `DELETE FROM refusals WHERE crawl = ?1 AND reason = 'depth' AND count <= ${found}`,
    `UPDATE refusals SET count = count - ${found}, examples = (
       SELECT json_group_array(e.value) FROM json_each(refusals.examples) e
       WHERE NOT EXISTS (SELECT 1 FROM urls u WHERE u.crawl = ?1 AND u.url = e.value))
     WHERE crawl = ?1 AND reason = 'depth' AND ${found} > 0`,
  ].map((sql) => db.prepare(sql).bind(crawl));
}

/** A page whose links are to be looked at again. */
export interface LoweredPage {
  row: QueuedUrl;
  status: FinalStatus | "pending" | "queued";
  reason: Reason | null;
  detail: string | null;
  httpStatus: number | null;
  sha256: string | null;
  rendered: string | null;
  /** Where its links are kept; null if they are not. */
  links: LinksPlace | null;
  /** How often the hook failed on its links. */
  tries: number;
}

type LoweredRow = Omit<QueuedUrl, "visit"> &
  Omit<LoweredPage, "row" | "links"> & { pack: string | null; offset: number | null; length: number | null };

export class Lowered extends LedgerStore {
  /** The open crawls that have such pages. */
  async crawls(): Promise<string[]> {
    const results = await this.all<{
      id: string;
    }>(`SELECT c.id FROM (SELECT DISTINCT crawl FROM lowered) l CROSS JOIN crawls c ON c.id = l.crawl
         WHERE c.status IN ('running', 'watching') AND c.deleting_at IS NULL`);
    return results.map(({ id }) => id);
  }

  /** The next such pages of a crawl, up to `most`, the nearest first: a look at them may lower others. */
  async next(crawl: string, most: number): Promise<LoweredPage[]> {
    const results = await this.all<LoweredRow>(
      `SELECT u.crawl, u.url, u.depth, u.attempts, u.redirects, u.chain, u.kind, u.lastmod, u.via, u.found, u.cookies, NULL AS unanswered,
           u.status, u.reason, u.detail, u.http_status AS httpStatus, u.body_sha256 AS sha256, u.rendered, u.links_pack AS pack, u.links_offset AS offset,
           u.links_length AS length, l.tries
         FROM lowered l CROSS JOIN urls u ON u.crawl = l.crawl AND u.url = l.url
         WHERE l.crawl = ?1 ORDER BY l.tries, u.depth LIMIT ?2`,
      [crawl, most],
    );
    return results.map(toLoweredPage);
  }

  /** Counts that the hook failed on the links of these pages. */
  async countFailure(crawl: string, urls: readonly string[]): Promise<void> {
    await this.run(
      "UPDATE lowered SET tries = tries + 1 WHERE crawl = ?1 AND url IN (SELECT value FROM json_each(?2))",
      [crawl, JSON.stringify(urls)],
    );
  }
}

function toLoweredPage({ pack, offset, length, ...facts }: LoweredRow): LoweredPage {
  const { status, reason, detail, httpStatus, sha256, rendered, tries, ...row } = facts;
  const links = pack === null || offset === null || length === null ? null : { pack, offset, length };
  return { row: { ...row, visit: null }, status, reason, detail, httpStatus, sha256, rendered, tries, links };
}
