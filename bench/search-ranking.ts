/**
 * How often a search has the page first that is meant: crawls manuals with `--search`, analyzes the links, asks the
 * queries of search-queries.ts, and prints the mean reciprocal rank (MRR) of the pages that they mean: by BM25 alone,
 * as SQLite orders the rows, as the API answers, and with other weights of PageRank. Exits 1 if Git's queries that the
 * ranking was not fitted to have less than 0.75, or if PageRank lowers the MRR of any list.
 *
 *     node bench/search-ranking.ts [--manual NAME] [--root DIR] [--weights 0.05,0.5] [--each]
 */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import type { SearchView } from "../src/api/views.ts";
import { toMatches } from "../src/search/match-expression.ts";
import { parseQuery, type Term } from "../src/search/query.ts";
import { type Candidate, LEAD_DEPTH, LEAD_LENGTH, rankByLeads, rankByNames } from "../src/search/rank-hits.ts";
import { askCandidates, LEADS } from "../src/store/records/search-sql.ts";
import { run, type Served, scratch, serve } from "../test/e2e/cli.ts";
import { startStaticSite } from "../test/sites/static-site.ts";
import {
  APACHE,
  FITTED,
  HANDBOOK,
  MEASURED,
  POSTGRES,
  PYTHON,
  type Query,
  REFERENCE,
  SQLITE,
} from "./search-queries.ts";

interface Manual {
  /** Debian's package. */
  of: string;
  root: string;
  /** Queries by their name in the table. */
  lists: Record<string, readonly Query[]>;
}

const MANUALS: Record<string, Manual> = {
  git: { of: "git-doc", root: "/usr/share/doc/git/html", lists: { "Git, fitted": FITTED, "Git, measured": MEASURED } },
  handbook: {
    of: "debian-handbook",
    root: "/usr/share/doc/debian-handbook/html/en-US",
    lists: { "Debian handbook": HANDBOOK },
  },
  python: { of: "python3.11-doc", root: "/usr/share/doc/python3.11/html", lists: { Python: PYTHON } },
  reference: {
    of: "debian-reference-en",
    root: "/usr/share/debian-reference",
    lists: { "Debian reference": REFERENCE },
  },
  sqlite: { of: "sqlite3-doc", root: "/usr/share/doc/sqlite3", lists: { SQLite: SQLITE } },
  postgres: {
    of: "postgresql-doc-15",
    root: "/usr/share/doc/postgresql-doc-15/html",
    lists: { PostgreSQL: POSTGRES },
  },
  apache: { of: "apache2-doc", root: "/usr/share/doc/apache2-doc/manual/en", lists: { Apache: APACHE } },
};

const { values } = parseArgs({
  options: {
    manual: { type: "string" },
    root: { type: "string" },
    weights: { type: "string", default: "" },
    each: { type: "boolean", default: false },
  },
});
const { each } = values;
const weights = [0, ...values.weights.split(",").filter(Boolean).map(Number)];
const chosen = values.manual === undefined ? Object.keys(MANUALS) : [values.manual];

const LEAST_MRR = 0.75;
/** A page that is not among so many hits has no rank. */
const DEPTH = 100;

const columns = ["queries", "BM25 alone", ...weights.map((weight) => `PageRank × ${weight}`), "now"];
console.log(`| ${columns.join(" | ")} |\n|${" --- |".repeat(columns.length)}`);
for (const name of chosen) await measure(name);

