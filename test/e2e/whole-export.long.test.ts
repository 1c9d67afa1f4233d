import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BackgroundList } from "../../src/api/views.ts";
import { startHandmadeSite } from "../sites/handmade-site.ts";
import type { Site } from "../sites/site.ts";
import { callApi } from "./api-calls.ts";
import { findBrowser } from "./browser.ts";
import { crawl, run, type Served, scratch, serve } from "./cli.ts";

/** An export of hundreds of pages is whole through each door, or its reader sees that it broke off. */

const BROWSER = findBrowser("downloads of the console");
const FORMATS = ["jsonl&formats=markdown", "csv", "markdown", "chunks", "llms", "llms-full", "sitemap"];
const PAGES = 400;
/** Words of a page: the answer is longer than what lies between server and reader. */
const WORDS = 4_000;

const dir = scratch();
let site: Site;
let served: Served;
let id: string;
let urls: string[];

beforeAll(async () => {
  const text = (i: number) => `<p>${`word${i} `.repeat(WORDS)}</p><p>End of ${i}.</p>`;
  const links = Array.from({ length: PAGES }, (_, i) => `<a href="/s${i % 4}/p${i}">Page ${i}</a>`).join(" ");
  site = await startHandmadeSite({
    "/": `<title>Home</title><h1>Home</h1>${links}`,
    ...Object.fromEntries(
      Array.from({ length: PAGES }, (_, i) => [
        `/s${i % 4}/p${i}`,
        `<title>Page ${i}</title><h1>Page ${i}</h1>${text(i)}`,
      ]),
    ),
  });
  served = await serve(join(dir.path, "served"));
  const crawled = await crawl(dir.path, `${site.origin}/`, "--delay", "0", "--concurrency", "8", ...served.remote);
  id = crawled.summary.id;
  urls = crawled.records.map(({ url }) => url);
});

afterAll(async () => {
  await served.close();
  await site.close();
  dir.remove();
});

const addressOf = (format: string) => `${served.address}/api/crawls/${id}/export?format=${format}`;
const get = (address: string) => fetch(address, { headers: { authorization: `Bearer ${served.token}` } });

describe("an export of hundreds of pages", () => {
  test("is whole in one request, in each format", async () => {
    for (const format of FORMATS) {
      const answer = await get(addressOf(format));
      expect([format, answer.status, answer.headers.get("link")]).toEqual([format, 200, null]);
      const text = await answer.text();
      expect([format, urls.filter((url) => !text.includes(url))]).toEqual([format, []]);
      if (/markdown|chunks|full/.test(format))
        expect([format, urls.filter((_, i) => i < PAGES && !text.includes(`End of ${i}.`))]).toEqual([format, []]);
    }
  });

  test("is the same through the command line", async () => {
    const out = join(dir.path, "all.md");
    const { code } = await run("export", id, "--format", "markdown", "--out", out, ...served.remote);
    expect(code).toBe(0);
    expect(readFileSync(out, "utf8") === (await (await get(addressOf("markdown"))).text())).toBe(true);
  });

  test.skipIf(BROWSER === undefined)("is whole in a browser", async () => {
    const browser = await chromium.launch({ executablePath: BROWSER ?? "", args: ["--no-sandbox"] });
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(120_000);
      await page.goto(`${served.address}/crawls/${id}/export`);
      await page.fill("input[type=password]", served.token);
      await page.click("button[type=submit]");
      for (const [label, format] of [
        ["Markdown", "markdown"],
        ["llms-full.txt", "llms-full"],
      ]) {
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("link", { name: label, exact: true }).click(),
        ]);
        expect(await download.failure()).toBeNull();
        const text = readFileSync(await download.path(), "utf8");
        expect(text === (await (await get(addressOf(format ?? ""))).text())).toBe(true);
      }
    } finally {
      await browser.close();
    }
  });

  test("is made in the background by a Workflow, and has the same bytes", async () => {
    await callApi(served, "POST", `/api/crawls/${id}/exports`, { format: "chunks" });
    const list = () => callApi<BackgroundList>(served, "GET", `/api/crawls/${id}/exports`);
    await expect
      .poll(async () => (await list()).exports[0]?.status, { timeout: 200_000, interval: 300 })
      .toBe("completed");
    const { exports, long } = await list();
    // This machine sets no limits.
    expect(long).toEqual([]);
    const file = await (await get(served.address + exports[0]?.file)).text();
    expect(file === (await (await get(addressOf("chunks"))).text())).toBe(true);
  });

  // The last one: it ends the server.
  test("has no clean end if the server is killed in the middle", async () => {
    const answer = await get(addressOf("markdown"));
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    let bytes = 0;
    const readOn = async () => {
      const { done, value } = await reader.read();
      bytes += value?.byteLength ?? 0;
      return done;
    };
    while (bytes < 200_000) expect(await readOn()).toBe(false);
    process.kill(served.pid, "SIGKILL");
    const readToEnd = async () => {
      while (!(await readOn()));
    };
    await expect(readToEnd()).rejects.toThrow();
  });
});
