/**
 * How often a search has the page first that is meant: crawls Git's manual (Debian's package git-doc) with `--search`,
 * asks the queries of search-queries.ts, and prints the mean reciprocal rank (MRR) of the pages that they mean: by BM25
 * alone, as SQLite orders the rows, and as the API answers. Exits 1 if the queries that the ranking was not fitted to
 * have less than 0.75.
 *
 *     node bench/search-ranking.ts [--root DIR] [--each]
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import type { SearchView } from "../src/api/views.ts";
import { toMatches } from "../src/search/match-expression.ts";
import { parseQuery } from "../src/search/query.ts";
import { run, type Served, scratch, serve } from "../test/e2e/cli.ts";
import { startStaticSite } from "../test/sites/static-site.ts";
import { FITTED, MEASURED, type Query } from "./search-queries.ts";

const { values } = parseArgs({
  options: { root: { type: "string", default: "/usr/share/doc/git/html" }, each: { type: "boolean", default: false } },
});
const { root, each } = values;
if (!existsSync(join(root, "git.html")))
  throw new Error(`There is no Git manual in ${root}. Install Debian's git-doc, or name its folder with --root.`);

const LEAST_MRR = 0.75;
/** A page that is not among so many hits has no rank. */
const DEPTH = 100;

const site = await startStaticSite(root);
const dir = scratch();
try {
  const served = await serve(dir.path);
  // No page links to some of them.
  const pages = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"));
  const urls = pages.map((name) => `${site.origin}/${name}`);
  const flags = ["--depth", "0", "--search", "--delay", "0"];
  const { code, stderr } = await run("crawl", ...urls, ...flags, ...served.remote);
  if (code !== 0) throw new Error(`the crawl failed: ${stderr}`);
  const queries = [...FITTED, ...MEASURED];
  const answers = new Map<Query, string[]>();
  for (const query of queries) answers.set(query, await askApi(served, query));
  await served.close();
  const rows = orderByBm25(queries);

  console.log(
    "| queries | pages first, BM25 | MRR, BM25 | pages first, now | MRR, now |\n| --- | --- | --- | --- | --- |",
  );
  for (const [name, list] of [
    ["fitted", FITTED],
    ["measured", MEASURED],
  ] as const)
    console.log(`| ${name}: ${list.length} | ${describeRanks(list, rows)} | ${describeRanks(list, answers)} |`);
  if (each)
    for (const query of queries)
      console.log(
        `${rankOf(query, rows)} → ${rankOf(query, answers)}  ${query[0]}  (first: ${answers.get(query)?.[0]})`,
      );
  if (mrrOf(MEASURED, answers) < LEAST_MRR) process.exitCode = 1;
} finally {
  dir.remove();
  await site.close();
}

async function askApi({ address, token }: Served, [words]: Query): Promise<string[]> {
  const search = new URLSearchParams({ q: words, limit: String(DEPTH) });
  const answer = await fetch(`${address}/api/search?${search}`, { headers: { authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`${words}: ${await answer.text()}`);
  return ((await answer.json()) as { result: SearchView }).result.hits.map(({ url }) => pathOf(url));
}

/** The pages with all words, in SQLite's own order. */
function orderByBm25(queries: readonly Query[]): Map<Query, string[]> {
  const folder = join(dir.path, "v3", "d1", "miniflare-D1DatabaseObject");
  const file = readdirSync(folder).find((name) => /^[0-9a-f]{64}\.sqlite$/.test(name)) ?? "";
  const db = new DatabaseSync(join(folder, file), { readOnly: true });
  const statement = db.prepare(
    `SELECT p.url FROM search_words JOIN search_pages p ON p.id = search_words.rowid
     WHERE search_words MATCH ? ORDER BY bm25(search_words, 10.0, 1.0) LIMIT ${DEPTH}`,
  );
  return new Map(
    queries.map((query) => {
      const expression = toMatches(parseQuery(query[0]), new Map())?.words ?? "";
      return [query, statement.all(expression).map(({ url }) => pathOf(String(url)))];
    }),
  );
}

function pathOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

/** 0 for a page that is not found. */
function rankOf(query: Query, answers: ReadonlyMap<Query, string[]>): number {
  return (answers.get(query)?.indexOf(query[1]) ?? -1) + 1;
}

function mrrOf(queries: readonly Query[], answers: ReadonlyMap<Query, string[]>): number {
  const ranks = queries.map((query) => rankOf(query, answers)).filter((rank) => rank > 0);
  return ranks.reduce((sum, rank) => sum + 1 / rank, 0) / queries.length;
}

function describeRanks(queries: readonly Query[], answers: ReadonlyMap<Query, string[]>): string {
  const first = queries.filter((query) => rankOf(query, answers) === 1).length;
  return `${first} of ${queries.length} | ${mrrOf(queries, answers).toFixed(2)}`;
}
