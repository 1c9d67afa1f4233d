import { createExecutionContext, env } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import type { SearchView } from "../../src/api/views.ts";
import { deleteCrawl } from "../../src/lifecycle/delete-crawl.ts";
import { MOST_MATCHES } from "../../src/store/records/search-sql.ts";
import { analyzeCrawl } from "./analyze-crawl.ts";
import { clearIndex } from "./clear-index.ts";
import { keepSite } from "./kept-site.ts";
import { World } from "./world.ts";

/** The hits of a search, their order and their snippets. */

beforeEach(async () => {
  await clearIndex();
  await env.LEDGER.batch(["urls", "crawls"].map((table) => env.LEDGER.prepare(`DELETE FROM ${table}`)));
});

const PAGES: Record<string, { title: string; text: string }> = {
  en: { title: "Polite spiders", text: "A crawler visits pages.\nIt keeps crawling slowly, and obeys robots." },
  title: { title: "Crawling", text: "Nothing of that here." },
  de: { title: "Über uns", text: "Größere Bücher über Müßiggang, und ein naïver Plan." },
  zh: { title: "网络爬虫", text: "本文介绍Orbweaver爬虫的设计，以及搜索引擎如何抓取网页。" },
  ja: { title: "検索エンジン", text: "クローラーはウェブページを巡回し、索引を作る。東京" },
  ko: { title: "검색", text: "크롤러는 웹을 돌아다니며 문서를 수집한다." },
  th: { title: "ค้นหา", text: "โปรแกรมค้นหาเว็บไซต์" },
  ru: { title: "Паук", text: "Поисковый робот обходит страницы. Ёлка" },
  hi: { title: "खोज", text: "हिन्दी में खोज इंजन" },
  danger: { title: "<b>bold</b>", text: "<script>alert(1)</script> & payload \u0002fake\u0003 \u001b[31m" },
};

async function runCrawl(changes: { search?: boolean } = {}, pages = PAGES, now = 1_000_000) {
  const names = Object.keys(pages);
  const world = new World((url) => ({ links: names.map((name) => `https://a.test/${name}`), ...pages[url.slice(15)] }));
  world.now = now;
  const crawl = await world.start([`https://a.test/${names[0]}`], { search: true, ...changes });
  await world.runToEnd(crawl);
  return { crawl, world };
}

async function ask(query: Record<string, string>) {
  const headers = { authorization: "Bearer reading-token" };
  const response = await app.request(
    `/api/search?${new URLSearchParams(query)}`,
    { headers },
    env,
    createExecutionContext(),
  );
  return {
    status: response.status,
    json: (await response.json()) as { result: SearchView; errors?: { message: string }[] },
  };
}

const find = async (q: string, more: Record<string, string> = {}) => (await ask({ q, ...more })).json.result;
const names = async (q: string, more: Record<string, string> = {}) =>
  (await find(q, more)).hits.map(({ url }) => url.slice("https://a.test/".length));
const snippetOf = ({ hits }: SearchView) =>
  hits[0]?.snippet.map(({ text, hit }) => (hit ? `[${text}]` : text)).join("");

/** FTS5's snippet() compares each hit of a page with all others: it took 31 s for the first of these pages. */
test.each([
  ["x", "x ".repeat(50_000)],
  ["the", "the error of the log is in the line of the ".repeat(17_000)],
  ["爬虫", "爬虫".repeat(100_000)],
  ["mb", "mb ".repeat(330_000)],
])("a page that repeats %s tens of thousands of times has a snippet within seconds", async (word, text) => {
  await runCrawl({}, { home: { title: "Home", text: "A page." }, many: { title: "Many", text: `${text} the end` } });
  const { hits, total } = await find(word);
  expect(total).toBe(1);
  expect(snippetOf({ hits } as SearchView)).toContain(`[${word}`);
  expect(hits[0]?.snippet.reduce((sum, piece) => sum + piece.text.length, 0)).toBeLessThanOrEqual(402);
});

