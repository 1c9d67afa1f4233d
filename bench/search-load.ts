/**
 * How long the slowest queries of a search hold the database: 100,000 pages with 500 MB of text, sentences of this
 * project's documents in an order by chance, every tenth of Chinese characters by chance, some more frequent than
 * others, as in a language. Every thousandth is a megabyte of one sentence, and as many are of one character, of two
 * words and of two characters by chance. Words that a page repeats without end are left out, as of a page that is
 * crawled. SQLite alone, with the statements of the API; a search has the candidates and the windows of its ten hits.
 *
 *     node bench/search-load.ts [--pages 100000] [--keep FILE]
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { beginningsOf, markHits } from "../src/search/mark-hits.ts";
import { isShort } from "../src/search/match-expression.ts";
import { parseQuery } from "../src/search/query.ts";
import { askCandidates, BEGINNINGS, MOST_BEGINNINGS, MOST_MATCHES, WINDOWS } from "../src/store/records/search-sql.ts";
import { makeIndex, QUERIES } from "./search-corpus.ts";

const { values } = parseArgs({
  options: { pages: { type: "string", default: "100000" }, keep: { type: "string" } },
});

const dir = mkdtempSync(join(tmpdir(), "orbweaver-search-"));
const file = values.keep ?? join(dir, "search.db");
try {
  if (!existsSync(file)) makeIndex(file, Number(values.pages));
  const db = new DatabaseSync(file, { readOnly: true });
  // What D1 has of it is not documented; SQLite's own default is less.
  db.exec("PRAGMA cache_size = -16000");
  console.log(`| query | ms of CPU time | pages found |\n| --- | --- | --- |`);
  for (const query of QUERIES) {
    const start = process.cpuUsage();
    const found = search(db, query);
    const { user, system } = process.cpuUsage(start);
    console.log(
      `| \`${query.length > 70 ? `${query.slice(0, 70)}…` : query}\` | ${Math.round((user + system) / 1_000)} | ${found} |`,
    );
  }
} finally {
  rmSync(dir, { recursive: true });
}

function search(db: DatabaseSync, query: string): string {
  const terms = parseQuery(query);
  const short = terms.filter(isShort);
  const beginnings = new Map(
    short.map(({ text }) => {
      const most = Math.floor(MOST_BEGINNINGS / short.length);
      const rows = db.prepare(BEGINNINGS).all(text, `${text}\u{10ffff}`, most);
      return [text, rows.map(({ term }) => String(term))];
    }),
  );
  for (const needed of ["all", "any"] as const) {
    const asked = askCandidates(terms, beginnings, needed, { crawl: null });
    if (asked === null) continue;
    const rows = db.prepare(asked.sql).all(...asked.values);
    if (rows.length === 0) continue;
    const ids = rows.slice(0, 10).map(({ id }) => id);
    const windows = db.prepare(WINDOWS).all(JSON.stringify(ids), JSON.stringify(beginningsOf(terms)), 500_000);
    for (const { window } of windows) markHits(String(window), terms);
    return `${Number(rows[0]?.["looked"]) >= MOST_MATCHES ? "at least " : ""}${rows[0]?.["total"]}`;
  }
  return "0";
}
