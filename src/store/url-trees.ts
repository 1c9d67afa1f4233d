import type { TreeCounts, TreeLevel, TreeNode } from "../crawl/url-tree.ts";
import { ORIGIN } from "./url-columns.ts";

/**
 * One level of the tree of a crawl's URLs. URLs with a common prefix are adjacent in the primary key, so a level reads
 * only the rows below it.
 */

const MOST_CHILDREN = 200;

/** Groups rows by `segment`: names the largest, and adds up the others. */
const level = (segments: string) => `
WITH s AS (${segments}),
  g AS (
    SELECT segment, count(*) AS urls, sum(status = 'completed') AS completed, sum(status = 'errored') AS errored,
      coalesce(sum(CASE status WHEN 'completed' THEN bytes END), 0) AS bytes,
      row_number() OVER (ORDER BY count(*) DESC, segment) AS place
    FROM s GROUP BY segment
  )
SELECT CASE WHEN place <= ${MOST_CHILDREN} THEN segment END AS segment, count(*) AS children, sum(urls) AS urls,
  sum(completed) AS completed, sum(errored) AS errored, sum(bytes) AS bytes
FROM g GROUP BY min(place, ${MOST_CHILDREN} + 1) ORDER BY min(place)`;

const HOSTS = level(`SELECT ${ORIGIN} || '/' AS segment, status, bytes FROM urls WHERE crawl = ?1`);

/** The path ends before the query: a slash in a query does not start a segment. */
const BELOW = level(`
  SELECT CASE instr(path, '/') WHEN 0 THEN path ELSE substr(path, 1, instr(path, '/')) END AS segment, status, bytes
  FROM (
    SELECT CASE instr(rest, '?') WHEN 0 THEN rest ELSE substr(rest, 1, instr(rest, '?') - 1) END AS path, status, bytes
    FROM (SELECT substr(url, length(?2) + 1) AS rest, status, bytes FROM urls WHERE crawl = ?1 AND url >= ?2 AND url < ?3)
  )`);

type Row = TreeCounts & { segment: string | null; children: number };

/** `path` is empty, or a URL up to and including one of its slashes. Other values have no children. */
export async function readTreeLevel(db: D1Database, crawl: string, path: string): Promise<TreeLevel> {
  const query =
    path === ""
      ? db.prepare(HOSTS).bind(crawl)
      : // The character after a slash bounds what begins with the prefix.
        db.prepare(BELOW).bind(crawl, path, `${path.slice(0, -1)}0`);
  const { results } = await query.all<Row>();
  const children = results.flatMap(({ segment, children: _, ...counts }): TreeNode[] =>
    segment === null ? [] : [{ segment, isLeaf: !segment.endsWith("/"), ...counts }],
  );
  const { segment: _, ...rest } = results.find(({ segment }) => segment === null) ?? { segment: null };
  return { path, children, rest: "children" in rest ? rest : null };
}
