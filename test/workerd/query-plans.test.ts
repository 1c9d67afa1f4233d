import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { planAdvance } from "../../src/store/ledger/advance.ts";
import { Ledger } from "../../src/store/ledger/ledger.ts";
import { runPlan } from "../../src/store/ledger/plan.ts";
import { fillLedger, runEveryStatement } from "./every-statement.ts";

/**
 * How SQLite runs every statement of a commit, of admission and of repairs on a full ledger, with and without the
 * statistics of ANALYZE. A statement reads the large tables only as its entry says, and a statement without an entry
 * fails. Tables of few rows are left out: crawls, and lists that come as JSON.
 */

const SMALL = /^(SCAN|SEARCH) (crawls|c|n|h|f|w|d|r|m|room|chain|\(subquery-\d+\)|\S+ VIRTUAL TABLE)( |$)|CONSTANT ROW/;

/** Looks up each row of a list. */
const ROWS = "PRIMARY KEY (crawl=? AND url=?)";
const HOST = "PRIMARY KEY (crawl=? AND host=?)";
/** The rows of a rule, and one of them. */
const RULE = "PRIMARY KEY (crawl=? AND host=? AND rule=?)";
const WITHHELD = "PRIMARY KEY (crawl=? AND host=? AND rule=? AND seq=?)";
const VERSION = "PRIMARY KEY (crawl=? AND url=? AND fetched_at=?)";
/** The next versions, in order. */
const VERSIONS = "PRIMARY KEY (crawl=? AND (url,fetched_at)>(?,?))";
/** Reads some tens of thousands of rows. */
const WINDOW = "PRIMARY KEY (crawl=? AND url>? AND url<?)";
/** Reads all rows of the crawl. */
const CRAWL = "PRIMARY KEY (crawl=?)";
const DIGEST = "INDEX urls_sha256 (crawl=? AND sha256=?)";
const HOSTS = "INDEX sitemaps_host (crawl=? AND status=?)";
const TEXT = "INDEX sqlite_autoindex_search_pages_1 (crawl=? AND url=?)";
const ROWID = "INTEGER PRIMARY KEY (rowid=?)";
const PENDING = "INDEX urls_pending (crawl=?)";
const LISTS = "PRIMARY KEY (crawl=? AND (seq,part)>(?,?))";
/** The first rows of the backlog, in order. */
const BACKLOG = "PRIMARY KEY (crawl=?)";
/** b: the first rows of the backlog. */
const CHUNKS = [`backlog USING ${BACKLOG}`, "backlog USING PRIMARY KEY (crawl=? AND priority<?)", "SCAN b"];
const CHUNK = "PRIMARY KEY (crawl=? AND priority=? AND depth=? AND seq=?)";
/** The rows of the backlog that a URL may be in. */
const CHUNK_OF = "PRIMARY KEY (crawl=? AND priority=? AND depth=? AND seq>? AND seq<?)";
const PROMOTION = "PRIMARY KEY (at=? AND tx=?)";

/** The next versions, and what is asked of each. */
const REMOVABLE = [
  `versions USING ${VERSIONS}`,
  "SCAN v",
  "newer USING PRIMARY KEY (crawl=? AND url=? AND fetched_at>? AND fetched_at<?)",
  `u USING ${ROWS}`,
  `copy USING ${DIGEST}`,
  "copy USING INDEX versions_revisits (crawl=? AND revisits=?)",
];
/** The lists that are not sorted yet, what is sorted, and each page that has a digest. */
const CONTENTS = [
  "contents USING PRIMARY KEY (crawl=? AND prefix=?)",
  "all_of USING PRIMARY KEY (crawl=? AND prefix=?)",
  "s USING PRIMARY KEY (crawl=? AND prefix=?)",
  "finished USING PRIMARY KEY (crawl=? AND seq>?)",
  "f USING PRIMARY KEY (crawl=? AND seq>?)",
  "f USING PRIMARY KEY (crawl=? AND seq=? AND part=?)",
  "SCAN recent",
  "SCAN l",
  "l USING AUTOMATIC INDEX (sha256=?)",
  `u USING ${ROWS}`,
  `o USING ${ROWS}`,
  `u USING ${DIGEST}`,
];
const OLD_CHANGES = [
  "changes USING PRIMARY KEY (crawl=? AND seq<?)",
  `changes USING ${CRAWL}`,
  `webhooks USING ${CRAWL}`,
];

