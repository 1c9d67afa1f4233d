import { env } from "cloudflare:test";
import { expect } from "vitest";
import { URL_STATUSES } from "../../src/crawl/page/status.ts";
import { Ledger } from "../../src/store/ledger/ledger.ts";
import { IN_BACKLOG } from "../../src/store/ledger/waiting/backlog.ts";

/**
 * Part of rule 1: every counter of a crawl equals a count of its rows, and the counters add up to `discovered`.
 * `unlisted`: rows that an earlier version finished.
 */
export async function expectCountersExact(crawl: string, db: D1Database = env.LEDGER, unlisted = 0): Promise<void> {
  const { results } = await db
    .prepare(
      `SELECT CASE WHEN status = 'queued' AND ${IN_BACKLOG} THEN 'pending' ELSE status END AS state, count(*) AS n,
         sum(kind = 'asset') AS assets, sum(priority < 0) AS growing FROM urls u WHERE crawl = ?1 GROUP BY state`,
    )
    .bind(crawl)
    .all<{ state: string; n: number; assets: number; growing: number }>();
  const rowOf = (status: string) => results.find((row) => row.state === status);
  const counted = Object.fromEntries(URL_STATUSES.map((status) => [status, rowOf(status)?.n ?? 0]));
  const discovered = results.reduce((sum, row) => sum + row.n, 0);
  const known = await new Ledger(db).crawl(crawl);
  expect(known?.counters).toEqual({ discovered, ...counted });
  const assets = (["pending", "queued", "completed"] as const).map((status) => [status, rowOf(status)?.assets ?? 0]);
  expect(known?.assets).toEqual(Object.fromEntries(assets));
  const noted = await db
    .prepare(
      `SELECT count(shell) AS shells, count(rendered) AS rendered, coalesce(sum(relevance >= 0.5), 0) AS relevant
       FROM urls WHERE crawl = ?1 AND status = 'completed'`,
    )
    .bind(crawl)
    .first();
  expect({ shells: known?.shells, rendered: known?.rendered, relevant: known?.relevant }).toEqual(noted);
  const growing = await db
    .prepare("SELECT growing_waiting AS pending, growing_moving AS queued FROM crawls WHERE id = ?1")
    .bind(crawl)
    .first();
  const [pending, queued] = ["pending", "queued"].map((status) => rowOf(status)?.growing ?? 0);
  expect(growing).toEqual({ pending, queued });
  await expectBacklogExact(crawl, db);
  await expectListsExact(crawl, db, unlisted);
  await expectContentsFound(crawl, db);
}

/** Each page that is the first of its content is found by its digest, once, and so is each copy. */
export async function expectContentsFound(crawl: string, db: D1Database = env.LEDGER): Promise<void> {
  const { results } = await db
    .prepare(
      `SELECT body_sha256 AS digest, count(*) AS n, sum(sha256 IS NOT NULL AND listed_sha256 IS NOT NULL) AS twice
       FROM urls WHERE crawl = ?1 AND body_sha256 IS NOT NULL GROUP BY body_sha256`,
    )
    .bind(crawl)
    .all<{ digest: string; n: number; twice: number }>();
  const digests = results.map(({ digest }) => digest);
  const copies = await new Ledger(db).copies(crawl, digests, digests.length + 1_000);
  expect(Object.fromEntries(copies)).toEqual(Object.fromEntries(results.map(({ digest, n }) => [digest, n])));
  expect(results.filter(({ twice }) => twice > 0)).toEqual([]);
}

/** Each URL that has finished is listed once under the number of its transaction, and no open one has a number. */
async function expectListsExact(crawl: string, db: D1Database, unlisted: number): Promise<void> {
  const { results } = await db
    .prepare(
      `SELECT url, status, finished_in AS "in", (SELECT count(*) FROM finished f CROSS JOIN json_each(f.urls) j
         WHERE f.crawl = u.crawl AND f.seq = u.finished_in AND j.value = u.url) AS lists
       FROM urls u WHERE crawl = ?1 AND lists <> (status NOT IN ('pending', 'queued'))`,
    )
    .bind(crawl)
    .all<{ in: number | null }>();
  expect(results.filter((row) => row.in !== null)).toEqual([]);
  expect(results).toHaveLength(unlisted);
}

/** The backlog lists queued rows alone, each with its own number, priority and depth; and no row of it is used up. */
async function expectBacklogExact(crawl: string, db: D1Database): Promise<void> {
  const { results } = await db
    .prepare(
      `SELECT j.value AS listed, u.url, u.status FROM backlog b CROSS JOIN json_each(b.urls) j
       LEFT JOIN urls u ON u.crawl = b.crawl AND u.url = j.value
         AND u.priority = b.priority AND coalesce(u.listed_depth, u.depth) = b.depth AND u.seq = b.seq + j.key
       WHERE b.crawl = ?1 AND j.key >= b.taken`,
    )
    .bind(crawl)
    .all<{ listed: string; url: string | null; status: string | null }>();
  for (const { listed, url, status } of results) expect({ url, status }).toEqual({ url: listed, status: "queued" });
  const counts = await db
    .prepare(
      `SELECT sum(taken >= count) AS used, sum(count <> json_array_length(urls)) AS wrong FROM backlog WHERE crawl = ?1
       HAVING count(*) > 0`,
    )
    .bind(crawl)
    .first();
  expect(counts ?? { used: 0, wrong: 0 }).toEqual({ used: 0, wrong: 0 });
}

/**
 * The index has each completed page and each described file of a crawl with search once. It has no page of a crawl
 * without search.
 */
export async function expectIndexExact(crawl: string, db: D1Database = env.LEDGER): Promise<void> {
  const urls = async (sql: string) =>
    (await db.prepare(sql).bind(crawl).all<{ url: string }>()).results.map(({ url }) => url);
  const search = (await new Ledger(db).crawl(crawl))?.options.search;
  const completed = search
    ? await urls(
        `SELECT url FROM urls WHERE crawl = ?1 AND status = 'completed' AND (kind = 'page' OR media IS NOT NULL)
         ORDER BY url`,
      )
    : [];
  expect(await urls("SELECT url FROM search_pages WHERE crawl = ?1 ORDER BY url")).toEqual(completed);
  // Each index has a row of sizes for each of its pages.
  for (const [index, which] of Object.entries({ search_words: "1", search_trigrams: "p.unspaced" })) {
    const known = `SELECT p.url FROM search_pages p JOIN ${index}_docsize d ON d.id = p.id WHERE p.crawl = ?1 ORDER BY p.url`;
    expect(await urls(known)).toEqual(
      await urls(`SELECT p.url FROM search_pages p WHERE p.crawl = ?1 AND ${which} ORDER BY p.url`),
    );
  }
}

/**
 * Each index has the right pages with the right text:
 * https://www.sqlite.org/fts5.html#the_integrity_check_command. Rank 1 compares the index with search_pages. The
 * trigram index cannot be compared, because it leaves out some of these pages.
 */
export async function expectIndexSound(): Promise<void> {
  for (const [index, which, rank] of [
    ["search_words", "1", 1],
    ["search_trigrams", "unspaced", 0],
  ] as const) {
    const [pages, sizes] = await env.LEDGER.batch([
      env.LEDGER.prepare(`SELECT count(*) AS n FROM search_pages WHERE ${which}`),
      env.LEDGER.prepare(`SELECT count(*) AS n FROM ${index}_docsize`),
    ]);
    expect([index, sizes?.results]).toEqual([index, pages?.results]);
    await env.LEDGER.prepare(`INSERT INTO ${index} (${index}, rank) VALUES ('integrity-check', ${rank})`).run();
  }
}