async function measure(name: string): Promise<void> {
  const manual = MANUALS[name];
  if (manual === undefined) throw new Error(`There is no manual ${name}: ${Object.keys(MANUALS).join(", ")}.`);
  const root = values.root ?? manual.root;
  if (!existsSync(root)) {
    console.error(
      `${name} is left out: there is no ${root}. Install Debian's ${manual.of}, or name a folder by --root.`,
    );
    return;
  }
  const site = await startStaticSite(root);
  const dir = scratch();
  try {
    const served = await serve(dir.path);
    // No page links to some of them.
    const pages = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => /\.html?$/.test(file));
    const urls = pages.map((file) => `${site.origin}/${file}`);
    const flags = ["--depth", "0", "--search", "--delay", "0", "--analyze"];
    const list = join(dir.path, "urls.txt");
    writeFileSync(list, urls.join("\n"));
    const { code, stderr } = await run("crawl", "--urls", list, ...flags, ...served.remote);
    if (code !== 0) throw new Error(`the crawl failed: ${stderr}`);
    const queries = Object.values(manual.lists).flat();
    const answers = new Map<Query, string[]>();
    for (const query of queries) answers.set(query, await askApi(served, query));
    await served.close();
    const db = openLedger(dir.path);
    const bm25 = orderByBm25(db, queries);
    const weighted = weights.map((weight) => orderByWeight(db, queries, weight));
    for (const [list, asked] of Object.entries(manual.lists)) {
      const cells = [bm25, ...weighted, answers].map((found) => describeRanks(asked, found));
      console.log(`| ${list}: ${asked.length} | ${cells.join(" | ")} |`);
      const without = weighted[0] ?? answers;
      if (mrrOf(asked, answers) < mrrOf(asked, without)) process.exitCode = 1;
      if (asked === MEASURED && mrrOf(asked, answers) < LEAST_MRR) process.exitCode = 1;
      if (!each) continue;
      for (const query of asked) {
        const ranks = [bm25, ...weighted, answers].map((found) => rankOf(query, found));
        if (new Set(ranks).size > 1 || ranks[0] !== 1)
          console.log(`${ranks.join(" → ")}  ${query[0]}  (first: ${answers.get(query)?.[0]})`);
      }
    }
    db.close();
  } finally {
    dir.remove();
    await site.close();
  }
}

async function askApi({ address, token }: Served, [words]: Query): Promise<string[]> {
  const search = new URLSearchParams({ q: words, limit: String(DEPTH) });
  const answer = await fetch(`${address}/api/search?${search}`, { headers: { authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`${words}: ${await answer.text()}`);
  return ((await answer.json()) as { result: SearchView }).result.hits.map(({ url }) => pathOf(url));
}

function openLedger(state: string): DatabaseSync {
  const folder = join(state, "v3", "d1", "miniflare-D1DatabaseObject");
  const file = readdirSync(folder).find((name) => /^[0-9a-f]{64}\.sqlite$/.test(name)) ?? "";
  return new DatabaseSync(join(folder, file), { readOnly: true });
}

/** The pages with all words, in SQLite's own order. */
function orderByBm25(db: DatabaseSync, queries: readonly Query[]): Map<Query, string[]> {
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

/** As the API orders them, with another weight of PageRank. */
function orderByWeight(db: DatabaseSync, queries: readonly Query[], weight: number): Map<Query, string[]> {
  return new Map(
    queries.map((query) => {
      const terms = parseQuery(query[0]);
      const withAll = orderPages(db, terms, "all", weight);
      return [query, withAll.length > 0 ? withAll : orderPages(db, terms, "any", weight)];
    }),
  );
}

function orderPages(db: DatabaseSync, terms: Term[], needed: "all" | "any", weight: number): string[] {
  const asked = askCandidates(terms, new Map(), needed, { crawl: null });
  if (asked === null) throw new Error("a query has a word of a script without spaces");
  const candidates = db.prepare(asked.sql).all(...asked.values) as unknown as (Candidate & { id: number })[];
  const ranked = rankByNames(terms, candidates, weight);
  const ids = ranked.slice(0, LEAD_DEPTH).map(({ id }) => id);
  const rows = db.prepare(LEADS).all({ "?1": JSON.stringify(ids), "?2": LEAD_LENGTH });
  const leads = new Map(rows.map(({ id, lead }) => [id, String(lead)]));
  return rankByLeads(
    terms,
    ranked,
    ids.map((id) => leads.get(id) ?? ""),
  )
    .slice(0, DEPTH)
    .map(({ url }) => pathOf(url));
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

/** The pages that are first, and the MRR. */
function describeRanks(queries: readonly Query[], answers: ReadonlyMap<Query, string[]>): string {
  const first = queries.filter((query) => rankOf(query, answers) === 1).length;
  return `${first}, ${mrrOf(queries, answers).toFixed(3)}`;
}
