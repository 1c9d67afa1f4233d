import type { TreeCounts, TreeLevel } from "../../crawl/page/url-tree.ts";
import { ORIGIN } from "../ledger/fact-columns.ts";

/**
 * One level of the tree of a crawl's URLs. URLs with a common prefix are adjacent in the primary key, so a level reads
 * only the rows below it.
 */

const MOST_CHILDREN = 200;
/** The ranges to which the other children of a level are added up. */
const RANGES = 24;

const SUMS = ["urls", "completed", "queued", "errored", "bytes"] as const satisfies (keyof TreeCounts)[];

/**
 * Groups rows by `segment`: names the largest, and adds up the others to ranges of about as many children each, in the
 * order of their names. A flat site has thousands of children with a URL each.
 */
const level = (segments: string) => `
WITH s AS (${segments}),
  g AS (
    SELECT segment, count(*) AS urls, sum(status = 'completed') AS completed, sum(status IN ('queued', 'pending')) AS queued,
      sum(status = 'errored') AS errored, coalesce(sum(CASE status WHEN 'completed' THEN bytes END), 0) AS bytes,
      row_number() OVER (ORDER BY count(*) DESC, segment) AS place
    FROM s GROUP BY segment
  ),
  b AS (
    SELECT *, iif(place <= ${MOST_CHILDREN}, place,
      ${MOST_CHILDREN} + ntile(${RANGES}) OVER (PARTITION BY place <= ${MOST_CHILDREN} ORDER BY segment)) AS box
    FROM g
  )
SELECT box > ${MOST_CHILDREN} AS isRange, min(segment) AS first, max(segment) AS last, count(*) AS children,
  ${SUMS.map((sum) => `sum(${sum}) AS ${sum}`).join(", ")}
FROM b GROUP BY box ORDER BY box`;

const HOSTS = level(`SELECT ${ORIGIN} || '/' AS segment, status, bytes FROM urls WHERE crawl = ?1`);

/** The path ends before the query: a slash in a query does not start a segment. */
const BELOW = level(`
  SELECT CASE instr(path, '/') WHEN 0 THEN path ELSE substr(path, 1, instr(path, '/')) END AS segment, status, bytes
  FROM (
    SELECT CASE instr(rest, '?') WHEN 0 THEN rest ELSE substr(rest, 1, instr(rest, '?') - 1) END AS path, status, bytes
    FROM (SELECT substr(url, length(?2) + 1) AS rest, status, bytes FROM urls WHERE crawl = ?1 AND url >= ?2 AND url < ?3)
  )`);

type Row = TreeCounts & { isRange: number; first: string; last: string; children: number };

/** `path` is empty, or a URL up to and including one of its slashes. Other values have no children. */
export async function readTreeLevel(db: D1Database, crawl: string, path: string): Promise<TreeLevel> {
  const query =
    path === ""
      ? db.prepare(HOSTS).bind(crawl)
      : // The character after a slash bounds what begins with the prefix.
        db.prepare(BELOW).bind(crawl, path, `${path.slice(0, -1)}0`);
  const { results } = await query.all<Row>();
  const { children = [], others = [] } = Object.groupBy(results, ({ isRange }) => (isRange ? "others" : "children"));
  return {
    path,
    children: children.map(({ isRange: _, first: segment, last: __, children: ___, ...counts }) => {
      return { segment, isLeaf: !segment.endsWith("/"), ...counts };
    }),
    rest: others.length === 0 ? null : sumOf(others),
    ranges: others.map(({ isRange: _, ...range }) => range),
  };
}

function sumOf(rows: readonly Row[]): NonNullable<TreeLevel["rest"]> {
  const sum = (of: keyof TreeCounts | "children") => rows.reduce((total, row) => total + row[of], 0);
  const counts = Object.fromEntries(SUMS.map((name) => [name, sum(name)])) as unknown as TreeCounts;
  return { children: sum("children"), ...counts };
}
