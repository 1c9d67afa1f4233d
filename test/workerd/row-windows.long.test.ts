import { env } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import type { RECORD_SORTS, RecordsQuery } from "../../src/crawl/page/records-query.ts";
import { Ledger } from "../../src/store/ledger/ledger.ts";
import { MOST_WINDOW_ROWS } from "../../src/store/ledger/row-windows.ts";
import { ArchiveIndex } from "../../src/store/mirror/archive-index.ts";
import { Reports } from "../../src/store/passes/reports.ts";
import { cursorAfter } from "../../src/store/records/record-listing.ts";
import { Records } from "../../src/store/records/records.ts";
import { type Web, World } from "./world.ts";

/**
 * A large crawl is read in windows: no statement reads more than some tens of thousands of its rows, and the answers
 * are those of one statement over all of them.
 */

const ROWS = 46_000;
/** A statement that groups reads a row several times; a window's end is looked up with it. */
const MOST_READ = 2.2 * MOST_WINDOW_ROWS;
/** Every so many rows something is rare: an error, a label, a relevance. */
const RARE = 9_973;

const WEB: Web = () => ({ links: [] });
let id = "";
let worst = { sql: "", rows: 0 };

/** Notes the statement that read the most rows. */
function watched(sql: string, statement: D1PreparedStatement): D1PreparedStatement {
  const note = <T extends D1Result>(result: T): T => {
    if (result.meta.rows_read > worst.rows) worst = { sql, rows: result.meta.rows_read };
    return result;
  };
  return {
    bind: (...values: unknown[]) => watched(sql, statement.bind(...values)),
    all: async () => note(await statement.all()),
    run: async () => note(await statement.run()),
    first: async (column?: string) => {
      const row = note(await statement.all<Record<string, unknown>>()).results[0] ?? null;
      return column === undefined ? row : (row?.[column] ?? null);
    },
    inner: { statement, note },
  } as unknown as D1PreparedStatement;
}
type Inner = { inner: { statement: D1PreparedStatement; note: (result: D1Result) => D1Result } };
const db = {
  prepare: (sql: string) => watched(sql, env.LEDGER.prepare(sql)),
  batch: async (statements: Inner[]) => {
    const results = await env.LEDGER.batch(statements.map(({ inner }) => inner.statement));
    return results.map((result, at) => statements[at]?.inner.note(result));
  },
} as unknown as D1Database;

const all = async <T>(sql: string) => (await env.LEDGER.prepare(sql).bind(id).all<T>()).results;
const urls = (rows: readonly { url: string }[]) => rows.map(({ url }) => url);

beforeAll(async () => {
  const world = new World(WEB);
  id = await world.start(["https://a.test/"]);
  await world.runToEnd(id);
  const columns = await all<{ name: string }>("SELECT name FROM pragma_table_info('urls') WHERE ?1 <> ''");
  const changed: Record<string, string> = {
    url: "printf('https://a.test/%06d', (n * 7919) % 1000003)",
    seq: "n + 10",
    status: `CASE WHEN n % ${RARE} = 5 THEN 'errored' WHEN n % 3 = 0 THEN 'completed' ELSE 'skipped' END`,
    reason: `CASE WHEN n % ${RARE} = 5 THEN 'timeout' WHEN n % 3 = 0 THEN NULL ELSE 'limit' END`,
    title: "CASE WHEN n % 3 = 0 THEN char(65 + n % 17, CASE n % 5 WHEN 0 THEN 0x1F577 ELSE 0xFF01 END) END",
    bytes: "CASE WHEN n % 3 = 0 THEN n * 31 % 1009 END",
    fetched_at: "CASE WHEN n % 3 = 0 THEN 1 + n * 17 % 5003 END",
    pack_offset: "CASE WHEN n % 3 = 0 THEN n END",
    relevance: `CASE WHEN n % ${RARE} = 6 THEN (n % 100) / 100.0 END`,
    via: `CASE WHEN n % ${RARE} = 7 THEN 'https://a.test/000001' ELSE 'https://a.test/' END`,
  };
  const names = columns.map(({ name }) => name);
  await env.LEDGER.prepare(
    `WITH RECURSIVE k (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k WHERE n < ${ROWS})
     INSERT INTO urls (${names.join(", ")}) SELECT ${names.map((name) => changed[name] ?? `u.${name}`).join(", ")}
     FROM k CROSS JOIN urls u WHERE u.crawl = ?1 AND u.url = 'https://a.test/'`,
  )
    .bind(id)
    .run();
});