describe("finds", () => {
  beforeEach(async () => {
    await runCrawl();
  });

  test.each<[query: string, found: string[]]>([
    ["crawls", ["title", "en"]],
    ["CRAWLER", ["en"]],
    ["polite robots", ["en"]],
    ["polite nowhere", ["en"]],
    ["buch* nowhere -über", []],
    ["robots 虫", ["zh", "en"]],
    ["nowhere 虫 -orbweaver", []],
    ['"visits pages"', ["en"]],
    ['"pages visits"', []],
    ["crawl* -polite", ["title"]],
    ["buch*", ["de"]],
    ["uber großere", ["de"]],
    ["naiver", ["de"]],
    ["爬虫", ["zh"]],
    ["网页", ["zh"]],
    ["虫", ["zh"]],
    ["搜索引擎", ["zh"]],
    ["抓取网", ["zh"]],
    ["orbweaver", ["zh"]],
    ["Orbweaver 爬虫", ["zh"]],
    ["orbweaver爬虫", ["zh"]],
    ['"介绍Orbweaver爬虫"', ["zh"]],
    ["orbweaver -爬虫", []],
    ["爬虫 -orbweaver", []],
    ["爬虫 -crawler", ["zh"]],
    ["検索", ["ja"]],
    ["クローラー", ["ja"]],
    ["東京", ["ja"]],
    ["크롤러", ["ko"]],
    ["검색", ["ko"]],
    ["ค้นหา", ["th"]],
    ["РОБОТ ёлка", ["ru"]],
    ["हिन्दी", ["hi"]],
    ["NEAR(crawler pages) OR", ["en"]],
    ["網", []],
  ])("%s", async (query, found) => {
    expect(await names(query)).toEqual(found);
  });

  test("a page, and returns its snippet as plain text", async () => {
    expect(snippetOf(await find("crawler"))).toContain("A [crawler] visits pages. It keeps crawling slowly");
    expect(snippetOf(await find("搜索"))).toContain("以及[搜索]引擎");
    expect(snippetOf(await find("orbweaver 爬虫"))).toContain("本文介绍[Orbweaver爬虫]的设计");
    expect(snippetOf(await find("payload"))).toBe("<script>alert(1)</script> & [payload] fake [31m");
  });

  test.each([
    ["an empty query", ""],
    ["a query of spaces", "  "],
    ["a query of excluded words only", "-crawler"],
    ["a query without a word", "🕷"],
    ["an open quote", '"'],
    ["a beginning of two characters", "cr*"],
    ["five phrases", '"a b" "c d" e-f "g h" "i j"'],
    ["ten thousand characters", "x ".repeat(5_000)],
    ["phrases of 17 words", '"to be or not to be that is" "the question whether it is nobler in the mind"'],
    ["a phrase of 33 words", `"${Array.from({ length: 33 }, (_, i) => `w${i}`).join(" ")}"`],
    ["33 characters of a script without spaces", "网".repeat(33)],
    ["too many words", Array.from({ length: 40 }, (_, i) => `w${i}`).join(" ")],
  ])("%s is answered 400", async (_, q) => {
    const { status, json } = await ask({ q });
    expect([status, json.errors?.[0]?.message]).toEqual([400, expect.stringMatching(/^[A-Zq]/)]);
  });

  test("no hits without a query, for an unknown crawl, or for invalid paging", async () => {
    expect((await ask({})).json.errors?.[0]?.message).toBe("q: say what to look for");
    expect((await ask({ q: "crawler", crawl: "none" })).status).toBe(404);
    expect((await ask({ q: "crawler", cursor: "1001" })).status).toBe(400);
    expect((await ask({ q: "crawler", limit: "101" })).status).toBe(400);
  });
});

test("a page that is called like the query comes before shorter pages that repeat its words", async () => {
  const long = "A merge driver resolves conflicts. ".repeat(200);
  await runCrawl(
    {},
    {
      faq: { title: "Questions", text: `${"Other words. ".repeat(20)}Merge. Attributes. Merge attributes.` },
      "attributes.html": { title: "Defining attributes per path", text: `${long} Merge attributes.` },
      "ref/merge-attributes.html": { title: "Reference, chapter 12", text: `${long} Merge attributes.` },
    },
  );
  expect((await names("merge attributes"))[0]).toBe("ref/merge-attributes.html");
  expect((await names("defining attributes"))[0]).toBe("attributes.html");
  expect((await names("attributes merge nowhere"))[0]).toBe("ref/merge-attributes.html");
  expect((await find("attributes merge nowhere")).note).toContain("No page has all of the words");
  expect((await find("attributes merge")).note).toBeNull();
});

