/** Pages and queries that are as slow to search as they can be: bench/search-load.ts, bench/search-beside.ts. */
import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { leaveOutFrequent } from "../src/search/frequent-words.ts";

const words = (text: string) => text.split(" ");
const COMMON = words(
  "the of to and a in is it for that as with on by are not be from which this each all has at or an its if one no when can",
);
const TOPICAL = words(
  "crawl page url host link watch pack row ledger batch text reader gate file robots visit time table test byte console",
);
/** Characters by their frequency. */
const HAN = Array.from({ length: 3_000 }, (_, at) => String.fromCodePoint(0x4e00 + at));
const FREQUENT = HAN.slice(0, 32);
const SENTENCE = "the error of x in the log";
/** No page has it, so that pages with any of the other words are found. */
const NOWHERE = "zzzz";
export const QUERIES = [
  "the",
  "x log error",
  "crawler robots",
  "zebra giraffe",
  COMMON.slice(0, 10),
  COMMON,
  [...COMMON.slice(0, 31), NOWHERE],
  [...TOPICAL, NOWHERE],
  ["the", "-zebra"],
  ["the", ...TOPICAL.map((word) => `-${word}`)],
  ["zebra", ...COMMON.slice(0, 31).map((word) => `-${word}`)],
  "con* pre* the* sto*",
  [...COMMON.slice(0, 27), "con*", "pre*", "the*", "sto*", NOWHERE],
  '"of the of" "the to the" "and and the" "a the a"',
  [...COMMON.slice(0, 19), '"of the of"', '"the to the"', '"and and the"', '"a the a"', NOWHERE],
  `"${SENTENCE} ${SENTENCE}"`,
  `"${SENTENCE}" "error of x in" "x in the log" log`,
  [`"${SENTENCE} the"`, `"${SENTENCE} in"`, NOWHERE, ...COMMON.slice(0, 15)],
  HAN[0] ?? "",
  HAN.slice(0, 2).join(""),
  FREQUENT.slice(0, 6),
  FREQUENT,
  [...FREQUENT.slice(0, 31), NOWHERE],
  [...FREQUENT.slice(0, 15), ...COMMON.slice(0, 15), NOWHERE],
  FREQUENT.slice(0, 31).map((first, at) => `${first}${FREQUENT[at + 1]}`),
  ["the", ...FREQUENT.slice(0, 31).map((one) => `-${one}`)],
  FREQUENT.slice(0, 12).join(""),
  "一".repeat(16),
  "一丁".repeat(8),
  '"x y x x y y x y x y x x y y x x"',
  '"x y x x" "x y y x" "y y x x" "x x x x" x y',
  '"the error of x in the log the error of x in the log the error"',
].map((query) => (typeof query === "string" ? query : query.join(" ")));

/** Some characters and a comma: the nth is about n times as rare as the first (Zipf's law). */
function han(below: (end: number) => number): string {
  const one = () => HAN[Math.floor(HAN.length ** (below(10_000) / 10_000)) - 1] ?? "";
  return `${Array.from({ length: 10 + below(20) }, one).join("")}，`;
}

function byChance(length: number, parts: readonly string[], below: (end: number) => number): string {
  return Array.from({ length }, () => parts[below(parts.length)]).join("");
}

/** Makes an index of so many pages of a crawl `c`, with the rows that a search reads. */
export function makeIndex(path: string, pages: number): void {
  const db = new DatabaseSync(path);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
  db.exec(readFileSync(new URL("../migrations/0006_search.sql", import.meta.url), "utf8"));
  db.exec("CREATE TABLE crawls (id TEXT PRIMARY KEY, deleting_at INTEGER)");
  db.exec(`CREATE TABLE urls (crawl TEXT, url TEXT, status TEXT, depth INTEGER, priority INTEGER, seq INTEGER, title TEXT,
    fetched_at INTEGER, rank INTEGER, in_links INTEGER, twin_of TEXT, relevance REAL, PRIMARY KEY (crawl, url)) WITHOUT ROWID`);
  fillIndex(db, pages);
  db.close();
}

/** Adds the pages to an index that is empty. */
export function fillIndex(db: DatabaseSync, pages: number): void {
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
  const addPage = db.prepare("INSERT INTO search_pages (crawl, url, unspaced, title, text) VALUES ('c', ?, ?, ?, ?)");
  const addUrl = db.prepare(
    "INSERT INTO urls (crawl, url, status, depth, priority, seq, title) VALUES ('c', ?, 'completed', 1, 0, ?, ?)",
  );
  db.exec("BEGIN");
  for (let i = 0; i < pages; i++) {
    const isChinese = i % 10 === 0;
    const length = 2_000 + below(6_000);
    let text = "";
    if (i % 1_000 === 7) text = `${SENTENCE} `.repeat(38_000);
    if (i % 1_000 === 10) text = `${HAN[0]}`.repeat(330_000);
    if (i % 1_000 === 13) text = byChance(500_000, ["x ", "y "], below);
    if (i % 1_000 === 20) text = byChance(330_000, HAN.slice(0, 2), below);
    text = leaveOutFrequent(text);
    while (isChinese ? text.length < length / 3 : text.length < length)
      text += isChinese ? han(below) : `${sentences[below(sentences.length)]}. `;
    const title = sentences[below(sentences.length)]?.slice(0, 60) ?? "";
    addPage.run(`https://a.test/${i}`, isChinese ? 1 : 0, title, isChinese ? `${text}\n\n` : text);
    addUrl.run(`https://a.test/${i}`, i, title);
  }
  db.exec("COMMIT");
  db.exec("INSERT INTO search_words (rowid, title, text) SELECT id, title, text FROM search_pages");
  db.exec("INSERT INTO search_trigrams (rowid, title, text) SELECT id, title, text FROM search_pages WHERE unspaced");
}