describe("no statement reads all rows:", () => {
  const records = new Records(db);
  const list = async (query: Partial<RecordsQuery>) => {
    const how = { sort: "url", order: "asc", ...query } as const;
    const found = [];
    for (let cursor = ""; ; ) {
      const page = await records.list(id, { ...how, cursor, limit: 20_000 });
      found.push(...page);
      const last = page.at(-1);
      if (last === undefined || page.length < 20_000) return urls(found);
      cursor = cursorAfter(last, how);
    }
  };
  const reads = async <T>(work: Promise<T>): Promise<T> => {
    worst = { sql: "", rows: 0 };
    const result = await work;
    expect(worst.rows, worst.sql).toBeLessThan(MOST_READ);
    return result;
  };

  test.each(["asc", "desc"] as const)("records with a rare status, %s", async (order) => {
    const expected = await all<{ url: string }>(
      `SELECT url FROM urls WHERE crawl = ?1 AND status = 'errored' ORDER BY url ${order}`,
    );
    expect(expected.length).toBeGreaterThan(4);
    expect(await reads(list({ status: "errored", order }))).toEqual(urls(expected));
    const first = await reads(records.list(id, { status: "errored", order, cursor: "", limit: 2 }));
    expect(urls(first)).toEqual(urls(expected).slice(0, 2));
    const next = await reads(records.list(id, { status: "errored", order, cursor: first[1]?.url ?? "", limit: 2 }));
    expect(urls(next)).toEqual(urls(expected).slice(2, 4));
  });

  const KEYS: Partial<Record<(typeof RECORD_SORTS)[number], (order: "asc" | "desc") => string>> = {
    url: (order) => `url ${order}`,
    bytes: (order) => `bytes IS NULL, bytes ${order}, url`,
    title: (order) => `nullif(title, '') IS NULL, title ${order}, url`,
  };
  const orders = Object.keys(KEYS).flatMap((sort) => (["asc", "desc"] as const).map((order) => [sort, order] as const));
  test.each(orders)("records by %s, %s, are those of one statement", async (sort, order) => {
    const key = KEYS[sort as "url"]?.(order);
    const expected = await all<{ url: string }>(`SELECT url FROM urls WHERE crawl = ?1 ORDER BY ${key}`);
    expect(await reads(list({ sort: sort as "url", order }))).toEqual(urls(expected));
  });

  test("a part of an export, and its end", async () => {
    const expected = urls(
      await all<{ url: string }>("SELECT url FROM urls WHERE crawl = ?1 AND status = 'errored' ORDER BY url"),
    );
    const page = { cursor: "", status: "errored" } as const;
    for (let limit = 1; limit <= expected.length + 1; limit++) {
      expect(urls(await reads(records.listUntil(id, { ...page, limit })))).toEqual(expected.slice(0, limit));
      const end = limit < expected.length ? expected[limit - 1] : null;
      expect(await reads(records.endOfPage(id, { ...page, limit }))).toBe(end);
    }
    const completed = urls(
      await all<{ url: string }>("SELECT url FROM urls WHERE crawl = ?1 AND status = 'completed' ORDER BY url"),
    );
    for (const limit of [1, 500, 5_000, completed.length - 1, completed.length]) {
      const end = limit < completed.length ? completed[limit - 1] : null;
      expect(await reads(records.endOfPage(id, { cursor: "", status: "completed", limit }))).toBe(end);
    }
  });

  test("the most relevant pages, what was found on a page, and a number", async () => {
    const expected = await all(
      "SELECT url, title, relevance FROM urls WHERE crawl = ?1 AND status = 'completed' AND relevance IS NOT NULL ORDER BY relevance DESC, url LIMIT 3",
    );
    expect(expected.length).toBeGreaterThan(0);
    expect(await reads(records.byRelevance(id, "best", 3))).toEqual(expected);
    const found = await all<{ url: string }>(
      "SELECT url FROM urls WHERE crawl = ?1 AND via = 'https://a.test/000001' ORDER BY url",
    );
    await env.LEDGER.prepare("UPDATE urls SET url = 'https://a.test/000001' WHERE crawl = ?1 AND seq = 20")
      .bind(id)
      .run();
    expect(urls((await reads(records.detail(id, "https://a.test/000001")))?.found ?? [])).toEqual(urls(found));
    expect(await reads(records.urlOf(id, 20))).toBe("https://a.test/000001");
    expect(await reads(records.urlOf(id, 999_999))).toBeNull();
  });

  test("the report, and the number of records of an archive", async () => {
    const crawl = await new Ledger(env.LEDGER).crawl(id);
    if (crawl === null) throw new Error("no crawl");
    const report = await reads(new Reports(db).of(crawl));
    const by = async (column: string) =>
      Object.fromEntries(
        (
          await all<{ name: string; n: number }>(
            `SELECT ${column} AS name, count(*) AS n FROM urls WHERE crawl = ?1 AND ${column} IS NOT NULL GROUP BY 1`,
          )
        ).map(({ name, n }) => [name, n]),
      );
    expect(report.reasons).toEqual(await by("reason"));
    expect(report.codes).toEqual(await by("http_status"));
    expect(report.hosts).toMatchObject([{ host: "a.test", urls: ROWS + 1 }]);
    const newest = await all<{ url: string }>(
      "SELECT url FROM urls WHERE crawl = ?1 AND status = 'completed' AND kind = 'page' ORDER BY fetched_at DESC, url LIMIT 10",
    );
    expect(urls(report.newest)).toEqual(urls(newest));
    const [{ n = 0 } = {}] = await all<{ n: number }>(
      "SELECT count(*) AS n FROM urls WHERE crawl = ?1 AND status <> 'queued' AND pack_offset IS NOT NULL",
    );
    expect(n).toBeGreaterThan(ROWS / 4);
    expect(await reads(new ArchiveIndex(db).count(id))).toBe(n);
  });

  test("the end of a cancelled crawl", async () => {
    await env.LEDGER.prepare(
      `UPDATE urls SET status = 'queued', reason = NULL WHERE crawl = ?1 AND seq % ${RARE} IN (1, 2, 3)`,
    )
      .bind(id)
      .run();
    const [{ n = 0 } = {}] = await all<{ n: number }>(
      "SELECT count(*) AS n FROM urls WHERE crawl = ?1 AND status = 'queued'",
    );
    await env.LEDGER.prepare(
      "UPDATE crawls SET status = 'cancelled_by_user', queued = ?2, skipped = skipped - ?2 WHERE id = ?1",
    )
      .bind(id, n)
      .run();
    await reads(new Ledger(db).retireOpen(id, 1));
    const counts = await all<{ n: number; cancelled: number }>(
      "SELECT count(*) AS n, (SELECT cancelled FROM crawls WHERE id = ?1) AS cancelled FROM urls WHERE crawl = ?1 AND status = 'cancelled'",
    );
    expect(counts).toEqual([{ n, cancelled: n }]);
  });
});
