/**
 * A database whose URLs have several mementos, as a crawl that visits its pages again has them. The query of
 * src/store/watches/mementos.ts reads them from a table of their own, and everything else from the real ledger.
 */

interface SeveralRow {
  crawl: string;
  url: string;
  time: number;
  /** The URL whose row it copies; without one, it is a completed page without a record. */
  like?: string;
  status?: string;
  reason?: string;
  detail?: string;
  http_status?: number;
  kind?: "page" | "asset";
}

const MEMENTOS = /FROM urls\s+WHERE crawl = \?1 AND url = \?2 AND fetched_at/g;
const TABLE = "several_mementos";

/** Rows of the same URL have different times. Those of an earlier call are gone. */
export async function withMementos(db: D1Database, rows: SeveralRow[]): Promise<D1Database> {
  await db.batch([
    db.prepare(`DROP TABLE IF EXISTS ${TABLE}`),
    db.prepare(`CREATE TABLE ${TABLE} AS SELECT * FROM urls WHERE 0`),
  ]);
  const copy = db.prepare(`INSERT INTO ${TABLE} SELECT * FROM urls WHERE crawl = ?1 AND url = ?2`);
  const move = db.prepare(`UPDATE ${TABLE} SET url = ?3, fetched_at = ?4 WHERE crawl = ?1 AND url = ?2`);
  const add = db.prepare(
    `INSERT INTO ${TABLE} (crawl, url, fetched_at, status, reason, detail, http_status, kind, depth, priority, seq)
     SELECT value ->> 'crawl', value ->> 'url', value ->> 'time', coalesce(value ->> 'status', 'completed'), value ->> 'reason',
       value ->> 'detail', value ->> 'http_status', coalesce(value ->> 'kind', 'page'), 0, 0, 0 FROM json_each(?1)`,
  );
  // A row has another name at first, so that no later row moves it again.
  for (const { crawl, url, time, like } of rows)
    if (like !== undefined) await db.batch([copy.bind(crawl, like), move.bind(crawl, like, `${url}#`, time)]);
  await db.prepare(`UPDATE ${TABLE} SET url = rtrim(url, '#')`).run();
  await add.bind(JSON.stringify(rows.filter(({ like }) => like === undefined))).run();
  return {
    prepare: (sql: string) => db.prepare(sql.replace(MEMENTOS, (found) => found.replace("urls", TABLE))),
    batch: db.batch.bind(db),
  } as unknown as D1Database;
}
