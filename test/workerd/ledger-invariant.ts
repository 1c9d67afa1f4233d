import { env } from "cloudflare:test";
import { expect } from "vitest";
import { URL_STATUSES } from "../../src/crawl/status.ts";
import { Ledger } from "../../src/store/ledger.ts";

/** Part of rule 1: every counter of a crawl equals a count of its rows, and the counters add up to `discovered`. */
export async function expectCountersExact(crawl: string, db: D1Database = env.LEDGER): Promise<void> {
  const { results } = await db
    .prepare("SELECT status, count(*) AS n, sum(kind = 'asset') AS assets FROM urls WHERE crawl = ?1 GROUP BY status")
    .bind(crawl)
    .all<{ status: string; n: number; assets: number }>();
  const rowOf = (status: string) => results.find((row) => row.status === status);
  const counted = Object.fromEntries(URL_STATUSES.map((status) => [status, rowOf(status)?.n ?? 0]));
  const discovered = results.reduce((sum, row) => sum + row.n, 0);
  const known = await new Ledger(db).crawl(crawl);
  expect(known?.counters).toEqual({ discovered, ...counted });
  const assets = (["pending", "queued", "completed"] as const).map((status) => [status, rowOf(status)?.assets ?? 0]);
  expect(known?.assets).toEqual(Object.fromEntries(assets));
  const growing = await db
    .prepare(
      `SELECT (SELECT count(*) FROM urls WHERE crawl = ?1 AND status = 'pending' AND priority < 0) - growing_pending AS pending,
       (SELECT count(*) FROM urls WHERE crawl = ?1 AND status = 'queued' AND priority < 0) - growing_queued AS queued FROM crawls WHERE id = ?1`,
    )
    .bind(crawl)
    .first();
  expect(growing).toEqual({ pending: 0, queued: 0 });
}

/** The index has each completed page of a crawl with search once. It has no page of a crawl without search. */
export async function expectIndexExact(crawl: string, db: D1Database = env.LEDGER): Promise<void> {
  const urls = async (sql: string) =>
    (await db.prepare(sql).bind(crawl).all<{ url: string }>()).results.map(({ url }) => url);
  const search = (await new Ledger(db).crawl(crawl))?.options.search;
  const completed = search
    ? await urls("SELECT url FROM urls WHERE crawl = ?1 AND status = 'completed' AND kind = 'page' ORDER BY url")
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
