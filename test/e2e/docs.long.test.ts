import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findBrowser } from "./browser.ts";
import { type Served, scratch, serve } from "./cli.ts";

/** /docs in a browser: the page opens, accepts a token, and sends a request that succeeds. */

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

test("its files are those of the package, can be cached, and have a fixed list of names", async () => {
  const script = await fetch(`${server.address}/docs/swagger-ui-bundle.js`);
  expect(script.headers.get("content-type")).toContain("javascript");
  expect((await script.text()).length).toBeGreaterThan(1_000_000);
  const headers = { "if-none-match": script.headers.get("etag") ?? "" };
  expect((await fetch(`${server.address}/docs/swagger-ui-bundle.js`, { headers })).status).toBe(304);
  expect((await fetch(`${server.address}/docs`, { method: "HEAD" })).status).toBe(200);
  for (const path of ["/docs/index.html", "/docs/LICENSE", "/docs/..%2fdocs%2fstart.js"])
    expect([path, (await fetch(server.address + path)).status]).toEqual([path, 404]);
  for (const path of ["/swagger-ui.css", "/index.html"])
    expect([path, (await fetch(server.address + path)).status]).toEqual([path, 401]);
});

describe.skipIf(BROWSER === undefined)("in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    if (BROWSER !== undefined) browser = await chromium.launch({ executablePath: BROWSER, args: ["--no-sandbox"] });
  });
  afterAll(() => browser?.close());

  test("sign in and send a request, to this origin only", async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(40_000);
    const asked: string[] = [];
    const complaints: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));

    await page.goto(`${server.address}/docs`);
    await page.click("button.authorize");
    await page.fill(".auth-container input", server.token);
    await page.click(".auth-btn-wrapper button.authorize");
    await page.click(".auth-btn-wrapper button.btn-done");

    const operation = page.locator("#operations-crawls-listCrawls");
    await operation.locator(".opblock-summary-control").click();
    await operation.locator("button.try-out__btn").click();
    await operation.locator("button.execute").click();
    const status = operation.locator(".live-responses-table .response-col_status");
    await status.last().filter({ hasText: "200" }).waitFor();
    const answer = operation.locator(".live-responses-table .response-col_description").last();
    await answer.filter({ hasText: '"success": true' }).waitFor();

    expect(complaints).toEqual([]);
    // The page fills in the defaults of parameters.
    expect(asked.map((url) => url.split("?")[0])).toContain(`${server.address}/api/crawls`);
    expect(asked.filter((url) => !url.startsWith(`${server.address}/`) && !url.startsWith("data:"))).toEqual([]);
    await page.close();
  });
});
