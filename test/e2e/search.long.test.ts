import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SearchView } from "../../src/api/views.ts";
import { startHandmadeSite } from "../sites/handmade-site.ts";
import { plainPages } from "../sites/plain-pages.ts";
import type { Site } from "../sites/site.ts";
import { crawl, run, type Served, scratch, serve } from "./cli.ts";

/** `crawl --search` and `search`, on a site in several languages. */

const dir = scratch();
let site: Site;
let served: Served;
let id: string;

/** A page with enough text to be recognised as main content. */
function article(language: string, title: string, ...paragraphs: string[]): string {
  const body = paragraphs.map((text) => `<p>${text}</p>`).join("");
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${title}</title></head><body><main><article><h1>${title}</h1>${body}</article></main></body></html>`;
}

const PAGES: Record<string, string> = {
  "/en": article(
    "en",
    "On spiders",
    "A crawler is a program that visits the pages of the web, one after the other, and follows the links that it finds there.",
    "A polite one has been crawling slowly since the beginning, and reads robots.txt before anything else. Its owner sleeps well.",
  ),
  "/title": article(
    "en",
    "Crawling",
    "This page speaks of what its title says in no other place; it is about gardens, and about the people who walk through them in spring.",
  ),
  "/de": article(
    "de",
    "Über Bücher",
    "Größere Bücher über den Müßiggang stehen in den oberen Regalen, die kleineren darunter, und gelesen werden beide viel zu selten.",
  ),
  "/zh": article(
    "zh",
    "网络爬虫",
    "网络爬虫是一种按照一定的规则，自动地抓取万维网信息的程序或者脚本。搜索引擎使用Orbweaver这样的程序来更新索引。",
    "礼貌的爬虫会先读取站点的规则，然后再慢慢地访问页面，不会给服务器带来负担。",
  ),
  "/ja": article(
    "ja",
    "クローラー入門",
    "クローラーはウェブページを巡回し、検索エンジンの索引を作るプログラムである。東京で開発された。",
  ),
  "/ko": article(
    "ko",
    "크롤러",
    "크롤러는 웹을 돌아다니며 문서를 수집하는 프로그램이다. 검색 엔진은 그 문서를 색인한다.",
  ),
};

beforeAll(async () => {
  const links = Object.keys(PAGES).map((path) => `<li><a href="${path}">${path.slice(1)}</a></li>`);
  site = await startHandmadeSite({
    ...PAGES,
    "/": `<!doctype html><title>Start</title><ul>${links.join("")}</ul><a href="/plain.txt">plain</a>`,
    "/plain.txt": { headers: { "content-type": "text/plain" }, body: "Notes in plain text about tarantulas." },
  });
  served = await serve(join(dir.path, "state"));
  id = (await crawl(dir.path, `${site.origin}/`, "--search", "--delay", "0", ...served.remote)).summary.id;
});

afterAll(async () => {
  await served.close();
  await site.close();
  dir.remove();
});

async function found(...args: string[]): Promise<string[]> {
  const { stdout, stderr, code } = await run("search", ...args, "--json", ...served.remote);
  expect([stderr, code]).toEqual(["", 0]);
  return (JSON.parse(stdout) as SearchView).hits.map(({ url }) => new URL(url).pathname);
}

test("each language is found by its words, best match first", async () => {
  expect(await found("crawl")).toEqual(["/title", "/en"]);
  expect(await found("crawl", "-garden")).toEqual(["/en"]);
  expect(await found("grossere", "OR")).toEqual([]);
  expect(await found("bucher", "uber")).toEqual(["/de"]);
  expect(await found("爬虫")).toEqual(["/zh"]);
  expect(await found("搜索引擎", "orbweaver")).toEqual(["/zh"]);
  expect(await found("万维网")).toEqual(["/zh"]);
  expect(await found("東京")).toEqual(["/ja"]);
  expect(await found("크롤러")).toEqual(["/ko"]);
  expect(await found("tarantula")).toEqual(["/plain.txt"]);
});

test("a hit shows its title, its URL and the text around the match", async () => {
  const { stdout } = await run("search", '"reads robots.txt"', ...served.remote);
  expect(stdout).toMatch(
    /^1\. On spiders\n {3}http:\S+\/en\n {3}.*slowly since the beginning.*\n\n1 page matches\.\n$/,
  );
  expect((await run("search", "zzyzxqwv", ...served.remote)).stdout).toBe("No page matches.\n");
  expect(await run("search", "-x", ...served.remote)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("no word"),
  });
});

test("pages come without what they have in common, and search when its index is made anew", async () => {
  const pages = plainPages(10, 2);
  const links = pages.map((_, at) => `<a href="/${at}">${at}</a>`).join(" ");
  const plain = await startHandmadeSite({
    "/": `<!doctype html><title>Start</title>${links}`,
    ...Object.fromEntries(pages.map(({ html }, at) => [`/${at}`, html])),
  });
  const { remote } = served;
  const given = ["--search", "--markdown", "--delay", "0", ...remote];
  const crawlId = (await crawl(dir.path, `${plain.origin}/`, ...given)).summary.id;
  const records = ["records", crawlId, "--with", "markdown,text"];
  const exports = ["export", crawlId, "--format"];
  const all = (await run(...records, ...remote)).stdout;
  const exported = (await run(...exports, "markdown", ...remote)).stdout;
  const chunks = (await run(...exports, "chunks", ...remote)).stdout;
  for (const text of [all, exported, chunks]) {
    expect(text).not.toContain("Reproduction");
    for (const own of pages.flatMap((page) => page.own)) expect(text).toContain(own);
  }
  expect(all.match(/"template":\{"pages":10,"removed":\d+\}/g)).toHaveLength(10);
  expect((await run(...records, "--clean", ...remote)).stdout).toBe(all);
  for (const command of [records, [...exports, "markdown"], [...exports, "chunks"]])
    expect((await run(...command, "--raw-text", ...remote)).stdout).toContain("Reproduction");
  expect(await run("records", crawlId, "--raw-text", ...remote)).toMatchObject({ code: 2 });
  expect(await run(...exports, "csv", "--raw-text", ...remote)).toMatchObject({ code: 2 });
  expect(await run("analyze", crawlId, "--reindex", ...remote)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--yes"),
  });
  const analyzed = await run("analyze", crawlId, "--reindex", "--yes", ...remote);
  expect([analyzed.code, analyzed.stderr]).toEqual([
    0,
    expect.stringMatching(/^Reindexing 11 pages costs at most 0\.\d+ USD/),
  ]);
  expect(await found("reproduction", "--crawl", crawlId)).toEqual([]);
  expect(await found("weaver", "--crawl", crawlId)).toHaveLength(10);
  expect((await run("delete", crawlId, "--yes", ...remote)).code).toBe(0);
  await plain.close();
});

test("search in one crawl, and after its deletion", async () => {
  const other = await crawl(dir.path, `${site.origin}/de`, "--limit", "1", "--delay", "0", ...served.remote);
  expect((await run("search", "crawl", "--crawl", other.summary.id, ...served.remote)).stdout).toContain(
    "without search",
  );
  expect(await found("crawl", "--crawl", id)).toEqual(["/title", "/en"]);
  expect((await run("delete", id, "--yes", ...served.remote)).code).toBe(0);
  expect((await run("search", "crawl", ...served.remote)).stdout).toContain("Nothing is indexed here");
});