/** Of a statement that asks whether a part of a crawl over several ledgers is idle: of such a part alone. */
const ASKS_FOR_IDLE_PART = "notes ->> '$.shards' IS NOT NULL AND moving = 0";
const OF_IDLE_PART = [`s USING ${HOSTS}`, "w USING INDEX withheld_open (crawl=?)"];

/** The beginning of each statement, and the searches that it may make. */
const ALLOWED: Record<string, string[]> = {
  "SELECT * FROM crawls": [],
  "SELECT id FROM crawls": [],
  "SELECT u.crawl, u.url, u.depth": [`u USING ${ROWS}`, "s USING PRIMARY KEY (crawl=? AND host=?)", `v USING ${ROWS}`],
  "SELECT s.crawl, s.url, s.depth": [`s USING ${ROWS}`],
  // A crawl with a depth limit. l: the pages to which it has just found a nearer way.
  "SELECT u.crawl, u.url, u.depth, u.attempts, u.redirects, u.chain, u.kind, u.lastmod, u.via, u.found, u.cookies, NULL AS unanswered":
    [`u USING ${ROWS}`, `l USING ${CRAWL}`],
  "SELECT u.url, u.kind = 'page' AND u.depth": [`u USING ${ROWS}`],
  "SELECT c.id FROM (SELECT DISTINCT crawl FROM lowered)": ["SCAN lowered", "SCAN l"],
  "INSERT INTO lowered": [`u USING ${ROWS}`],
  "UPDATE lowered": [`lowered USING ${ROWS}`],
  "DELETE FROM lowered": [`lowered USING ${ROWS}`],
  "WITH f AS MATERIALIZED": [`urls USING ${ROWS}`],
  "UPDATE crawls SET skipped": [`u USING ${ROWS}`],
  "DELETE FROM refusals": ["refusals USING PRIMARY KEY (crawl=? AND reason=?)"],
  "UPDATE refusals": ["refusals USING PRIMARY KEY (crawl=? AND reason=?)", `u USING ${ROWS}`],
  "SELECT j.value AS url": [`u USING ${ROWS}`],
  // The number of copies of pages, and the page that stores a content itself.
  "WITH d AS MATERIALIZED (SELECT value AS sha256": CONTENTS,
  // Once for a hundred commits.
  "INSERT INTO contents": [
    "contents USING PRIMARY KEY (crawl=? AND prefix=?)",
    "f USING PRIMARY KEY (crawl=? AND seq>? AND seq<?)",
  ],
  "UPDATE contents": ["contents USING PRIMARY KEY (crawl=? AND prefix=?)"],
  "DELETE FROM contents": ["contents USING PRIMARY KEY (crawl=? AND prefix=?)"],
  // Only for a batch with a page that the crawl has often enough already.
  "WITH RECURSIVE way": [`u USING ${ROWS}`, "SCAN way"],
  "SELECT j.value AS host": ["v USING PRIMARY KEY (crawl=? AND pattern=?)"],
  // Once for a batch of a crawl with a subject.
  "SELECT learned, version FROM topics": ["topics USING PRIMARY KEY (crawl=?)"],
  "INSERT INTO topics": [],
  "SELECT v.pattern": ["v USING PRIMARY KEY (crawl=? AND pattern=?)"],
  // Only for a batch that found sitemaps.
  "SELECT count(*) AS n, coalesce(sum(feed), 0) AS feeds": [`sitemaps USING ${CRAWL}`],
  // j: the list of redirects.
  "WITH j AS MATERIALIZED": [
    `u USING ${ROWS}`,
    `urls USING ${ROWS}`,
    `p USING ${ROWS}`,
    `p EXISTS USING ${ROWS}`,
    "SCAN j",
  ],
  "WITH RECURSIVE chain": [`u USING ${ROWS}`],
  "UPDATE urls SET status = 'held'": [`urls USING ${ROWS}`],
  // o: the list of outcomes.
  "WITH o AS ( SELECT count(*) AS settled": [`u USING ${ROWS}`, "SCAN o"],
  "INSERT INTO refusals": [`u USING ${ROWS}`],
  "INSERT INTO search_pages": [`u USING ${ROWS}`],
  "INSERT INTO search_words": [`u USING ${ROWS}`, `p USING ${TEXT}`, `search_pages USING ${ROWID}`],
  "INSERT INTO search_trigrams": [`u USING ${ROWS}`, `p USING ${TEXT}`, `search_pages USING ${ROWID}`],
  "DELETE FROM search_pages": [`u USING ${ROWS}`, `p USING ${TEXT}`, `search_pages USING ${ROWID}`],
  // finished: the last number of the crawl. f: the lists of a part.
  "INSERT INTO finished": [
    `finished USING ${CRAWL}`,
    `u USING ${ROWS}`,
    ...CHUNKS,
    `urls USING ${WINDOW}`,
    "urls USING INDEX urls_pending (crawl=? AND priority<?)",
    `urls USING ${PENDING}`,
  ],
  // Only for a reader who follows a crawl. Rows of an earlier version are read once, when the crawl has ended.
  "SELECT seq, part, count(*) OVER ()": [`finished USING ${LISTS}`],
  "SELECT f.seq, f.part": [`finished USING ${LISTS}`, `urls USING ${ROWS}`],
  "SELECT url, status, reason, detail, attempts": [`urls USING ${WINDOW}`],
  "WITH o AS MATERIALIZED": [`finished USING ${CRAWL}`, `urls USING ${ROWS}`, `sitemaps USING ${ROWS}`, "SCAN o"],
  "UPDATE urls SET status = 'queued' WHERE crawl": [`urls USING ${ROWS}`],
  "INSERT OR IGNORE INTO packs": [],
  "INSERT OR REPLACE INTO answers": [],
  "SELECT a.url FROM json_each": [`a USING ${ROWS}`],
  // w and c: the crawl's webhooks, and its row. u: the pages of a commit, only for a crawl with webhooks.
  "INSERT INTO deliveries": [
    `p USING ${ROWS}`,
    `p EXISTS USING ${ROWS}`,
    "told_troubles EXISTS USING PRIMARY KEY (crawl=? AND host=? AND since=?)",
    `u USING ${ROWS}`,
    "SCAN j VIRTUAL TABLE INDEX 1:",
  ],
  "INSERT INTO variants": [`u USING ${ROWS}`],
  "SELECT substr(pattern, 6) AS host FROM variants": [
    "variants USING PRIMARY KEY (crawl=? AND pattern>? AND pattern<?)",
  ],
  // Only for a batch that holds URLs back, and at the end of a crawl that does.
  "INSERT INTO withheld_urls": [`w USING ${RULE}`],
  "WITH r AS MATERIALIZED ( SELECT ?1 AS crawl, ?2 AS host": [`withheld_urls USING ${WITHHELD}`],
  "UPDATE withheld_urls": [`withheld_urls USING ${HOST}`, `withheld_urls USING ${RULE}`],
  // Only to show a crawl.
  "SELECT rule, sum(count) AS count FROM withheld_urls": [`withheld_urls USING ${CRAWL}`],
  "SELECT g.key AS name": [`e USING ${CRAWL}`],
  "SELECT DISTINCT e.host FROM json_each(?2)": ["e USING PRIMARY KEY (crawl=? AND host=?)"],
  "SELECT DISTINCT host, rule FROM withheld_urls": [`withheld_urls USING ${CRAWL}`],
  "SELECT seq, version, tested, urls FROM withheld_urls": [`withheld_urls USING ${RULE}`],
  "SELECT j.value ->> 'host' AS host": [`w USING ${RULE}`],
  "SELECT coalesce(sum(links), 0) AS count FROM withheld_urls": [`withheld_urls USING ${CRAWL}`],
  "SELECT urls FROM withheld_urls": [`withheld_urls USING ${CRAWL}`],
  // Only for a batch that found sitemaps.
  "INSERT INTO sitemaps": [`sitemaps USING ${CRAWL}`, "q USING INDEX sitemaps_host (crawl=? AND status=? AND host=?)"],
  // Readings, their signals, and how those proved.
  "WITH again AS MATERIALIZED": [`sitemaps USING ${ROWS}`, "SCAN again"],
  "WITH s AS MATERIALIZED": [`u USING ${ROWS}`, "SCAN s", "SCAN t"],
  "INSERT INTO signals": [`u USING ${ROWS}`],
  "SELECT u.url, j.value ->> 'lastmod' AS lastmod": [`u USING ${ROWS}`],
  "SELECT s.host, s.signalled": ["s USING PRIMARY KEY (crawl=? AND host=?)"],
  "SELECT signal_debt AS debt": [],
  "UPDATE crawls SET status = 'running' WHERE id = ?1 AND status = 'watching'": [`sitemaps USING ${HOSTS}`],
  // At most 64 times per mean interval and watch, or once a minute while some are due.
  "SELECT id, epoch, every_s": [`s USING ${CRAWL}`],
  "SELECT url, readings AS reading": [`sitemaps USING ${CRAWL}`],
  "UPDATE sitemaps SET asked_at": [`sitemaps USING ${ROWS}`],
  "UPDATE crawls SET readings_at": [],
  "WITH d AS MATERIALIZED": [`urls USING ${ROWS}`],
  "INSERT INTO urls": [`u USING ${ROWS}`],
  "INSERT INTO backlog": [`u USING ${ROWS}`],
  "UPDATE promotions": [`promotions USING ${PROMOTION}`],
  "INSERT INTO promotions": [`urls USING ${PENDING}`, `backlog USING ${BACKLOG}`],
  "UPDATE urls SET status = 'queued', tx": [
    `urls USING ${ROWS}`,
    `urls USING ${PENDING}`,
    `promotions USING ${PROMOTION}`,
  ],
  "WITH r AS MATERIALIZED": [`p USING ${PROMOTION}`, `backlog USING ${CHUNK}`],
  "DELETE FROM backlog": [...CHUNKS, `p USING ${PROMOTION}`, `backlog USING ${CHUNK}`],
  "DELETE FROM promotions WHERE at": ["promotions USING PRIMARY KEY (at<?)"],
  "WITH RECURSIVE h (host)": [
    `sitemaps USING ${ROWS}`,
    `sitemaps USING ${HOSTS}`,
    "s USING INDEX sitemaps_host (crawl=? AND status=? AND host>?)",
    "q USING INDEX sitemaps_host (crawl=? AND status=? AND host=?)",
    "p USING INDEX sitemaps_host (crawl=? AND status=? AND host=?)",
  ],
  // It reads the crawl's rows only when the crawl ends without a page.
  "UPDATE crawls SET pending = crawls.pending": [
    `promotions USING ${PROMOTION}`,
    "SCAN p",
    `sitemaps USING ${HOSTS}`,
    `urls USING ${CRAWL}`,
    // Only when nothing else of the crawl is open.
    `withheld_urls USING ${CRAWL}`,
    `lowered USING ${CRAWL}`,
  ],
  "SELECT status, epoch, waiting AS pending": [
    `sitemaps USING ${HOSTS}`,
    `withheld_urls USING ${CRAWL}`,
    `lowered USING ${CRAWL}`,
  ],
  "SELECT u.url, u.status, u.reason FROM json_each": [`u USING ${ROWS}`],
  // Only after a host would have given more pages than its limit.
  "SELECT u.url FROM json_each": [`u USING ${ROWS}`],
  // Only where a pattern of URLs says nothing new any more.
  "SELECT s.url FROM json_each": [`s USING ${ROWS}`],
  // Only after a transient error.
  "WITH r AS MATERIALIZED ( SELECT ?1 AS crawl, j.value ->> 0 AS priority, j.value ->> 1 AS depth, j.value ->> 2 AS seq, j.value ->> 3 AS taken, j.value ->> 4 AS n, j.value ->> 5 AS is_rest FROM promotions p CROSS JOIN json_each(p.ranges) j WHERE p.at = ?2 AND p.tx = ?3) SELECT url":
    [`p USING ${PROMOTION}`, `u USING ${CRAWL}`],
  "SELECT url FROM sitemaps WHERE crawl = ?1 AND status = 'queued' AND tx": [
    `sitemaps USING ${HOSTS}`,
    `sitemaps USING ${CRAWL}`,
  ],
  "WITH w AS MATERIALIZED": [`urls USING ${ROWS}`, `sitemaps USING ${ROWS}`],
  // Once a heartbeat. The table has a row for each running crawl.
  "DELETE FROM message_searches": ["message_searches", "SCAN message_searches"],
  "SELECT c.id, c.epoch, c.discovered AS size": ["m USING PRIMARY KEY (crawl=?)"],
  "INSERT INTO message_searches": [],
  "SELECT state FROM message_searches": ["message_searches USING PRIMARY KEY (crawl=?)"],
  // A portion of the crawl's rows.
  "WITH p AS MATERIALIZED": ["urls USING PRIMARY KEY (crawl=? AND url>?)", `b USING ${CHUNK_OF}`, "SCAN p", "SCAN u"],
  "SELECT url, seq, attempts FROM sitemaps": [`sitemaps USING ${HOSTS}`],
  "SELECT t.crawl, t.url, t.due_at AS dueAt, coalesce(t.failures, 0) AS failures, c.epoch, 'urls'": [
    `t USING ${ROWS}`,
    "t USING INDEX urls_due (due_at<?)",
  ],
  "SELECT t.crawl, t.url, t.due_at AS dueAt, coalesce(t.failures, 0) AS failures, c.epoch, 'sitemaps'": [
    `t USING ${ROWS}`,
    "t USING INDEX sitemaps_due (due_at<?)",
  ],
  "UPDATE urls SET due_at = NULL": [`urls USING ${ROWS}`, "t USING INDEX urls_due (due_at<?)"],
  "UPDATE sitemaps SET due_at = NULL": [`sitemaps USING ${ROWS}`, "t USING INDEX sitemaps_due (due_at<?)"],
  "UPDATE crawls SET wake_at = max(wake_at, ?2)": [],
  "UPDATE crawls SET wake_at = max(wake_at, coalesce": [
    "urls USING INDEX urls_due (due_at>?)",
    "sitemaps USING INDEX sitemaps_due (due_at>?)",
  ],
  "UPDATE urls INDEXED BY urls_due": ["urls USING INDEX urls_due (due_at<?)"],
  "UPDATE sitemaps INDEXED BY sitemaps_due": ["sitemaps USING INDEX sitemaps_due (due_at<?)"],
  "UPDATE crawls SET status": [],
  "SELECT 1 FROM urls u WHERE u.crawl = ?1 AND u.url": [`u USING ${ROWS}`, `b EXISTS USING ${CHUNK_OF}`],
  "SELECT url FROM sitemaps INDEXED BY sitemaps_host WHERE crawl = ?1 AND status = 'queued' AND (due_at": [
    `sitemaps USING ${HOSTS}`,
  ],
  "UPDATE crawls SET pending": [`urls USING ${PENDING}`, "urls USING INDEX urls_pending (crawl=? AND priority<?)"],
  // A cancelled crawl, a window at a time: an index of queued rows would cost two more written rows for every URL.
  "SELECT url FROM urls WHERE crawl = ?1 AND url > ?2 AND url <= ?3": [`urls USING ${WINDOW}`],
  "UPDATE crawls SET queued = queued - n.n": [`urls USING ${WINDOW}`, `u USING ${ROWS}`, ...CHUNKS],
  "UPDATE urls SET status = 'skipped'": [
    `finished USING ${CRAWL}`,
    ...CHUNKS,
    `urls USING ${ROWS}`,
    "urls USING INDEX urls_pending (crawl=? AND priority<?)",
  ],
  "UPDATE urls SET status = 'cancelled'": [
    `finished USING ${CRAWL}`,
    ...CHUNKS,
    `urls USING ${ROWS}`,
    `urls USING ${PENDING}`,
    `urls USING ${WINDOW}`,
  ],
  "UPDATE sitemaps INDEXED BY sitemaps_host": [`sitemaps USING ${HOSTS}`],
  "SELECT count(*) AS n FROM lowered": [`l USING ${CRAWL}`, "c USING PRIMARY KEY"],
  // A retry reads the ended rows of its crawl in order, a chunk at a time.
  "UPDATE crawls SET errored": [
    "urls USING PRIMARY KEY (crawl=? AND url>?)",
    `l USING ${CRAWL}`,
    "c USING PRIMARY KEY",
    `sitemaps USING ${HOSTS}`,
    `sitemaps USING ${CRAWL}`,
  ],
  "UPDATE urls SET status = 'pending'": [`urls USING ${ROWS}`, "urls USING PRIMARY KEY (crawl=? AND url>?)"],
  "UPDATE sitemaps SET status = 'pending'": [
    `sitemaps USING ${ROWS}`,
    `sitemaps USING ${HOSTS}`,
    `sitemaps USING ${CRAWL}`,
  ],
  // Parts of crawls over several ledgers. The outbox is nearly empty.
  "UPDATE shard_parts": ["shard_parts USING PRIMARY KEY (crawl=?)", `shard_outbox USING ${ROWID}`],
  "INSERT INTO shard_outbox": ["shard_parts USING PRIMARY KEY (crawl=?)", `shard_outbox USING ${ROWID}`],
  "SELECT min(id) AS first": ["shard_outbox USING INTEGER PRIMARY KEY (rowid>?)"],
  "SELECT c.id FROM (SELECT DISTINCT crawl FROM shard_outbox)": ["SCAN shard_outbox", "SCAN o"],
  "SELECT notes -> '$.shards'": [],
  "SELECT id, body, (SELECT count(*) FROM shard_outbox": ["shard_outbox USING INTEGER PRIMARY KEY (rowid>?)"],
  "DELETE FROM shard_outbox": [`shard_outbox USING ${ROWID}`],
  "SELECT (SELECT min(id) FROM shard_outbox": ["shard_outbox USING INTEGER PRIMARY KEY (rowid>?)"],
  // Visits. t and k: the sums of a list.
  "WITH v AS": [`u USING ${ROWS}`, "SCAN t", "SCAN k"],
  "INSERT INTO changes": [`u USING ${ROWS}`, `v USING ${ROWS}`],
  "INSERT OR IGNORE INTO versions": [`u USING ${ROWS}`],
  "UPDATE crawls SET change_seq": [`u USING ${ROWS}`, "SCAN t"],
  "INSERT INTO watch_hosts": [`u USING ${ROWS}`],
  "UPDATE templates SET looks": [`templates USING ${HOST}`],
  "UPDATE watch_hosts": [`watch_hosts USING ${HOST}`],
  "INSERT OR REPLACE INTO answer_marks": [`u USING ${ROWS}`],
  "DELETE FROM answer_marks": [`answer_marks USING ${HOST}`],
  "SELECT url, marks FROM answer_marks": [`answer_marks USING ${HOST}`],
  "INSERT OR REPLACE INTO page_troubles": [`u USING ${ROWS}`, `p USING ${ROWS}`],
  "DELETE FROM page_troubles": [`page_troubles USING ${ROWS}`, `u USING ${ROWS}`],
  "SELECT p.url, p.since": [`p USING ${CRAWL}`, `u USING ${ROWS}`],
  "SELECT in_trouble": [`watch_hosts USING ${HOST}`],
  "SELECT host, trouble_since": [`watch_hosts USING ${CRAWL}`],
  "SELECT pack, pack_offset": [`urls USING ${ROWS}`, `versions USING ${ROWS}`],
  // w: the crawl's webhooks. t: the troubles whose end is to be told.
  "UPDATE webhooks AS w": [],
  "UPDATE webhooks AS w SET told_seq": ["changes USING PRIMARY KEY (crawl=? AND seq>?)"],
  "SELECT w.crawl, w.id": ["w USING INDEX webhooks_changes (changes_at>?)"],
  "SELECT g.seq, g.url": [
    "g USING PRIMARY KEY (crawl=? AND seq>?)",
    `u USING ${ROWS} LEFT-JOIN`,
    "v USING PRIMARY KEY (crawl=? AND url=?)",
  ],
  "UPDATE webhooks SET told_seq": ["webhooks USING PRIMARY KEY (crawl=? AND id=?)"],
  "INSERT INTO told_troubles": [],
  "SELECT t.crawl, t.host": ["SCAN t", `h USING ${HOST}`],
  "DELETE FROM told_troubles": ["told_troubles USING PRIMARY KEY (crawl=? AND host=? AND since=?)"],
  "SELECT seq, url, kind": ["changes USING PRIMARY KEY (crawl=? AND seq>?)"],
  // The heartbeat looks at the rows of a watch in order, a part at a time.
  "SELECT id, epoch": [],
  "SELECT u.url, u.seq": ["u USING PRIMARY KEY (crawl=? AND url>?)"],
  "UPDATE crawls SET sweep": [],
  "SELECT survey FROM crawls": [],
  "UPDATE crawls SET survey": [],
  "SELECT kind, count(*)": ["changes USING PRIMARY KEY (crawl=? AND seq>?)"],
  // The first pages of a host, which say what its pages have in common.
  "SELECT url FROM urls WHERE crawl = ?1 AND url >=": ["urls USING PRIMARY KEY (crawl=? AND url>? AND url<?)"],
  "UPDATE crawls SET month": [],
  "UPDATE crawls SET options": [],
  // And at the versions and packs of one that keeps them for some days. Ten thousand packs cost one look at all rows.
  "SELECT id, options": [],
  "UPDATE crawls SET keep_place": [],
  "SELECT url, fetched_at AS fetchedAt FROM versions": [`versions USING ${VERSIONS}`],
  "DELETE FROM versions": [`versions USING ${VERSION}`, ...REMOVABLE],
  "UPDATE crawls SET notes = json_set(crawls.notes, '$.removed.versions'": [],
  // The first rows alone.
  "DELETE FROM changes": OLD_CHANGES,
  "UPDATE crawls SET notes = json_set(crawls.notes, '$.removed.changes'": [],
  "UPDATE crawls SET notes = json_set(crawls.notes, '$.removed.packs'": [
    "packs USING PRIMARY KEY (crawl=? AND name=?)",
  ],
  "WITH c AS MATERIALIZED": [
    "packs USING PRIMARY KEY (crawl=? AND name>? AND name<?)",
    `urls USING ${CRAWL}`,
    `versions USING ${CRAWL}`,
    `answers USING ${CRAWL}`,
    `sitemaps USING ${CRAWL}`,
  ],
  "DELETE FROM packs": ["packs USING PRIMARY KEY (crawl=? AND name=?)"],
};

