import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startHandmadeSite } from "../sites/handmade-site.ts";
import { libraryPages } from "../sites/library-site.ts";
import type { Site } from "../sites/site.ts";
import { findBrowser } from "./browser.ts";
import { type Served, scratch, serve } from "./cli.ts";

/** The console over a crawl that has ended: its records, one of them, the map, the hosts and the search, as a person uses them. */

const BROWSER = findBrowser("the console's records");
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true };
/** More than two pages of the list. */
const BOOKS = 230;

describe.skipIf(BROWSER === undefined)("the console", () => {
  const dir = scratch();
  let site: Site;
  let server: Served;
  let browser: Browser;
  let at = "";
  let page: Page;
  /** Of whoever signed in first. */
  let session: Awaited<ReturnType<BrowserContext["storageState"]>> | undefined;
  const complaints: string[] = [];

  beforeAll(async () => {
    site = await startHandmadeSite(libraryPages(BOOKS));
    server = await serve(dir.path);
    const crawl = await call<{ id: string }>("POST", "/api/crawls", {
      url: `${site.origin}/`,
      limit: 1_000,
      crawlPurposes: ["search"],
      contentUse: "reference",
      maxAttempts: 1,
      politeness: { minDelayMs: 0, delayFactor: 0, maxConcurrencyPerHost: 6 },
    });
    at = `${server.address}/crawls/${crawl.id}`;
    browser = await chromium.launch({ executablePath: BROWSER ?? "", args: ["--no-sandbox"] });
    while ((await call<{ status: string }>("GET", `/api/crawls/${crawl.id}`)).status === "running") await later(100);
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all([server?.close(), site?.close()]);
    dir.remove();
  });
  afterEach(async () => {
    await page.context().close();
    expect(complaints.splice(0)).toEqual([]);
  });

  const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const init = { method, headers: { authorization: `Bearer ${server.token}` } };
    const answer = await fetch(
      server.address + path,
      body === undefined ? init : { ...init, body: JSON.stringify(body) },
    );
    return ((await answer.json()) as { result: T }).result;
  }

  async function open(address: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({
      ...options,
      ...(session === undefined ? {} : { storageState: session }),
    });
    context.setDefaultTimeout(40_000);
    page = await context.newPage();
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => {
      if (!request.url().startsWith(`${server.address}/`)) complaints.push(`asked ${request.url()}`);
    });
    await page.goto(address);
    if (session === undefined) {
      await page.fill("#token", server.token);
      await page.click("main button");
      await page.waitForURL(address);
      session = await context.storageState();
    }
    return page;
  }

  const titles = () => page.locator(".rows tbody .title").allTextContents();

  test("records are filtered by text, status and code, and the address says how", async () => {
    await open(`${at}/records`);
    await page.fill("#q", "BOOK-19");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/records?q=BOOK-19**");
    expect((await titles()).toSorted()).toEqual(
      ["Book 19", ...Array.from({ length: 10 }, (_, i) => `Book ${190 + i}`)].toSorted(),
    );
    await page.click("text=Clear");
    await page.click("summary:has-text('Reason, code')");
    await page.selectOption("#code", "404");
    await page.click("text=Show");
    await page.waitForURL("**code=404**");
    expect(await titles()).toEqual([`${new URL(site.origin).host}/gone`]);
    expect(await page.locator(".rows tbody .why").textContent()).toContain("404");
    expect(await page.locator("#code").inputValue()).toBe("404");
    await page.goto(`${at}/records?code=nonsense`);
    await page.getByRole("alert").waitFor();
  });

  test("a header sorts, and once more the other way", async () => {
    await open(`${at}/records?status=completed`);
    await page.click(".sort:has-text('Size')");
    await page.waitForURL("**sort=bytes.desc**");
    const largest = await titles();
    expect(largest[0]).toBe("All the books");
    expect(await page.locator("th[aria-sort]").textContent()).toBe("Size");
    await page.click(".sort:has-text('Size')");
    await page.waitForURL("**sort=bytes.asc**");
    expect(await titles()).not.toEqual(largest);
  });

  test("who reads on gets all of them, each once, and no more than was asked for", async () => {
    await open(`${at}/records`);
    const total = Number(await page.evaluate(() => document.querySelectorAll(".rows tbody tr").length));
    expect(total).toBe(100);
    for (let scrolls = 0; scrolls < 40 && (await page.locator("#more").count()) > 0; scrolls++) {
      await page.mouse.wheel(0, 4_000);
      await later(50);
    }
    const shown = await page
      .locator(".rows tbody a.title")
      .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
    expect(shown.length).toBe(
      (await call<{ total: number }>("GET", at.slice(server.address.length).replace("/crawls", "/api/crawls"))).total,
    );
    expect(new Set(shown).size).toBe(shown.length);
  });

  test("without scripts the list goes on by a link, and the map by its branches", async () => {
    await open(`${at}/records`, { javaScriptEnabled: false });
    const first = await titles();
    await page.click("text=Load more");
    expect((await titles()).filter((title) => first.includes(title))).toEqual([]);
    await page.goto(`${at}/map`);
    await page.click("summary:has-text('books/')");
    await page.click("text=Open books/");
    await page.getByRole("navigation", { name: "Path" }).getByText("books/").waitFor();
  });

  test("a record shows its decision, its way and the page that was kept, in which nothing runs", async () => {
    await open(`${at}/records?q=about`);
    await page.click("text=About the library");
    await page.getByRole("heading", { name: "About the library" }).waitFor();
    expect(await page.locator(".way li").count()).toBe(2);
    await page.click(".tabs >> text=Page");
    const framed = page.frameLocator("iframe");
    await framed.getByText("founded").waitFor();
    expect(await framed.locator("h1").evaluate((heading) => getComputedStyle(heading).color)).toBe("rgb(102, 51, 153)");
    expect(await page.title()).not.toBe("it ran");
    for (const [tab, words] of [
      ["Markdown", /two spiders|no text/],
      ["Text", /two spiders|no text/],
      ["Metadata", /About the library, in short/],
      ["Links", /books/],
      ["Headers", /content-type/],
    ] as const) {
      await page.click(`.tabs >> text="${tab}"`);
      await page.locator(`.tabs a[aria-current="page"]`, { hasText: tab }).waitFor();
      expect(await page.locator(".body").textContent()).toMatch(words);
    }
    await page.goto(`${at}/record?url=${encodeURIComponent(`${site.origin}/private/diary`)}`);
    expect(await page.locator(".record").textContent()).toContain("robots.txt forbids it");
    expect(await page.locator("nav[aria-label=Record]").count()).toBe(0);
    await page.goto(`${at}/record?url=${encodeURIComponent(`${site.origin}/books/`)}`);
    expect(await page.locator(".found li").count()).toBe(200);
  });

  test("the map is a picture that leads down, and a tree that opens in place", async () => {
    await open(`${at}/map`);
    await page.click("summary:has-text('books/')");
    await page.click(".tree .tree summary:has-text('shelf-3/')");
    await page.locator(".tree .tree .tree .leaf").first().waitFor();
    expect(await page.locator(".tree .tree .tree .leaf").count()).toBe(33);
    await page.click(".treemap.wide .nested a:has-text('shelf-2/')");
    await page.waitForURL("**/map?path=**shelf-2**");
    await page.click(".tree .leaf a >> nth=0");
    await page.waitForURL("**/records?q=**");
    expect((await titles()).length).toBe(1);
  });

  test("a URL is tried against robots.txt as it was read", async () => {
    await open(`${at}/hosts`);
    await page.getByText("Disallow: /private/").waitFor();
    for (const [path, verdict, words] of [
      ["/private/diary", "Forbidden", "Disallow: /private/"],
      ["/private/open", "Allowed", "Allow: /private/open"],
      [`${site.origin}/about`, "Allowed", "no rule matches"],
      ["https://elsewhere.test/", "Not said", "not been read"],
    ] as const) {
      // While a page with a fragment loads, going there takes the focus away again.
      await page.waitForLoadState();
      await page.fill("#try", path);
      await page.press("#try", "Enter");
      await page.locator(".decision", { hasText: verdict }).getByText(words).waitFor();
    }
    expect(site.log.filter(({ path }) => path.startsWith("/private"))).toEqual([]);
  });

  test("a search finds, or says why it cannot", async () => {
    await open(`${server.address}/search`);
    await page.fill("#q", "spiders");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/search?q=spiders**");
    await page.locator(".hits, .notice, .empty").first().waitFor();
  });

  const PAGES = [
    "/records",
    "/records?status=errored",
    "/record?url=ABOUT",
    "/record?url=ABOUT&tab=page",
    "/record?url=ABOUT&tab=metadata",
    "/map",
    "/hosts?url=/private/x&origin=SITE",
  ];

  test.each([
    ["light", {}],
    ["dark", PHONE],
  ] as const)(
    "the pages are without serious faults to axe, and nothing is wider than its screen: %s",
    async (colorScheme, options) => {
      await open(`${at}/records`, { ...options, colorScheme });
      const addresses = PAGES.map(
        (path) => at + path.replace("ABOUT", encodeURIComponent(`${site.origin}/about`)).replace("SITE", site.origin),
      );
      for (const address of [...addresses, `${server.address}/search?q=x`]) {
        await page.goto(address);
        await page.evaluate(AXE);
        const faults = await page.evaluate(async () => {
          type Axe = {
            run(
              what: unknown,
              options: unknown,
            ): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>;
          };
          const { axe } = globalThis as unknown as { axe: Axe };
          const { violations } = await axe.run(document, { iframes: false });
          return violations
            .filter(({ impact }) => impact === "serious" || impact === "critical")
            .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
        });
        expect([address, faults]).toEqual([address, []]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), address).toBe(true);
      }
    },
  );
});