test("of too many pages, those with the words in their title are ranked", async () => {
  const { crawl } = await runCrawl({}, { p: { title: "Crawlers, spiders", text: "A word. ".repeat(5_000) } });
  await env.LEDGER.batch(
    [
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
       INSERT INTO search_pages (crawl, url, unspaced, title, text)
       SELECT ?1, 'https://a.test/' || i, 0, 'Page', 'Some words come first, more than are looked at to rank a page, '
         || 'so that only the title makes a difference. Another sentence is here to fill the rest, and one more, and one '
         || 'more, until it is long enough. Crawlers and spiders.' FROM n`,
      `INSERT INTO urls (crawl, url, status, depth, priority, seq)
       SELECT ?1, url, 'completed', 1, 0, 1000 + id FROM search_pages WHERE title = 'Page'`,
      "INSERT INTO search_words (search_words) SELECT 'rebuild' WHERE ?1 <> ''",
    ].map((sql) => env.LEDGER.prepare(sql).bind(crawl)),
  );
  const { hits, total } = await find("spiders crawlers");
  expect([hits[0]?.url, total]).toEqual(["https://a.test/p", 1_101]);
});

test("of more pages than are looked at, the number is a lower bound, and an old page is left out", async () => {
  const { crawl } = await runCrawl({}, { p: { title: "Crawlers", text: "A word." } });
  const add = (count: number) =>
    env.LEDGER.batch(
      [
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
         INSERT INTO search_pages (crawl, url, unspaced, title, text) SELECT ?1, 'https://a.test/' || i, 0, '', 'word' FROM n
         WHERE true ON CONFLICT DO NOTHING`,
        `INSERT INTO urls (crawl, url, status, depth, priority, seq)
         SELECT ?1, url, 'completed', 1, 0, 1000 + id FROM search_pages WHERE true ON CONFLICT DO NOTHING`,
        "INSERT INTO search_words (search_words) SELECT 'rebuild' WHERE ?1 <> ''",
      ].map((sql) => env.LEDGER.prepare(sql).bind(crawl)),
    );
  await add(MOST_MATCHES - 2);
  expect(await find("word")).toMatchObject({ total: MOST_MATCHES - 1, isAtLeast: false });
  await add(MOST_MATCHES);
  const { hits, total, isAtLeast } = await find("word");
  expect([hits.length, total, isAtLeast]).toEqual([10, MOST_MATCHES, true]);
  expect((await find("crawlers word")).hits[0]?.url).toBe("https://a.test/p");
});

test("by authority, the page that the other hits link to comes first, once the crawl is analyzed", async () => {
  const pages = Object.fromEntries(
    ["a", "b", "c", "d"].map((name) => [name, { title: `Spiders, ${name}`, text: "Spiders. ".repeat(20) }]),
  );
  const { crawl, world } = await runCrawl(
    {},
    { ...pages, z: { title: "Other", text: "A page that names spiders once." } },
  );
  const url = (name: string) => `https://a.test/${name}`;
  await keepSite(
    crawl,
    ["a", "b", "c", "d"]
      .map((name) => ({ url: url(name), links: [url("z")] }))
      .concat([{ url: url("z"), links: [url("a")] }]),
  );
  const by = { crawl, order: "authority" };
  expect(await ask({ q: "spiders", order: "authority" })).toMatchObject({
    status: 400,
    json: { errors: [{ message: expect.stringContaining("--crawl ID") }] },
  });
  expect(await ask({ q: "spiders", ...by })).toMatchObject({
    status: 409,
    json: { errors: [{ message: expect.stringContaining(`orbweaver analyze ${crawl}`) }] },
  });
  expect((await find("spiders", { crawl })).hits.at(-1)).toMatchObject({ url: url("z"), rank: null, inLinks: null });
  await analyzeCrawl(crawl, world);
  const { hits } = await find("spiders", by);
  expect(hits.map((hit) => hit.url.slice(-1))[0]).toBe("z");
  expect(hits[0]).toMatchObject({ inLinks: 4, rank: expect.any(Number), authority: expect.closeTo(1, 3) });
  expect(new Set(await names("spiders", by))).toEqual(new Set(await names("spiders", { crawl })));
  // The others have no authority, and keep their order.
  expect((await names("spiders", by)).slice(2)).toEqual(
    (await names("spiders", { crawl })).filter((name) => "bcd".includes(name)),
  );
  expect((await find("spiders", { crawl })).hits.every(({ authority }) => authority === null)).toBe(true);
  expect((await find("nowhere", by)).hits).toEqual([]);
  expect(await names("spiders", { ...by, limit: "2", cursor: "2" })).toEqual((await names("spiders", by)).slice(2, 4));
});

