import { env } from "cloudflare:test";
import { beforeEach, expect, test } from "vitest";
import { DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import { cutForIndex } from "../../src/search/index-text.ts";
import { Ledger } from "../../src/store/ledger/ledger.ts";
import { emptyCommit } from "../../src/store/ledger/ledger-commit.ts";
import { type PageText, planForgetting } from "../../src/store/records/search-index.ts";
import { clearIndex } from "./clear-index.ts";
import { expectIndexExact, expectIndexSound } from "./ledger-invariant.ts";
import { discovered, settled } from "./rows.ts";

/** The index has the completed pages of crawls with search, each once. */

const ledger = new Ledger(env.LEDGER);
const urls = Array.from({ length: 25 }, (_, i) => `https://a.test/${i + 10}`);
let id = "";

beforeEach(async () => {
  id = crypto.randomUUID();
  await ledger.create({
    id,
    options: { ...DEFAULT_OPTIONS, urls: urls.slice(0, 1), userAgent: "Test/1", limit: 100, search: true },
    hosts: ["a.test"],
    seeds: urls.map((url) => discovered(url, { depth: 0 })),
    sitemaps: [],
    now: 1,
  });
});

const textOf = (url: string, text = "a text"): PageText => ({ url, title: "T", text, visit: null });
const indexed = async () =>
  (
    await env.LEDGER.prepare("SELECT url, text FROM search_pages WHERE crawl = ?1 ORDER BY id").bind(id).all<PageText>()
  ).results.map(({ url, text }) => [url, text]);

test("a page that is delivered twice is indexed once, with its first text", async () => {
  const [url = ""] = urls;
  const outcomes = [settled(url)];
  await ledger.commit([{ ...emptyCommit(id), outcomes, texts: [textOf(url, "first")] }], 10);
  await ledger.commit([{ ...emptyCommit(id), outcomes, texts: [textOf(url, "second")] }], 10);
  expect(await indexed()).toEqual([[url, "first"]]);
  await expectIndexExact(id);
});

test("a page that ended before its text came is not indexed", async () => {
  const [url = ""] = urls;
  const failed = settled(url, { status: "errored", reason: "dead-letter" });
  await ledger.commit([{ ...emptyCommit(id), outcomes: [failed] }], 10);
  await ledger.commit([{ ...emptyCommit(id), outcomes: [settled(url)], texts: [textOf(url)] }], 10);
  expect(await indexed()).toEqual([]);
  await expectIndexExact(id);
});

test("a text without a row of the crawl is not indexed", async () => {
  await ledger.commit([{ ...emptyCommit(id), texts: [textOf("https://a.test/unknown")] }], 10);
  expect(await indexed()).toEqual([]);
});

test("a page that is twice in one commit is indexed once, with its first text", async () => {
  const [url = ""] = urls;
  const texts = [textOf(url, "first"), textOf(url, "second")];
  await ledger.commit([{ ...emptyCommit(id), outcomes: [settled(url)], texts }], 10);
  expect(await indexed()).toEqual([[url, "first"]]);
  await expectIndexSound();
});

test("the longest texts are indexed within the limits of D1", async () => {
  const long = (write: (at: number) => string) =>
    cutForIndex(Array.from({ length: 999_000 }, (_, i) => write(i)).join(""));
  const texts = [
    long((i) => String.fromCodePoint(0x4e00 + ((i * i) % 97))),
    long((i) => (i % 2 === 0 ? "a" : "中")),
    long(() => '"'),
    long((i) => (i % 7 === 0 ? " " : "e")),
  ];
  const pages = urls.slice(0, texts.length);
  const commit = { ...emptyCommit(id), outcomes: pages.map((url) => settled(url)) };
  await ledger.commit([{ ...commit, texts: pages.map((url, i) => textOf(url, texts[i])) }], 10);
  expect((await indexed()).map(([url]) => url)).toEqual(pages);
  await expectIndexExact(id);
  await expectIndexSound();
});

test("the index leaves out control characters and half surrogate pairs", async () => {
  const [url = ""] = urls;
  const text = "a\u0000b\u0002c\u0003 \ud83d so\u00adft e\u0301";
  await ledger.commit([{ ...emptyCommit(id), outcomes: [settled(url)], texts: [textOf(url, text)] }], 10);
  expect(await indexed()).toEqual([[url, "abc \ufffd soft é"]]);
  await expectIndexSound();
});

test("a deletion removes as many pages as its limit of bytes allows, but at least one", async () => {
  const pages = urls.slice(0, 6);
  const texts = pages.map((url) => textOf(url, "爬虫".repeat(100)));
  await ledger.commit([{ ...emptyCommit(id), outcomes: pages.map((url) => settled(url)), texts }], 10);
  const left: number[] = [];
  for (const [rows, bytes] of [
    [10, 1],
    [10, 603],
    [2, 10_000],
    [10, 10_000],
  ] as const) {
    await env.LEDGER.batch(planForgetting(env.LEDGER, id, rows, bytes));
    left.push((await indexed()).length);
    await expectIndexSound();
  }
  expect(left).toEqual([5, 3, 1, 0]);
});

/** The cost of a commit of all pages. */
async function costOf(texts: PageText[]): Promise<{ statements: number; rows: number }> {
  const cost = { statements: 0, rows: 0 };
  const counting = new Proxy(env.LEDGER, {
    get: (db, key) => {
      if (key !== "batch") return Reflect.get(db, key).bind(db);
      return async (all: D1PreparedStatement[]) => {
        const results = await db.batch(all);
        cost.statements += all.length;
        for (const { meta } of results) cost.rows += meta.rows_written;
        return results;
      };
    },
  });
  const outcomes = urls.map((url) => settled(url));
  await new Ledger(counting).commit([{ ...emptyCommit(id), outcomes, texts }], 10);
  await clearIndex();
  await env.LEDGER.prepare("UPDATE urls SET status = 'queued' WHERE crawl = ?1").bind(id).run();
  return cost;
}

test("a page costs three rows, in Chinese four; a crawl without search costs no statement", async () => {
  // The first commit ends the crawl, too.
  await costOf([]);
  const without = await costOf([]);
  const english = await costOf(urls.map((url) => textOf(url, "a crawler visits pages ".repeat(100))));
  const chinese = await costOf(urls.map((url) => textOf(url, "网络爬虫是一种程序".repeat(100))));
  expect(english).toEqual({ statements: without.statements + 2, rows: without.rows + 3 * urls.length });
  expect(chinese).toEqual({ statements: without.statements + 3, rows: without.rows + 4 * urls.length });
});

test("texts with NULs and lone surrogates do not fail or cut a commit, in the ledger and in the index", async () => {
  const [url = "", other = "", third = ""] = urls;
  const wrong = "one\0 two \ud800three \udc00";
  const right = "one two \ufffdthree \ufffd";
  await ledger.commit(
    [
      {
        ...emptyCommit(id),
        outcomes: [
          settled(url, { title: wrong, contentType: wrong }),
          settled(other, { status: "errored", reason: "http-status", detail: wrong, contentType: wrong }),
          // Half of a pair, as a cut leaves it.
          settled(third, { title: "a title 😀".slice(0, -1) }),
        ],
        texts: [{ url, title: wrong, text: wrong, visit: null }],
        refusals: [{ page: url, in: "urls", reason: "excluded", count: 1, examples: [wrong] }],
      },
    ],
    10,
  );
  await ledger.setWaitingFor(id, wrong);
  const { results } = await env.LEDGER.prepare(
    "SELECT title, content_type AS type, detail, length(title) AS n FROM urls WHERE crawl = ?1 AND status <> 'queued' ORDER BY url",
  )
    .bind(id)
    .all();
  expect(results).toEqual([
    { title: right, type: right, detail: null, n: right.length },
    { title: "T", type: right, detail: right, n: 1 },
    { title: "a title \ufffd", type: "text/html", detail: null, n: 9 },
  ]);
  expect(await ledger.refusals(id)).toMatchObject([{ examples: [right] }]);
  expect((await ledger.crawl(id))?.waitingFor).toBe(right);
  await expectIndexSound();
  const found = await env.LEDGER.prepare(
    "SELECT count(*) AS n FROM search_words WHERE search_words MATCH 'three'",
  ).first();
  expect(found).toEqual({ n: 1 });
});
