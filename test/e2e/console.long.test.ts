import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startDemoSite } from "../sites/demo-site.ts";
import type { Site } from "../sites/site.ts";
import { callApi, waitForEnd } from "./api-calls.ts";
import { findBrowser } from "./browser.ts";
import { type Served, scratch, serve } from "./cli.ts";
import { loadBy } from "./load-by.ts";
import { faultsOf } from "./look.ts";

/** The console in a browser: one installation and a site on loopback. */

const BROWSER = findBrowser("the console");
const READ_TOKEN = "only-to-read";
const FILES = join(import.meta.dirname, "..", "..", "public", "console");
const KB = 1000;

describe.skipIf(BROWSER === undefined)("the console", () => {
  const dir = scratch();
  let site: Site;
  let server: Served;
  let browser: Browser;
  const contexts: BrowserContext[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    site = await startDemoSite({ pages: 60 });
    server = await serve(dir.path, "--read-token", READ_TOKEN);
    browser = await chromium.launch({ executablePath: BROWSER ?? "", args: ["--no-sandbox"] });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await site?.close();
    dir.remove();
  });
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
    expect(complaints.splice(0)).toEqual([]);
  });

  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(120_000);
    contexts.push(context);
    const page = await context.newPage();
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      // Chromium logs refused and missing pages, and requests that a test aborts.
      if (
        message.type() === "error" &&
        !/the server responded with a status of|ERR_FAILED|ERR_INTERNET_DISCONNECTED/.test(message.text())
      )
        complaints.push(message.text());
    });
    page.on("request", (request) => {
      if (!request.url().startsWith(`${server.address}/`)) complaints.push(`requested ${request.url()}`);
    });
    return page;
  }

  async function signedIn(options: BrowserContextOptions = {}, token = server.token): Promise<Page> {
    const page = await open(options);
    await page.goto(`${server.address}/`);
    await page.fill("#token", token);
    await loadBy(page, () => page.click("main button"));
    expect(page.url()).toBe(`${server.address}/crawls`);
    return page;
  }

  const call = <T>(method: string, path: string, body?: unknown) => callApi<T>(server, method, path, body);

  async function started(minDelayMs: number, limit = 500): Promise<string> {
    const body = { url: `${site.origin}/`, limit, politeness: { minDelayMs, delayFactor: 0 } };
    return (await call<{ id: string }>("POST", "/api/crawls", body)).id;
  }

  const startCrawl = (page: Page) =>
    loadBy(page, () => page.locator("button", { hasText: "Start crawl" }).first().click());
  const clickTo = (page: Page, selector: string) => loadBy(page, () => page.click(selector));
  const enterTo = (page: Page) => loadBy(page, () => page.keyboard.press("Enter"));
  const state = (page: Page, text: string) => page.locator("#about .status", { hasText: text }).waitFor();

  test("a wrong token is refused, the right one leads to the requested page, and sign-out works", async () => {
    const page = await open();
    await page.goto(`${server.address}/crawls/new`);
    expect(new URL(page.url()).pathname).toBe("/sign-in");
    await page.locator("#token:focus").waitFor();
    await page.keyboard.type("wrong");
    await enterTo(page);
    await page.getByText("This token is not valid here.").waitFor();
    expect(await page.locator("#token").getAttribute("aria-invalid")).toBe("true");
    await page.fill("#token", server.token);
    await enterTo(page);
    expect(page.url()).toBe(`${server.address}/crawls/new`);
    const [cookie] = await page.context().cookies();
    expect([cookie?.httpOnly, cookie?.sameSite, cookie?.value.includes(server.token)]).toEqual([true, "Strict", false]);
    await clickTo(page, "text=Sign out");
    expect(new URL(page.url()).pathname).toBe("/sign-in");
    await page.goto(`${server.address}/crawls`);
    expect(new URL(page.url()).pathname).toBe("/sign-in");
  });

  test("the empty list leads to the form; a crawl is started and followed to its end without reloading", async () => {
    const page = await signedIn();
    await page.getByText("No crawls yet").waitFor();
    await clickTo(page, "text=All options");
    await page.fill("#url", `${site.origin}/`);
    await page.click(".group > summary:has-text('Politeness')");
    await page.fill("[id='politeness.minDelayMs']", "0.06");
    await page.fill("[id='politeness.delayFactor']", "0");
    await page.locator(".explanations li").first().waitFor();
    await startCrawl(page);
    expect(page.url()).toMatch(/\/crawls\/[0-9a-f-]{36}$/);
    await page.evaluate(() => Object.assign(window, { same: true }));
    await state(page, "Completed");
    expect(await page.evaluate(() => "same" in window)).toBe(true);
    expect(await page.title()).toContain("100%");
    await page.locator("#announcement", { hasText: "The crawl has completed." }).waitFor({ state: "attached" });
    await page.mouse.move(0, 0);
    await page.locator(".plot svg").first().hover();
    expect(await page.locator(".pointed").first().textContent()).toMatch(/\d.*: \d[\d.]* pages\/s$/);
    for (const text of ["HTTP codes", "Content types", "Newest pages", "Newest errors", "Links not followed"])
      expect(await page.getByRole("heading", { name: text }).count(), text).toBe(1);
    expect(await page.locator(".chart").count()).toBe(2);
    const settings = page.locator("details", { has: page.getByRole("heading", { name: "Settings" }) });
    await settings.locator("summary").click();
    expect(await settings.locator(".pairs").textContent()).toContain("Min delay (s)0.06");
    await clickTo(page, "#again");
    await page.getByText("These are the settings of the crawl of").waitFor();
    expect(await page.inputValue("[id='politeness.minDelayMs']")).toBe("0.06");
    expect(await page.inputValue("#url")).toBe(`${site.origin}/`);
  });

  test("a crawl is paused, resumed, given another limit, cancelled, and deleted after a confirmation", async () => {
    const id = await started(3_000);
    const page = await signedIn();
    await clickTo(page, `#crawl-${id}`);
    await clickTo(page, "#pause");
    await state(page, "Paused");
    await page.fill("#limit", "7000");
    await clickTo(page, "text=Change limits");
    await page.getByText("finished, page limit 7,000").waitFor();
    await clickTo(page, "#resume");
    await state(page, "Running");
    // Actions of others appear here too.
    await call("POST", `/api/crawls/${id}/pause`);
    await page.locator("#resume").waitFor();
    await clickTo(page, "#cancel");
    await state(page, "Cancelled");
    await clickTo(page, "#delete");
    await clickTo(page, "text=Keep crawl");
    await state(page, "Cancelled");
    await clickTo(page, "#delete");
    await clickTo(page, "text=Delete crawl");
    await page.getByText("The crawl was deleted").waitFor();
    expect(await page.locator(`#crawl-${id}`).count()).toBe(0);
  });

  test("failed URLs are retried, and a crawl that reached its limit continues with a higher one", async () => {
    const id = await started(0, 30);
    await waitForEnd(server, id);
    const page = await signedIn({ timezoneId: "Asia/Tokyo", locale: "en-GB" });
    await page.goto(`${server.address}/crawls/${id}`);
    const { createdAt } = await call<{ createdAt: string }>("GET", `/api/crawls/${id}`);
    const there = new Date(createdAt).toLocaleTimeString("en-GB", { timeZone: "Asia/Tokyo" });
    expect(await page.locator("#about time").first().textContent()).toContain(there);
    await page.fill("#limit", "5");
    await clickTo(page, "#raise-limit");
    await page.getByRole("alert").getByText("send a higher limit").waitFor();
    await page.fill("#limit", "-1");
    await page.locator("form.limits").evaluate((form: HTMLFormElement) => {
      form.noValidate = true;
    });
    await clickTo(page, "#raise-limit");
    expect(await page.locator("#limit-problem").textContent()).toBe("A whole number from 1 to 1,000,000,000.");
    await page.fill("#limit", "500");
    await clickTo(page, "#raise-limit");
    await state(page, "Completed");
    await page.locator("#raise-limit").waitFor({ state: "detached" });
    const requests = () => site.log.filter(({ path }) => path.startsWith("/gone/")).length;
    const before = requests();
    await clickTo(page, "#retry");
    await expect.poll(requests).toBeGreaterThan(before);
    await state(page, "Completed");
  });

  test("form errors are shown beside their fields, and the typed values stay", async () => {
    const page = await signedIn();
    await page.goto(`${server.address}/crawls/new`);
    await page.fill("#url", "ftp://example.com/");
    await page.fill("#limit", "0");
    await page.click(".group > summary:has-text('Traps')");
    await page.fill("[id='traps.maxPathDepth']", "-3");
    await startCrawl(page);
    await page.getByText("The crawl was not started").waitFor();
    expect(await page.locator("#limit-problem").textContent()).toBe("A whole number from 1 to 1,000,000,000.");
    expect(await page.locator("[id='traps.maxPathDepth-problem']").isVisible()).toBe(true);
    expect(await page.inputValue("[id='traps.maxPathDepth']")).toBe("-3");
    await page.fill("#limit", "5");
    await page.fill("[id='traps.maxPathDepth']", "");
    await startCrawl(page);
    expect(await page.locator("#url-problem").textContent()).toContain("is not an http or https URL");
    expect(await page.getAttribute("#url", "aria-describedby")).toContain("url-problem");
  });

  test("the form previews the scope and the rules while it is filled in", async () => {
    const page = await signedIn();
    await page.goto(`${server.address}/crawls/new?url=${encodeURIComponent(`${site.origin}/`)}`);
    await page.click(".group > summary:has-text('Scope')");
    await page.fill("[id='options.excludePatterns']", "/blog/**");
    await page.fill("#try", `${site.origin}/blog/1 ${site.origin}/private/1`);
    await page.keyboard.press("Enter");
    await page.locator(".explanations li", { hasText: "/blog/1" }).getByText("Refused").waitFor();
    await page.locator(".explanations li", { hasText: "/private/1" }).locator("summary").click();
    expect(await page.locator(".explanations details[open] li[data-ok=no]").textContent()).toContain("robots.txt");
    expect(new URL(page.url()).pathname).toBe("/crawls/new");
  });

  test("reading, testing and starting work without scripts", async () => {
    const page = await signedIn({ javaScriptEnabled: false });
    await clickTo(page, "text=New crawl");
    await page.fill("#url", `${site.origin}/private/x`);
    await clickTo(page, "button:has-text('Test')");
    await page.locator(".explanations").getByText("Disallowed").waitFor();
    await startCrawl(page);
    await page.locator("#about").waitFor();
    await waitForEnd(server, new URL(page.url()).pathname.replace("/crawls/", ""));
    await page.reload();
    // It stored no page.
    await state(page, "Errored");
    expect(await page.locator(".breakdown", { hasText: "robots.txt forbids it" }).count()).toBe(1);
    expect(await page.locator("#about time").first().textContent()).toContain("UTC");
  });

  test("a read-only token sees everything and no buttons", async () => {
    const id = await started(1_000);
    const page = await signedIn({}, READ_TOKEN);
    await page.getByText("Read-only").waitFor();
    expect(await page.locator("text=New crawl").count()).toBe(0);
    await clickTo(page, `#crawl-${id}`);
    await state(page, "Running");
    expect(await page.locator("main form[method=post], #actions .button").count()).toBe(0);
    for (const action of ["cancel", "delete", "pause"]) {
      const status = await page.evaluate(
        async (url) => (await fetch(url, { method: "POST" })).status,
        `${server.address}/crawls/${id}/${action}`,
      );
      expect([action, status]).toEqual([action, 403]);
    }
    await call("DELETE", `/api/crawls/${id}?force=true`);
  });

  test("a crawl is followed by its events, after a lost connection too, and by polling without events", async () => {
    const id = await started(3_000);
    const page = await signedIn();
    let connections = 0;
    let broken = `retry: 50\nevent: crawl\ndata: ${JSON.stringify({ status: "running" })}\n\n`;
    await page.route("**/events", (route) => {
      connections++;
      const body = broken;
      broken = "";
      return body === "" ? route.continue() : route.fulfill({ contentType: "text/event-stream", body });
    });
    await page.goto(`${server.address}/crawls/${id}`);
    await expect.poll(() => connections).toBe(2);
    await call("POST", `/api/crawls/${id}/pause`);
    await state(page, "Paused");
    expect(connections).toBe(2);

    await page.unroute("**/events");
    await page.route("**/events", (route) => route.abort());
    await page.reload();
    await call("POST", `/api/crawls/${id}/cancel`);
    await state(page, "Cancelled");
    await call("DELETE", `/api/crawls/${id}`);
  });

  test("focus stays while numbers change, and stale numbers are marked", async () => {
    const id = await started(1_500);
    const page = await signedIn();
    await page.goto(`${server.address}/crawls/${id}`);
    await page.locator(".breakdown a", { hasText: "Completed" }).focus();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("href"));
    const before = await focused();
    expect(before).toContain("status=completed");
    const pages = page.locator(".stats dd").first();
    const shown = await pages.textContent();
    await expect.poll(() => pages.textContent()).not.toBe(shown);
    expect(await focused()).toBe(before);
    expect(await page.locator("#stale").isVisible()).toBe(false);

    await page.context().setOffline(true);
    await page.locator("#stale", { hasText: "Orbweaver is not responding" }).waitFor();
    await page.context().setOffline(false);
    await page.locator("#stale").waitFor({ state: "hidden" });
    await call("DELETE", `/api/crawls/${id}?force=true`);
  });

  test("no page has serious axe violations in either scheme, nor is wider than a phone", async () => {
    const id = await started(200, 40);
    await call("POST", `/api/crawls/${id}/pause`);
    const page = await signedIn();
    const faults: string[] = [];
    for (const [name, path] of [
      ["crawls", "/crawls"],
      ["crawls-none-found", "/crawls?q=nowhere"],
      ["schedules", "/schedules"],
      ["sessions", "/sessions"],
      ["agents", "/agents"],
      ["new", `/crawls/new?url=${encodeURIComponent(`${site.origin}/`)}`],
      ["crawl", `/crawls/${id}`],
      ["explain", `/crawls/${id}/explain?url=${site.origin}/private/1`],
      ["delete", `/crawls/${id}/delete`],
      ["not-found", "/crawls/none"],
      ["sign-in", "/sign-in"],
    ] as const) {
      if (name === "sign-in") await page.context().clearCookies();
      await page.goto(server.address + path);
      if (name === "new") await page.locator(".explanations").waitFor();
      faults.push(...(await faultsOf(page, name)));
    }
    await call("DELETE", `/api/crawls/${id}?force=true`);
    expect(faults).toEqual([]);
  });

  test("by keyboard only, a crawl is started, paused, resumed and cancelled", async () => {
    await started(0, 1);
    const page = await signedIn();
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim());
    const tabTo = async (text: string) => {
      for (let i = 0; i < 40; i++) {
        await page.keyboard.press("Tab");
        if ((await focused()) === text) return;
      }
      throw new Error(`Tab never reaches ${text}`);
    };
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Skip to content");
    await page.keyboard.press("Enter");
    await page.locator("main:focus").waitFor();
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("New crawl");
    await enterTo(page);
    await page.locator("#url:focus").waitFor();
    await page.keyboard.type(`${site.origin}/`);
    await enterTo(page);
    await page.locator("#about").waitFor();
    for (const [action, text] of [
      ["Pause", "Paused"],
      ["Resume", "Running"],
      ["Cancel", "Cancelled"],
    ] as const) {
      await tabTo(action);
      await enterTo(page);
      await state(page, text);
    }
    await tabTo("Records");
    await enterTo(page);
    expect(new URL(page.url()).pathname).toMatch(/\/records$/);
  });

  test("the first page stays below 100 KB, and all files of the console below 150 KB", async () => {
    const page = await signedIn();
    const sizes = new Map<string, number>();
    page.on("request", (request) => sizes.set(new URL(request.url()).pathname, 0));
    await page.goto(`${server.address}/crawls`, { waitUntil: "load" });
    const own = (await page.content()).length;
    const rows = await page.locator(".crawls tbody tr").count();
    const row = (await page.locator(".crawls tbody tr").first().innerHTML()).length;
    const files = readdirSync(FILES).map(
      (name) => [`/console/${name}`, readFileSync(join(FILES, name)).length] as const,
    );
    const all = files.reduce((sum, [, size]) => sum + size, 0);
    const loaded = files.filter(([path]) => sizes.has(path)).reduce((sum, [, size]) => sum + size, 0);
    expect(loaded).toBeGreaterThan(0);
    // As if the list showed its maximum of 50 crawls.
    const full = own + (50 - rows) * row;
    expect(full + loaded).toBeLessThan(100 * KB);
    expect(full + all).toBeLessThan(150 * KB);
  });
});