test("each URL is found once, in the newest crawl that matches, or in the named crawl", async () => {
  const old = await runCrawl({}, { p: { title: "One", text: "both old" } });
  const recent = await runCrawl({}, { p: { title: "Two", text: "both new" } }, 2_000_000);
  const hits = async (q: string, crawl?: string) =>
    (await find(q, crawl ? { crawl } : {})).hits.map((hit) => [hit.crawl, hit.title]);
  expect(await hits("both")).toEqual([[recent.crawl, "Two"]]);
  expect(await hits("old")).toEqual([[old.crawl, "One"]]);
  expect(await hits("both", old.crawl)).toEqual([[old.crawl, "One"]]);
  await deleteCrawl(recent.crawl, false, recent.world.deps);
  expect(await hits("both")).toEqual([[old.crawl, "One"]]);
});

test("the pages of hits have each hit once", async () => {
  const pages = Object.fromEntries(
    Array.from({ length: 25 }, (_, i) => [`p${i}`, { title: `Page ${i}`, text: "word ".repeat(1 + (i % 5)) }]),
  );
  await runCrawl({}, pages);
  const seen: string[] = [];
  let cursor: string | null = "0";
  while (cursor !== null) {
    const page: SearchView = await find("word", { cursor, limit: "10" });
    expect(page.total).toBe(25);
    seen.push(...page.hits.map(({ url }) => url));
    cursor = page.cursor;
  }
  expect(new Set(seen).size).toBe(25);
  expect(seen).toHaveLength(25);
});

test("a note says why nothing can be found", async () => {
  expect((await find("word")).note).toContain("Nothing is indexed here");
  const { crawl } = await runCrawl({ search: false });
  expect((await find("crawler", { crawl })).note).toContain("without search");
  const { crawl: indexed } = await runCrawl();
  expect((await find("absent", { crawl: indexed })).note).toBeNull();
  expect((await find("absent")).note).toBeNull();
});

test("a mistyped word is searched for by the nearest one, and both are named", async () => {
  await runCrawl();
  const { hits, note, corrected } = await find("crawler robts");
  expect(hits.map(({ url }) => url)).toEqual(["https://a.test/en"]);
  expect(corrected).toEqual([{ word: "robts", by: "robots" }]);
  expect(note).toContain("nearest words");
  expect((await find("crawler robots")).corrected).toEqual([]);
  expect(await find("zzzzzz")).toMatchObject({ hits: [], corrected: [] });
  expect((await find("robts zzzzzz")).corrected).toEqual([{ word: "robts", by: "robots" }]);
});

test("a name is found as one word first, and else by its parts", async () => {
  await runCrawl(
    {},
    {
      one: { title: "One", text: "Call os.path to join." },
      parts: { title: "Parts", text: "The path of the os, or dump what pg has." },
    },
  );
  expect((await find("os.path")).hits.map(({ title }) => title)).toEqual(["One"]);
  expect((await find("pg_dump")).hits.map(({ title }) => title)).toEqual(["Parts"]);
});

test("a page whose title is the query comes first, beside the name of its site", async () => {
  await runCrawl(
    {},
    {
      a: { title: "Remote branches and tracking branches", text: "remote tracking branch ".repeat(40) },
      b: { title: "Tracking branches — The Manual", text: `${"About other things. ".repeat(60)} tracking branches` },
    },
  );
  expect((await find("tracking branches")).hits[0]?.title).toBe("Tracking branches — The Manual");
});
