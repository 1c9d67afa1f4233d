/**
 * How long the slowest queries of a search hold the database: 100,000 pages with 500 MB of text, sentences of this
 * project's documents in an order by chance, every tenth in Chinese, every thousandth a megabyte of one sentence.
 * SQLite alone, with the statements of the API; a search has the candidates and the windows of its ten hits.
 *
 *     node bench/search-load.ts [--pages 100000] [--keep FILE]
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { beginningsOf, markHits } from "../src/search/mark-hits.ts";
import { isShort, toMatches, toTitleMatches } from "../src/search/match-expression.ts";
import { parseQuery } from "../src/search/query.ts";
import { BEGINNINGS, candidatesSql, MOST_MATCHES, WINDOWS } from "../src/store/search-sql.ts";

const { values } = parseArgs({
  options: { pages: { type: "string", default: "100000" }, keep: { type: "string" } },
});
const QUERIES = [
  "the",
  "the of to and a in is it for that",
  "crawler robots",
  "zebra giraffe",
  '"of the of" "the to the" "and and the" "a the a"',
  "con* pre* the* sto*",
  "the -zebra",
  "zebra -the -of -to -and",
  "网",
  "网页",
  "的 一 是 以 页 网",
  "x log error",
  ...[
    "the of to and a in is it for that as with on by are not be from which this each all has at or an its if one no when can",
  ],
];
const CHINESE = "搜索引擎如何抓取网页的本文介绍设计以及爬虫是一种自动浏览万维网的程序它遵守规则并且保存所有";

const dir = mkdtempSync(join(tmpdir(), "orbweaver-search-"));
const file = values.keep ?? join(dir, "search.db");
try {
  if (!existsSync(file)) fill(file, Number(values.pages));
  const db = new DatabaseSync(file, { readOnly: true });
  // What D1 has of it is not documented; SQLite's own default is less.
  db.exec("PRAGMA cache_size = -16000");
  console.log(`| query | ms | pages found |\n| --- | --- | --- |`);
  for (const query of QUERIES) {
    const start = performance.now();
    const found = search(db, query);
    console.log(`| \`${query}\` | ${Math.round(performance.now() - start)} | ${found} |`);
  }
} finally {
  rmSync(dir, { recursive: true });
}

function search(db: DatabaseSync, query: string): string {
  const terms = parseQuery(query);
  const beginnings = new Map(
    terms.filter(isShort).map(({ text }) => {
      const rows = db.prepare(BEGINNINGS).all(text, `${text}\u{10ffff}`);
      return [text, rows.map(({ term }) => String(term))];
    }),
  );
  for (const needed of ["all", "any"] as const) {
    const matches = toMatches(terms, beginnings, needed);
    if (matches === null) continue;
    const titles = toTitleMatches(terms, beginnings);
    const sql = candidatesSql(matches, needed);
    const { words, trigrams, notWords, notTrigrams } = matches;
    const values = [
      words,
      trigrams,
      notWords,
      notTrigrams,
      null,
      JSON.stringify(titles.words),
      JSON.stringify(titles.trigrams),
    ];
    const named = values.flatMap((value, i) => (sql.includes(`?${i + 1}`) ? [[`?${i + 1}`, value] as const] : []));
    const rows = db.prepare(sql).all(Object.fromEntries(named));
    if (rows.length === 0) continue;
    const ids = rows.slice(0, 10).map(({ id }) => id);
    const windows = db.prepare(WINDOWS).all(JSON.stringify(ids), JSON.stringify(beginningsOf(terms)), 500_000);
    for (const { window } of windows) markHits(String(window), terms);
    return `${Number(rows[0]?.["looked"]) >= MOST_MATCHES ? "at least " : ""}${rows[0]?.["total"]}`;
  }
  return "0";
}

function fill(path: string, pages: number): void {
  const docs = new URL("../docs/", import.meta.url);
  const all = readdirSync(docs)
    .filter((name) => name.endsWith(".md"))
    .map((name) => readFileSync(new URL(name, docs), "utf8").replace(/\s+/g, " "))
    .join(" ");
  const sentences = all.split(". ");
  let seed = 1;
  const below = (end: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * end);
  };
  const db = new DatabaseSync(path);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
  db.exec(readFileSync(new URL("../migrations/0006_search.sql", import.meta.url), "utf8"));
  db.exec("CREATE TABLE crawls (id TEXT PRIMARY KEY, deleting_at INTEGER)");
  db.exec(`CREATE TABLE urls (crawl TEXT, url TEXT, title TEXT, fetched_at INTEGER, rank INTEGER, in_links INTEGER,
    twin_of TEXT, relevance REAL, PRIMARY KEY (crawl, url)) WITHOUT ROWID`);
  const addPage = db.prepare("INSERT INTO search_pages (crawl, url, unspaced, title, text) VALUES ('c', ?, ?, ?, ?)");
  const addUrl = db.prepare("INSERT INTO urls (crawl, url, title) VALUES ('c', ?, ?)");
  db.exec("BEGIN");
  for (let i = 0; i < pages; i++) {
    const isChinese = i % 10 === 0;
    const length = 2_000 + below(6_000);
    let text = i % 1_000 === 7 ? "the error of x in the log ".repeat(38_000) : "";
    while (isChinese ? text.length < length / 3 : text.length < length)
      text += isChinese ? `${CHINESE.slice(below(30), 10 + below(40))}，` : `${sentences[below(sentences.length)]}. `;
    const title = sentences[below(sentences.length)]?.slice(0, 60) ?? "";
    addPage.run(`https://a.test/${i}`, isChinese ? 1 : 0, title, isChinese ? `${text}\n\n` : text);
    addUrl.run(`https://a.test/${i}`, title);
  }
  db.exec("COMMIT");
  db.exec("INSERT INTO search_words (rowid, title, text) SELECT id, title, text FROM search_pages");
  db.exec("INSERT INTO search_trigrams (rowid, title, text) SELECT id, title, text FROM search_pages WHERE unspaced");
  db.close();
}
