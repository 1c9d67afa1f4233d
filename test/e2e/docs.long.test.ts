import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATIONS } from "../../src/api/operations.ts";
import { templateOf } from "../../src/api/requests/operation.ts";
import { findBrowser } from "./browser.ts";
import { type Served, scratch, serve } from "./cli.ts";
import { loadBy } from "./load-by.ts";
import { faultsOf } from "./look.ts";

/** The page /docs: it has every route of the API, is searched without scripts, and runs nothing of others. */

const BROWSER = findBrowser("the page at /docs");

const dir = scratch();
let server: Served;

beforeAll(async () => {
  server = await serve(dir.path);
});

afterAll(async () => {
  await server.close();
  dir.remove();
});

test("it is open, has a strict policy, and links only to what it has", async () => {
  const answer = await fetch(`${server.address}/docs`);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"]);
  expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self'");
  const page = await answer.text();
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const targets = [...page.matchAll(/ href="(?:\/docs)?#([^"]+)"/g)].map(([, target = ""]) => target);
  expect(targets.length).toBeGreaterThan(ids.length);
  expect(targets.filter((target) => !ids.includes(target))).toEqual([]);
  expect(page).toContain('<a href="/openapi.json">');
  // Marks of Markdown that were left as they are, outside of code.
  const text = page.replaceAll(/<(pre|code)\b.*?<\/\1>/gs, "").replaceAll(/<[^>]*>/g, "");
  expect(text.match(/`|\*\*|\]\(/g)).toBeNull();
  for (const path of ["/docs/", "/docs/index.html", "/swagger-ui.css"])
    expect([path, (await fetch(server.address + path)).status]).toEqual([path, 401]);
});

test("a search that finds nothing, or has marks, shows what was searched and nothing else", async () => {
  const answer = await fetch(`${server.address}/docs?${new URLSearchParams({ q: '"><b>zzz</b>' })}`);
  const page = await answer.text();
  expect(page).toContain("Nothing with “&quot;&gt;&lt;b&gt;zzz&lt;/b&gt;”.");
  expect(page).not.toContain('class="curl"');
});

describe.skipIf(BROWSER === undefined)("in a browser", () => {
  let browser: Browser;
  const complaints: string[] = [];
  beforeAll(async () => {
    if (BROWSER !== undefined) browser = await chromium.launch({ executablePath: BROWSER, args: ["--no-sandbox"] });
  });
  afterAll(() => browser?.close());

  async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await browser.newPage(options);
    page.setDefaultTimeout(120_000);
    page.on("request", (request) => {
      if (!request.url().startsWith(`${server.address}/`)) complaints.push(request.url());
    });
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(server.address + path);
    return page;
  }

  test("every route has its sentence, parameters, fields and example, which can be copied and sent", async () => {
    const page = await open("/docs", { permissions: ["clipboard-read", "clipboard-write"] });
    const routes = await page.locator(".route .path").allInnerTexts();
    expect(routes.toSorted()).toEqual(
      OPERATIONS.map(({ method, path }) => `${method.toUpperCase()} ${templateOf(path)}`).toSorted(),
    );
    expect(await page.locator(".curl").count()).toBe(routes.length);
    const list = page.locator("#list-the-crawls");
    expect(await list.locator(".schema").first().textContent()).toContain("query · integer · 1 to 200 · default 200");
    await list.getByRole("button", { name: "Copy the example of “List the crawls”" }).click();
    await list.getByText("Copied").waitFor();
    const curl = await page.evaluate(() => navigator.clipboard.readText());
    const [, header = "", address = ""] = /^curl -H "([^"]*)" "([^"]*)"$/.exec(curl) ?? [];
    expect(address.startsWith(`${server.address}/api/crawls`)).toBe(true);
    const authorization = header.replace("Authorization: ", "").replace("$TOKEN", server.token);
    expect((await fetch(address, { headers: { authorization } })).status).toBe(200);
    expect(complaints.splice(0)).toEqual([]);
    await page.close();
  });

  test("without scripts, it is searched by words, and a link leads from a search to a shape", async () => {
    const page = await open("/docs", { javaScriptEnabled: false });
    await page.fill("#find", "webhook SECRET");
    await loadBy(page, () => page.getByRole("button", { name: "Find" }).click());
    const found = await page.locator(".route h3").allInnerTexts();
    expect(found).toContain("Add a webhook to a crawl");
    expect(found).not.toContain("List the schedules");
    expect(await page.locator(".copy").count()).toBe(0);
    await loadBy(page, () =>
      page.locator("#add-a-webhook-to-a-crawl").getByRole("link", { name: "WebhookRequest" }).click(),
    );
    expect(page.url()).toBe(`${server.address}/docs#webhookrequest`);
    expect(await page.locator("#webhookrequest .schema").textContent()).toContain("events");
    await page.close();
  });

  test("axe finds nothing serious in either scheme, and no page is wider than a phone", async () => {
    const page = await open("/docs");
    expect(await faultsOf(page, "docs")).toEqual([]);
    await page.goto(`${server.address}/docs?q=webhook`);
    expect(await faultsOf(page, "docs-search")).toEqual([]);
    await page.close();
  });
});