const oneLine = (sql: string) => sql.replace(/\s+/g, " ").trim();

/** The searches of a statement in large tables, without a difference between covering and other indexes. */
async function searchesOf(sql: string, values: unknown[]): Promise<string[]> {
  const { results } = await env.LEDGER.prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .bind(...values)
    .all<{ detail: string }>();
  return results
    .map(({ detail }) => detail.replace("COVERING INDEX", "INDEX"))
    .filter((detail) => /^(SCAN|SEARCH) /.test(detail) && !SMALL.test(detail))
    .map((detail) => detail.replace(/^SEARCH /, ""));
}

/** A database that notes each statement with its last values. */
function noting(statements: Map<string, unknown[]>): D1Database {
  const prepare = (sql: string) => {
    const statement = env.LEDGER.prepare(sql);
    statements.set(sql, []);
    const bind = statement.bind.bind(statement);
    statement.bind = (...values) => {
      statements.set(sql, values);
      return bind(...values);
    };
    return statement;
  };
  return { prepare, batch: env.LEDGER.batch.bind(env.LEDGER) } as unknown as D1Database;
}

test("every statement of a commit reads large tables by an index, on a full ledger", async () => {
  await fillLedger(env.LEDGER, 20_000, 8_000);
  const statements = new Map<string, unknown[]>();
  await runEveryStatement(noting(statements));
  expect(statements.size).toBeGreaterThan(45);
  const used = new Set<string>();
  const check = async (statistics: string) => {
    for (const [sql, values] of statements) {
      const beginnings = Object.keys(ALLOWED).filter((beginning) => oneLine(sql).startsWith(beginning));
      const beginning = beginnings.toSorted((a, b) => b.length - a.length)[0];
      expect(beginning, `no entry for: ${oneLine(sql)}`).toBeDefined();
      used.add(beginning ?? "");
      const allowed = [
        ...(ALLOWED[beginning ?? ""] ?? []),
        ...(oneLine(sql).includes(ASKS_FOR_IDLE_PART) ? OF_IDLE_PART : []),
      ];
      for (const search of await searchesOf(sql, values)) {
        expect(allowed, `${statistics}: ${search} ${oneLine(sql)}`).toContain(search);
      }
    }
  };
  await check("without statistics");
  await env.LEDGER.prepare("ANALYZE").run();
  try {
    await check("with statistics");
  } finally {
    for (const table of ["sqlite_stat1", "sqlite_stat4"]) {
      await env.LEDGER.prepare(`DELETE FROM ${table}`)
        .run()
        .catch(() => undefined);
    }
    // SQLite keeps statistics in memory until they are read again. https://sqlite.org/lang_analyze.html
    await env.LEDGER.prepare("ANALYZE sqlite_schema").run();
  }
  // No entry without a statement.
  expect(Object.keys(ALLOWED).filter((beginning) => !used.has(beginning))).toEqual([]);
});

