import { createExecutionContext, env } from "cloudflare:test";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import type { SearchView } from "../../src/api/views.ts";
import type { Crawl } from "../../src/crawl/crawl.ts";
import { deleteCrawl } from "../../src/frontier/delete-crawl.ts";
import { SearchIndex } from "../../src/store/search-index.ts";
import { type Web, World } from "./world.ts";

/** The full-text index: what is in it, and what is found. */

const SEED = "https://a.test/";
const TEXTS: Record<string, string> = {
  "/": "Home of the crawlers. Everything begins here.",
  "/en": "A crawler visits pages politely, and it obeys robots.txt wherever it crawls.",
  "/spider": "The spider in the garden is no web crawler, though it spins a web.",
  "/de": "Über Äpfel und Straßen: der höfliche Besucher.",
  "/zh": "网络爬虫按照一定的规则自动抓取万维网的信息，直到满足系统的停止条件。",
  "/ja": "ウェブクローラは、ウェブ上の文書や画像などを周期的に取得する。",
  "/ko": "웹 크롤러는 자동화된 방법으로 월드 와이드 웹을 탐색하는 컴퓨터 프로그램이다.",
};
const site: Web = (url) => {
  const { pathname } = new URL(url);
  const text = TEXTS[pathname];
  if (text === undefined) return { status: 404 };
  return { links: Object.keys(TEXTS).map((path) => SEED.slice(0, -1) + path), text };
};
let world: World;
let id: string;

async function crawled(options = {}): Promise<string> {
  const crawl = await world.start([SEED], { search: true, ...options });
  await world.runToEnd(crawl);
  return crawl;
}

async function find(q: string, more = ""): Promise<SearchView> {
  const headers = { authorization: "Bearer test-token" };
  const path = `/api/search?q=${encodeURIComponent(q)}${more}`;
  const response = await app.request(path, { headers }, env, createExecutionContext());
  expect(response.status, q).toBe(200);
  return ((await response.json()) as { result: SearchView }).result;
}

const paths = async (q: string, more = "") => (await find(q, more)).hits.map(({ url }) => new URL(url).pathname);

beforeEach(async () => {
  world = new World(site);
  id = await crawled();
});

describe("finds", () => {
  test.each<[q: string, found: string[]]>([
    ["crawler", ["/", "/en", "/spider"]],
    // Words are found by their stems, and without their marks.
    ["crawling visitor", []],
    ["crawling visited", ["/en"]],
    ["uber apfel", ["/de"]],
    ["ÜBER", ["/de"]],
    ["crawler -web", ["/", "/en"]],
    ['"web crawler"', ["/spider"]],
    ['"crawler web"', []],
    ["gard*", ["/spider"]],
    ["robots.txt", ["/en"]],
    ["爬虫", ["/zh"]],
    ["网络爬虫", ["/zh"]],
    ["条件", ["/zh"]],
    ["虫爬", []],
    ["クローラ", ["/ja"]],
    ["크롤러", ["/ko"]],
    ["웹", ["/ko"]],
    ["nothing-of-the-kind", []],
  ])("%s", async (q, found) => expect((await paths(q)).sort()).toEqual(found));
});

test("a title counts for more than a text, and the place that fits is shown in pieces", async () => {
  const { hits } = await find("spider");
  expect(hits[0]?.url).toBe(`${SEED}spider`);
  expect(hits[0]?.snippet.filter(({ hit }) => hit).map(({ text }) => text)).toEqual(["spider"]);
  expect(hits[0]?.snippet.map(({ text }) => text).join("")).toContain("The spider in the garden");
  expect(hits[0]?.fetchedAt).toMatch(/^\d{4}-/);
});

test("the newest of several crawls' copies, or that of the crawl that is named", async () => {
  const second = await crawled();
  expect((await find("garden")).hits.map(({ crawl }) => crawl)).toEqual([second]);
  expect((await find("garden", `&crawl=${id}`)).hits.map(({ crawl }) => crawl)).toEqual([id]);
});

test("goes on where an answer ended", async () => {
  const first = await find("crawler", "&limit=2");
  const second = await find("crawler", `&limit=2&cursor=${first.cursor}`);
  expect([first.hits.length, first.cursor, second.hits.length, second.cursor]).toEqual([2, "2", 1, null]);
});

test("nothing where there is nothing, and it says which", async () => {
  expect(await find("garden", "&crawl=none")).toEqual({ hits: [], cursor: null, indexed: false });
  expect(await find("unheard", `&crawl=${id}`)).toEqual({ hits: [], cursor: null, indexed: true });
});

describe("holds", () => {
  const indexed = async (crawl: string) =>
    (
      await env.LEDGER.prepare("SELECT url FROM search_pages WHERE crawl = ?1 ORDER BY url")
        .bind(crawl)
        .all<{ url: string }>()
    ).results.map(({ url }) => url);

  test("the completed pages of a crawl that asked for it, each once, however often its messages come", async () => {
    const urls = Object.keys(TEXTS).map((path) => SEED.slice(0, -1) + path);
    expect(await indexed(id)).toEqual(urls.sort());
    world = new World(site, { copies: () => 3 });
    expect(await indexed(await crawled())).toEqual(urls);
    expect(await indexed(await crawled({ search: false }))).toEqual([]);
  });

  test("nothing of a deleted crawl, and all of the others", async () => {
    const other = await crawled();
    await deleteCrawl(id, false, world.deps, () => true);
    expect(await world.deps.ledger.crawl(id)).toBeNull();
    expect(await indexed(id)).toEqual([]);
    expect((await find("garden")).hits.map(({ crawl }) => crawl)).toEqual([other]);
    const { results } = await env.LEDGER.prepare(
      "SELECT rowid AS id FROM search_words WHERE search_words MATCH 'spider' AND rowid NOT IN (SELECT id FROM search_pages)",
    ).all();
    expect(results).toEqual([]);
  });
});

test("what indexing writes is in proportion to its pages", async () => {
  const written = async (search: boolean) => {
    const fresh = new World(site);
    const crawl = await fresh.start([SEED], { search });
    await fresh.runToEnd(crawl);
    const { usage } = (await fresh.deps.ledger.crawl(crawl)) as Crawl;
    return (usage.ledgerRowsWritten ?? 0) + (fresh.deps.meter.take().ledgerRowsWritten ?? 0);
  };
  const perPage = ((await written(true)) - (await written(false))) / Object.keys(TEXTS).length;
  console.log(`rows written for a page of the index: ${perPage.toFixed(1)}`);
  expect(perPage).toBeGreaterThan(1);
  expect(perPage).toBeLessThan(30);
});

test("whatever is typed, it is no mistake of syntax", { timeout: 60_000 }, async () => {
  const index = new SearchIndex(env.LEDGER);
  const typed = fc.array(
    fc.oneof(
      fc.constantFrom(
        "AND",
        "NOT",
        "NEAR(",
        '"',
        "*",
        "-",
        "(",
        ")",
        ":",
        "^",
        "爬",
        "爬虫",
        "網路爬蟲",
        "'",
        "\\",
        "{",
        "+",
      ),
      fc.string({ unit: "binary" }),
    ),
    { maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(typed, fc.constantFrom("", " "), async (parts, between) => {
      await index.search({ query: parts.join(between), crawl: null, limit: 3, offset: 0 });
    }),
    { numRuns: 300 },
  );
});
