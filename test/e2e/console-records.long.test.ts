import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startHandmadeSite } from "../sites/handmade-site.ts";
import { libraryPages } from "../sites/library-site.ts";
import type { Site } from "../sites/site.ts";
import { beat, callApi, waitForEnd } from "./api-calls.ts";
import { findBrowser } from "./browser.ts";
import { type Served, scratch, serve } from "./cli.ts";
import { loadBy } from "./load-by.ts";
import { faultsOf } from "./look.ts";

/** The console's pages of an ended crawl in a browser: records, one record, map, hosts and search. */

const BROWSER = findBrowser("the console's records");
/** More than two parts of the list. */
const BOOKS = 230;

const DOCUMENTS = {
  "/": '<title>Library</title><a href="/feed.xml">News</a> <a href="/api/books">Books</a>',
  "/feed.xml": {
    headers: { "content-type": "application/rss+xml" },
    body: `<?xml version="1.0"?>
<rss version="2.0">
  <channel>
    <title>News of the library</title>
    <description>What happens between the shelves</description>
    <language>en</language>
    <managingEditor>news@library.example (A. Spider)</managingEditor>
    <lastBuildDate>Mon, 05 Jan 2026 12:00:00 GMT</lastBuildDate>
    <item>
      <title>Two spiders</title>
      <pubDate>Mon, 05 Jan 2026 10:00:00 GMT</pubDate>
      <description>&lt;p&gt;They found &lt;b&gt;another&lt;/b&gt; book.&lt;/p&gt;</description>
    </item>
    <item>
      <title>A fly</title>
      <description>Nobody has seen it since.</description>
    </item>
  </channel>
</rss>
`,
  },
  "/api/books": { headers: { "content-type": "application/json" }, body: '{"books": [{"title": "Webs", "pages": 8}]}' },
};

/** A shop whose first product declares its price, and whose second does not. */
const product = (name: string, price: string, head = "") =>
  `<!doctype html><html lang="de"><head><title>${name}</title>${head}</head><body><main><h1 class="title">${name}</h1>
  <div class="price">${price}</div><p>Ein Werkzeug für alle, die ein Werkzeug brauchen.</p>
  <dl><dt>Gewicht</dt><dd>1,2 kg</dd><dt>Leistung</dt><dd>750 W</dd></dl><ul class="merkmale"><li>Rechtslauf</li><li>Linkslauf</li></ul></main></body></html>`;
const OFFER =
  '<script type="application/ld+json">{"@type":"Product","name":"Bohrer","sku":"B1","offers":{"price":"1234.56"}}</script>';
const SHOP = {
  "/": '<title>Laden</title><a href="/p/bohrer">Bohrer</a> <a href="/p/zange">Zange</a>',
  "/p/bohrer": product("Bohrer", "1.234,56 €", OFFER),
  "/p/zange": product("Zange", "1.049 €"),
};

/** Passes of a busy machine. */
const LONG = { timeout: 60_000, interval: 500 };

