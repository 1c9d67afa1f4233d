import { afterAll, beforeAll, expect, test } from "vitest";
import type { SearchView } from "../../src/api/views.ts";
import { HTML } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { crawl, run, scratch } from "./cli.ts";

/** `crawl --search`, and what `orbweaver search` finds of real pages. */

const dir = scratch();
const state = `${dir.path}/state`;
let site: Site;
let first: string;

const PAGES: Record<string, string> = {
  "/": "<h1>Index</h1><p>Everything about animals begins here.</p>",
  "/otters":
    "<h1>Otters</h1><p>Otters are swimming in the river all day long, and they hold hands while they sleep.</p>",
  "/foxes": "<h1>Foxes</h1><p>A fox will not swim where it can walk, though it has been seen to cross a river.</p>",
  "/de": "<h1>Füchse</h1><p>Der Fuchs lebt in großen Wäldern, über die wir wenig wissen.</p>",
  "/zh": "<h1>狐狸</h1><p>狐狸是一种常见的哺乳动物，生活在森林和草原上，夜间活动。</p>",
};

beforeAll(async () => {
  site = await startSite(({ url = "/" }, response) => {
    const body = PAGES[url];
    if (body === undefined) return void response.writeHead(404).end();
    const nav = Object.keys(PAGES).map((path) => `<a href="${path}">menuword</a>`);
    response
      .writeHead(200, HTML)
      .end(`<!doctype html><meta charset="utf-8"><title>${url}</title><nav>${nav.join(" ")}</nav><main>${body}</main>`);
  });
  const { summary } = await crawl(dir.path, `${site.origin}/`, "--delay", "0", "--search");
  first = summary.id;
});

afterAll(async () => {
  await site.close();
  dir.remove();
});

async function search(...words: string[]): Promise<string[]> {
  const { stdout } = await run("search", "--json", "--state", state, "--", ...words);
  return (JSON.parse(stdout) as SearchView).hits.map(({ url }) => new URL(url).pathname);
}

test("by stems, without marks, in Chinese, and never by what surrounds a page's content", {
  timeout: 60_000,
}, async () => {
  expect((await search("swims")).sort()).toEqual(["/foxes", "/otters"]);
  expect(await search("swim", "-fox")).toEqual(["/otters"]);
  expect(await search("uber", "waldern")).toEqual(["/de"]);
  expect(await search("森林")).toEqual(["/zh"]);
  expect(await search("menuword")).toEqual([]);
});

test("for people, with a sentence where there is nothing", { timeout: 60_000 }, async () => {
  const { stdout, code } = await run("search", "hands", "--state", state);
  expect([code, stdout]).toEqual([0, expect.stringContaining(`${site.origin}/otters`)]);
  expect(stdout).toContain("they hold hands while they sleep");
  expect((await run("search", "walrus", "--state", state)).stdout).toContain("Nothing was found.");
  await run("delete", first, "--yes", "--state", state);
  expect((await run("search", "hands", "--state", state)).stdout).toContain("start a crawl with --search");
});
