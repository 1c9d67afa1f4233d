import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ChangesView, CrawlView } from "../../src/api/views.ts";
import type { Site } from "../sites/site.ts";
import { getOrPost } from "./api-calls.ts";
import { findBrowser } from "./browser.ts";
import { type Served, scratch, serveFast } from "./cli.ts";
import { loadBy } from "./load-by.ts";
import { articleOf, startTaggedSite, until } from "./watched-site.ts";

/** What people do most with a crawl takes at most two clicks from its overview. What is typed is no click. */

const MOST_CLICKS = 2;
const BROWSER = findBrowser("tasks in the console");
const WORDS = "Words that stay the same in this page, again and again, so that it has a text of some length. ".repeat(
  3,
);

const dir = scratch();
const pages: Record<string, string> = {
  "/": articleOf("Boxes", [`All about boxes. ${WORDS}`], "/prices", "/guide", "/lost", "/deep"),
  "/prices": articleOf("Prices", [`All prices. ${WORDS}`, "The small box costs 5 euros a month."]),
  "/guide": articleOf("Guide", [`How to close a box. ${WORDS}`], "/lost"),
  "/deep": articleOf("Deep", [`Far away. ${WORDS}`]),
};

describe.skipIf(BROWSER === undefined)("from the overview of a crawl", () => {
  let site: Site;
  let served: Served;
  let browser: Browser;
  let page: Page;
  /** A crawl that has ended, and one that is a watch. */
  let ended = "";
  let watch = "";
  let clicks = 0;

  const call = <T>(path: string, body?: unknown) => getOrPost<T>(served, path, body);
  const crawlOf = (id: string) => call<CrawlView>(`/api/crawls/${id}`);

  async function start(options: object): Promise<string> {
    const body = {
      ...{ url: `${site.origin}/`, source: "links", search: true, store: "warc", limit: 100 },
      ...{ politeness: { minDelayMs: 0, delayFactor: 0 }, ...options },
    };
    return (await call<{ id: string }>("/api/crawls", body)).id;
  }

  beforeAll(async () => {
    site = await startTaggedSite(pages, "127.0.0.58");
    served = await serveFast(join(dir.path, "state"), 1_000, new Date("2031-01-01T00:00:00Z"));
    watch = await start({ watch: { everyS: 3_600, fixed: true } });
    await until(
      served,
      () => crawlOf(watch),
      ({ status }) => status === "watching",
    );
    pages["/prices"] = articleOf("Prices", [`All prices. ${WORDS}`, "The small box costs 6 euros a month."]);
    await until(
      served,
      () => call<ChangesView>(`/api/crawls/${watch}/changes`),
      ({ changes }) => changes.length > 0,
    );
    ended = await start({});
    await until(
      served,
      () => crawlOf(ended),
      ({ status }) => status === "completed",
    );
    browser = await chromium.launch({ executablePath: BROWSER ?? "", args: ["--no-sandbox"] });
    page = await browser.newPage();
    page.setDefaultTimeout(120_000);
    await page.goto(`${served.address}/crawls/${ended}`);
    await page.fill("#token", served.token);
    await loadBy(page, () => page.click("main button"));
  });

  afterAll(async () => {
    await browser?.close();
    await Promise.all([served?.close(), site?.close()]);
    dir.remove();
  });

  async function click(selector: string): Promise<void> {
    clicks++;
    await page.locator(selector).first().click();
  }
  /** A click that leads to another page. */
  const clickTo = (selector: string) => loadBy(page, () => click(selector));

  async function download(selector: string): Promise<string> {
    const [file] = await Promise.all([page.waitForEvent("download"), click(selector)]);
    return file.suggestedFilename();
  }

  const TASKS: [task: string, crawl: "ended" | "watch", does: () => Promise<void>][] = [
    [
      "find why a URL is missing",
      "ended",
      async () => {
        await page.fill("#why", "https://elsewhere.example/page");
        await clickTo("text=Explain");
        expect(await page.locator(".sentence").textContent()).toContain("elsewhere.example");
      },
    ],
    ["download the archive", "ended", async () => expect(await download(".outcome >> text=WACZ")).toMatch(/\.wacz$/)],
    [
      "see what is broken, and where it is linked from",
      "ended",
      async () => {
        await clickTo("text=Find broken links");
        await page.locator(".outcome >> text=Broken link").first().waitFor({ timeout: 120_000 });
        await clickTo(".outcome a:has-text('Broken link')");
        const rows = await page.locator(".rows tbody tr").allTextContents();
        expect(rows.length).toBe(2);
        for (const row of rows) expect(row).toContain("/lost");
      },
    ],
    [
      "read a page's Markdown",
      "ended",
      async () => {
        await clickTo("text=Read the pages");
        await clickTo(".rows .title:has-text('/guide')");
        expect(await page.locator(".record .body").textContent()).toContain("How to close a box.");
      },
    ],
    [
      "search its pages",
      "ended",
      async () => {
        await clickTo("text=Search their text");
        await page.fill("#q", "close");
        await clickTo("main button:has-text('Search')");
        expect(await page.locator("main").textContent()).toContain("Guide");
      },
    ],
    [
      "download for a spreadsheet",
      "ended",
      async () => expect(await download(".outcome >> text=CSV")).toMatch(/\.csv$/),
    ],
    [
      "add a webhook",
      "ended",
      async () => {
        await clickTo(".tabs >> text=Webhooks");
        await page.fill("#url", `${site.origin}/hook`);
        await clickTo("main button:has-text('Add')");
        expect(await page.locator("main").textContent()).toContain("/hook");
      },
    ],
    [
      "compare two versions of a page",
      "watch",
      async () => {
        await clickTo(".tabs >> text=Changes");
        await clickTo(".rows a:has-text('Difference')");
        expect(await page.locator("ins").allTextContents()).toEqual([expect.stringContaining("6")]);
      },
    ],
    [
      "start a watch",
      "ended",
      async () => {
        await click("#actions >> text=Watch");
        await page.fill("[id='watch.everyS']", "1d");
        await clickTo("text=Start watching");
        expect((await crawlOf(ended)).status).toBe("watching");
      },
    ],
    [
      "stop paying",
      "watch",
      async () => {
        await page.fill("#maxCostUsd", "1");
        await clickTo("text=Change limits");
        await clickTo("#pause");
        const { status, options } = await crawlOf(watch);
        expect([status, options.maxCostUsd]).toEqual(["paused", 1]);
      },
    ],
  ];

  test.each(TASKS)(`%s in at most ${MOST_CLICKS} clicks`, async (_, crawl, does) => {
    await page.goto(`${served.address}/crawls/${crawl === "ended" ? ended : watch}`);
    clicks = 0;
    await does();
    expect(clicks).toBeGreaterThan(0);
    expect(clicks).toBeLessThanOrEqual(MOST_CLICKS);
  });
});