describe.skipIf(BROWSER === undefined)("the console", () => {
  const dir = scratch();
  let site: Site;
  let server: Served;
  let browser: Browser;
  let at = "";
  /** A crawl of pages that are no HTML. */
  let documents: { site: Site; at: string };
  let page: Page;
  /** The session of the first sign-in, shared by all tests. */
  let session: Awaited<ReturnType<BrowserContext["storageState"]>> | undefined;
  const complaints: string[] = [];

  beforeAll(async () => {
    site = await startHandmadeSite(libraryPages(BOOKS));
    server = await serve(dir.path);
    const crawl = await callApi<{ id: string }>(server, "POST", "/api/crawls", {
      url: `${site.origin}/`,
      limit: 1_000,
      crawlPurposes: ["search"],
      contentUse: "reference",
      search: true,
      politeness: { minDelayMs: 0, delayFactor: 0, maxConcurrencyPerHost: 6 },
    });
    at = `${server.address}/crawls/${crawl.id}`;
    const other = await startHandmadeSite(DOCUMENTS);
    const { id } = await callApi<{ id: string }>(server, "POST", "/api/crawls", {
      url: `${other.origin}/`,
      topic: "news of the library",
      politeness: { minDelayMs: 0, delayFactor: 0 },
    });
    documents = { site: other, at: `${server.address}/crawls/${id}` };
    await waitForEnd(server, id);
    browser = await chromium.launch({ executablePath: BROWSER ?? "", args: ["--no-sandbox"] });
    await waitForEnd(server, crawl.id);
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all([server?.close(), site?.close(), documents?.site.close()]);
    dir.remove();
  });
  afterEach(async () => {
    await page.context().close();
    expect(complaints.splice(0)).toEqual([]);
  });

  async function open(address: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({
      ...options,
      ...(session === undefined ? {} : { storageState: session }),
    });
    context.setDefaultTimeout(120_000);
    page = await context.newPage();
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => {
      if (!request.url().startsWith(`${server.address}/`)) complaints.push(`requested ${request.url()}`);
    });
    await page.goto(address);
    if (session === undefined) {
      await page.fill("#token", server.token);
      await clickTo("main button");
      expect(page.url()).toBe(address);
      session = await context.storageState();
    }
    return page;
  }

  const clickTo = (selector: string) => loadBy(page, () => page.click(selector));
  const enterTo = () => loadBy(page, () => page.keyboard.press("Enter"));
  const titles = () => page.locator(".rows tbody .name").allTextContents();
  const paths = () => page.locator(".rows tbody .path").allTextContents();

  test("records are filtered by text, status and code, and the address holds the filters", async () => {
    await open(`${at}/records`);
    await page.fill("#q", "BOOK-19");
    await enterTo();
    expect(page.url()).toContain("/records?q=BOOK-19");
    expect((await titles()).toSorted()).toEqual(
      ["Book 19", ...Array.from({ length: 10 }, (_, i) => `Book ${190 + i}`)].toSorted(),
    );
    await clickTo("text=Clear");
    await page.click("summary:has-text('Reason, code')");
    await page.selectOption("#code", "404");
    await clickTo("text=Apply");
    expect(page.url()).toContain("code=404");
    expect(await paths()).toEqual(["/gone"]);
    expect(await page.locator(".rows tbody .why").textContent()).toContain("404");
    expect(await page.locator("#code").inputValue()).toBe("404");
    await page.goto(`${at}/records?code=nonsense`);
    await page.getByRole("alert").waitFor();
  });

  test("a column head sorts, and a second click reverses the order", async () => {
    await open(`${at}/records?status=completed`);
    await clickTo(".sort:has-text('Size')");
    expect(page.url()).toContain("sort=bytes.desc");
    const largest = await titles();
    expect(largest[0]).toBe("All the books");
    expect(await page.locator("th[aria-sort]").textContent()).toBe("Size");
    await clickTo(".sort:has-text('Size')");
    expect(page.url()).toContain("sort=bytes.asc");
    expect(await titles()).not.toEqual(largest);
  });

  test("scrolling loads every record exactly once", async () => {
    await open(`${at}/records`);
    const total = Number(await page.evaluate(() => document.querySelectorAll(".rows tbody tr").length));
    expect(total).toBe(100);
    for (let parts = 1; (await page.locator("#more").count()) > 0; parts++) {
      await page.mouse.wheel(0, 40_000);
      await page.locator(`.part >> nth=${parts}`).waitFor({ state: "attached" });
    }
    const shown = await page
      .locator(".rows tbody a.title")
      .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
    const crawl = await callApi<{ total: number }>(server, "GET", `/api${new URL(at).pathname}`);
    expect(shown.length).toBe(crawl.total);
    expect(new Set(shown).size).toBe(shown.length);
  });

  test("without scripts, links lead to the next records and into the map", async () => {
    await open(`${at}/records`, { javaScriptEnabled: false });
    const first = await titles();
    await clickTo("text=Load more");
    const second = await titles();
    expect(second.length).toBeGreaterThan(0);
    expect(second.filter((title) => first.includes(title))).toEqual([]);
    await page.goto(`${at}/map`);
    await page.click("summary:has-text('books/')");
    await clickTo("text=Open books/");
    await page.getByRole("navigation", { name: "Path" }).getByText("books/").waitFor();
  });

  test("a record shows its decision, its path and the stored page, whose scripts never run", async () => {
    await open(`${at}/records?q=about`);
    await clickTo("text=About the library");
    await page.getByRole("heading", { name: "About the library" }).waitFor();
    expect(await page.locator(".seed-path li").count()).toBe(2);
    await clickTo(".tabs >> text=Page");
    const framed = page.frameLocator("iframe");
    await framed.getByText("founded").waitFor();
    expect(await framed.locator("h1").evaluate((heading) => getComputedStyle(heading).color)).toBe("rgb(102, 51, 153)");
    expect(await page.title()).not.toBe("it ran");
    for (const [tab, words] of [
      ["Markdown", /\*\*founded\*\* in 1897 by two spiders/],
      ["Text", /It was founded in 1897 by two spiders/],
      ["Metadata", /About the library, in short/],
      ["Links", /books/],
      ["Headers", /content-type/],
    ] as const) {
      await clickTo(`.tabs >> text="${tab}"`);
      await page.locator(`.tabs a[aria-current="page"]`, { hasText: tab }).waitFor();
      expect(await page.locator(".body").textContent()).toMatch(words);
    }
    await page.goto(`${at}/record?url=${encodeURIComponent(`${site.origin}/private/diary`)}`);
    expect(await page.locator(".record").textContent()).toContain("robots.txt forbids it");
    expect(await page.locator("nav[aria-label=Record] a").allTextContents()).toEqual(["Decision", "In-links"]);
    await page.goto(`${at}/record?url=${encodeURIComponent(`${site.origin}/books/`)}`);
    expect(await page.locator(".found li").count()).toBe(200);
  });

  test("the treemap links to its levels, and the tree unfolds in place", async () => {
    await open(`${at}/map`);
    await page.click("summary:has-text('books/')");
    await page.click(".tree .tree summary:has-text('shelf-3/')");
    await page.locator(".tree .tree .tree .leaf").first().waitFor();
    expect(await page.locator(".tree .tree .tree .leaf").count()).toBe(33);
    await clickTo(".treemap.wide .nested a:has-text('shelf-2/')");
    expect(page.url()).toMatch(/\/map\?path=.*shelf-2/);
    await clickTo(".tree .leaf a >> nth=0");
    expect(page.url()).toContain("/records?q=");
    expect((await titles()).length).toBe(1);
  });

  test("a URL is tested against the stored robots.txt", async () => {
    await open(`${at}/hosts`);
    await page.getByText("Disallow: /private/").waitFor();
    for (const [path, verdict, words] of [
      ["/private/diary", "Forbidden", "Disallow: /private/"],
      ["/private/open", "Allowed", "Allow: /private/open"],
      [`${site.origin}/about`, "Allowed", "no rule matches"],
      ["https://elsewhere.test/", "Unknown", "not been read"],
    ] as const) {
      await page.fill("#try", path);
      await loadBy(page, () => page.press("#try", "Enter"));
      await page.locator(".decision", { hasText: verdict }).getByText(words).waitFor();
    }
    expect(site.log.filter(({ path }) => path.startsWith("/private"))).toEqual([]);
  });

  test("a page is found by its words, shown with a snippet, and opened", async () => {
    await open(`${at}`);
    await clickTo(".tabs >> text=Search");
    expect(await page.locator("#crawl option:checked").textContent()).toContain(new URL(site.origin).host);
    await page.fill("#q", '"two spiders"');
    await enterTo();
    await page.locator(".hits li").waitFor();
    expect(await page.locator(".hits li").count()).toBe(1);
    expect(await page.locator(".hits mark").allTextContents()).toEqual(["two spiders"]);
    expect(await page.locator(".snippet").textContent()).toContain("founded in 1897 by two spiders");
    await clickTo(".hits a");
    await page.getByRole("heading", { name: "About the library", level: 2 }).waitFor();
    await page.goBack();
    for (let i = 0; i < 8; i++) await beat(server);
    await page.fill("#q", "sentence");
    await enterTo();
    expect(page.url()).toContain("q=sentence");
    expect(await page.locator(".hits-total").textContent()).toContain(`${BOOKS + 2} pages`);
    await clickTo(".centred-button a");
    expect(page.url()).toContain("cursor=20");
    expect(await page.locator(".hits li").count()).toBe(20);
    for (const [words, answer] of [
      ["zzyzxqwv", "No results"],
      ["-spiders", "names no word to look for"],
    ] as const) {
      await page.fill("#q", words);
      await enterTo();
      await page.getByText(answer).waitFor();
    }
  });

  test("a feed shows what it says of itself, its outline and its source, and can be filtered", async () => {
    await open(`${documents.at}/record?url=${encodeURIComponent(`${documents.site.origin}/feed.xml`)}&tab=page`);
    expect(await page.locator(".facts").textContent()).toContain("Feed");
    expect(await page.locator(".pairs").textContent()).toContain("2026-01-05T12:00:00Z");
    expect(await page.locator(".outline li").allTextContents()).toEqual([
      "News of the library",
      "Two spiders",
      "A fly",
    ]);
    expect(await page.locator("pre.text").textContent()).toContain("<rss version=");
    const [download] = await Promise.all([page.waitForResponse(/\/page\?/), page.click(".body p a")]);
    expect(await download.headerValue("content-disposition")).toContain('inline; filename="feed.xml"');
    expect(await download.headerValue("content-security-policy")).toMatch(/^sandbox;/);
    await page.goto(`${documents.at}/records`);
    await page.click("details summary");
    await page.selectOption("#document", "json");
    await clickTo(".go button");
    expect(page.url()).toContain("document=json");
    expect(await paths()).toHaveLength(1);
  });

  test("fields are chosen from a page's elements, checked, and read by a crawl", async () => {
    const shop = await startHandmadeSite(SHOP);
    try {
      await open(`${server.address}/crawls/new`);
      await page.click("summary:has-text('Content')");
      await clickTo("text=Choose fields on a page");
      await page.fill("#url", `${shop.origin}/p/zange`);
      await clickTo("button:has-text('Read page')");
      await page.getByRole("heading", { name: "Choose fields" }).waitFor();
      await page.check("tr:has-text('1.049 €') input[type=checkbox]");
      await page.check("tr:has-text('1,2 kg') input[type=checkbox]");
      await page.fill("tr:has-text('1,2 kg') input[type=text]", "weight");
      await page.check("tr:has-text('Rechtslauf') input[type=checkbox]");
      await page.fill("#group", "/p/*");
      await clickTo("button:has-text('Add the chosen fields')");
      const values = page.getByRole("region", { name: "Fields of this page" });
      expect(await values.locator("tbody").textContent()).toContain("1049");
      expect(await values.locator("tbody").textContent()).toContain("an amount of € has no three decimals");
      const rules = JSON.parse(await page.inputValue("#fields"));
      expect(rules).toEqual([
        {
          urls: ["/p/*"],
          fields: {
            price: { selector: "div.price", as: "number" },
            weight: { selector: 'dt:contains("Gewicht") + dd' },
            merkmale: { selector: "ul.merkmale li", as: "list" },
          },
        },
      ]);
      rules[0].fields.weight.as = "number";
      rules[0].fields.sku = { schema: "Product.sku", selector: ".sku" };
      await page.fill("#fields", JSON.stringify(rules));
      await clickTo("button:has-text('Read page')");
      expect(await values.locator("tr:has-text('sku')").textContent()).toContain(".sku matches nothing");
      expect(await faultsOf(page, "fields")).toEqual([]);
      await clickTo("button:has-text('Go on to a crawl')");
      await page.fill("#url", `${shop.origin}/`);
      expect(await faultsOf(page, "new-with-fields")).toEqual([]);
      await clickTo("button:has-text('Start crawl')");
      const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
      await waitForEnd(server, id);
      const { records } = await callApi<{ records: { url: string; fields: unknown }[] }>(
        server,
        "GET",
        `/api/crawls/${id}/records`,
      );
      const merkmale = ["Rechtslauf", "Linkslauf"];
      expect(records.map(({ url, fields }) => [url.slice(shop.origin.length), fields])).toEqual([
        ["/", null],
        ["/p/bohrer", { price: 1234.56, weight: 1.2, merkmale, sku: "B1" }],
        ["/p/zange", { price: 1049, weight: 1.2, merkmale, sku: null }],
      ]);
      await page.goto(`${server.address}/crawls/${id}/record?url=${encodeURIComponent(`${shop.origin}/p/bohrer`)}`);
      expect(await page.getByRole("region", { name: "Fields" }).textContent()).toContain("1234.56");
      expect(await faultsOf(page, "record-fields")).toEqual([]);
      await page.goto(`${server.address}/crawls/fields`);
      await page.fill("#url", `${shop.origin}/p/zange`);
      await page.fill("#fields", '{"a": {"selector": "p::before"}}');
      await clickTo("button:has-text('Read page')");
      expect(await page.locator("#fields-problem").textContent()).toContain("has ::before");
      expect(await faultsOf(page, "fields-wrong")).toEqual([]);
    } finally {
      await shop.close();
    }
  });

  test("pages are marked in a list and on their own page, and the marks label all pages, without scripts", async () => {
    const url = (path: string) => `${site.origin}${path}`;
    await open(`${at}/records?q=shelf-1`, { javaScriptEnabled: false });
    await page.click("summary:has-text('Mark ticked')");
    for (const i of [0, 1, 2]) await page.check(`.rows tbody input >> nth=${i}`);
    await clickTo("button:has-text('Right')");
    expect(page.url()).toContain("/records?q=shelf-1");
    expect(await page.locator(".rows .tag").allTextContents()).toEqual(["right", "right", "right"]);
    await page.goto(`${at}/labels`);
    await clickTo("button:has-text('Label all')");
    expect(await page.textContent("[role=alert]")).toContain('All examples have the label "right"');
    for (const path of ["/about", "/wide"]) {
      await page.goto(`${at}/record?url=${encodeURIComponent(url(path))}`);
      await page.fill("#mark-label", "other");
      await clickTo("button:has-text('Set label')");
      expect(await page.textContent("#marks .tag")).toBe("other");
    }
    await page.goto(`${at}/labels`);
    await clickTo("button:has-text('Label all')");
    await expect
      .poll(async () => {
        await page.goto(`${at}/labels`);
        return page.locator("#labels tbody tr").count();
      }, LONG)
      .toBe(2);
    await clickTo("#labels tbody a >> nth=1");
    expect(page.url()).toContain("label=right");
    expect(await titles()).toContain("Book 1");
    await page.goto(`${at}/topics`);
    await clickTo("button:has-text('Find topics')");
    await expect
      .poll(async () => {
        await page.goto(`${at}/topics`);
        return page.locator("#topics > *").count();
      }, LONG)
      .toBeGreaterThan(0);
  });

  test("the subject of a crawl has its rate, hosts, words and pages, and leads to relevant records", async () => {
    await open(`${documents.at}/topic`);
    expect(await page.locator("h2").first().textContent()).toContain("news of the library");
    expect(await page.locator("tbody tr").allTextContents()).toContainEqual(expect.stringContaining("library"));
    expect(await page.locator("caption").allTextContents()).toEqual([
      "Best hosts",
      "Words of the subject",
      "Best pages",
      "Doubtful pages",
    ]);
    const right = page.locator('section:has(> h2:text-is("Best pages")) tbody tr').first().locator("button").first();
    await right.click();
    await expect.poll(() => right.getAttribute("aria-pressed")).toBe("true");
    await right.click();
    await expect.poll(() => right.getAttribute("aria-pressed")).toBe("false");
    await clickTo("#live h2 + p a");
    expect(page.url()).toContain("minRelevance=0.5");
    await page.goto(`${at}/topic`);
    expect(await page.locator("h1").textContent()).toBe("Not found");
  });

  test("no page has serious axe violations in either scheme, nor is wider than a phone", async () => {
    const about = encodeURIComponent(`${site.origin}/about`);
    const feed = encodeURIComponent(`${documents.site.origin}/feed.xml`);
    const addresses = {
      ended: at,
      records: `${at}/records`,
      "records-errored": `${at}/records?status=errored`,
      "records-none": `${at}/records?q=nowhere`,
      record: `${at}/record?url=${about}`,
      "record-page": `${at}/record?url=${about}&tab=page`,
      "record-markdown": `${at}/record?url=${about}&tab=markdown`,
      "record-chunks": `${at}/record?url=${about}&tab=chunks`,
      "record-metadata": `${at}/record?url=${about}&tab=metadata`,
      "record-links": `${at}/record?url=${about}&tab=links`,
      "record-refused": `${at}/record?url=${encodeURIComponent(`${site.origin}/private/diary`)}`,
      "record-feed": `${documents.at}/record?url=${feed}&tab=page`,
      "record-feed-markdown": `${documents.at}/record?url=${feed}&tab=markdown`,
      "record-feed-links": `${documents.at}/record?url=${feed}&tab=links`,
      "record-json": `${documents.at}/record?url=${encodeURIComponent(`${documents.site.origin}/api/books`)}&tab=page`,
      topic: `${documents.at}/topic`,
      "records-relevant": `${documents.at}/records?minRelevance=0.25&sort=relevance.desc`,
      "records-feeds": `${documents.at}/records?document=feed`,
      map: `${at}/map`,
      topics: `${at}/topics`,
      labels: `${at}/labels`,
      export: `${at}/export`,
      hosts: `${at}/hosts?url=/private/x&origin=${site.origin}`,
      search: `${server.address}/search?q=sentence`,
      "search-empty": `${server.address}/search?q=nowhere`,
    };
    await open(`${at}/records`);
    const faults: string[] = [];
    for (const [name, address] of Object.entries(addresses)) {
      await page.goto(address);
      faults.push(...(await faultsOf(page, name)));
    }
    expect(faults).toEqual([]);
  });
});