test.each([8_000, 50_000])("with %i sitemaps a commit reads a few rows of them", async (sitemaps) => {
  await env.LEDGER.batch(
    [
      "crawls",
      "urls",
      "backlog",
      "withheld_urls",
      "promotions",
      "sitemaps",
      "variants",
      "search_pages",
      "contents",
      "finished",
    ].map((table) => env.LEDGER.prepare(`DELETE FROM ${table}`)),
  );
  await fillLedger(env.LEDGER, 10, sitemaps);
  let rows = 0;
  const db = {
    prepare: env.LEDGER.prepare.bind(env.LEDGER),
    batch: async (statements: D1PreparedStatement[]) => {
      const results = await env.LEDGER.batch(statements);
      rows += results.reduce((sum, { meta }) => sum + meta.rows_read, 0);
      return results;
    },
  } as unknown as D1Database;
  await runPlan(db, planAdvance(db, "full", 10));
  expect(rows).toBeLessThan(200);
  // One more of the hosts that have none in motion.
  await env.LEDGER.prepare("UPDATE sitemaps SET status = 'completed' WHERE crawl = 'full' AND status = 'queued'").run();
  const { sitemaps: sent } = await runPlan(db, planAdvance(db, "full", 20));
  expect(sent).toHaveLength(8);
  expect(rows).toBeLessThan(400);
  expect((await new Ledger(env.LEDGER).crawl("full"))?.status).toBe("running");
});
