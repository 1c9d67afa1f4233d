import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ChangesView, CrawlView, VisitsView } from "../../src/api/views.ts";
import type { Site } from "../sites/site.ts";
import { getOrPost } from "./api-calls.ts";
import { findBrowser } from "./browser.ts";
import { run, type Served, scratch, serveFast } from "./cli.ts";
import { loadBy } from "./load-by.ts";
import { faultsOf } from "./look.ts";
import { articleOf, startTaggedSite, until } from "./watched-site.ts";

/** A watch in the console, and what `status` prints of it. A second of its clock is a real millisecond. */

const SPEED = 1_000;
const EVERY_S = 3_600;
const BROWSER = findBrowser("a watch in the console");
const WORDS = "Words that stay the same in this page, again and again, so that it has a text of some length. ".repeat(
  3,
);

const dir = scratch();
const guides = Array.from({ length: 12 }, (_, i) => `/guides/${i + 1}`);
const pages: Record<string, string> = {
  "/": articleOf("Boxes", [`All about boxes. ${WORDS}`], "/prices", "/beta", ...guides),
  "/prices": articleOf("Prices", [`All prices. ${WORDS}`, "The small box costs 5 euros a month."]),
  "/beta": articleOf("Beta", [`The beta. ${WORDS}`]),
  ...Object.fromEntries(guides.map((path, i) => [path, articleOf(`Guide ${i + 1}`, [`How to ${path}. ${WORDS}`])])),
};
let site: Site;
let served: Served;
let id = "";

const call = <T>(path: string, body?: unknown) => getOrPost<T>(served, path, body);
const crawlOf = () => call<CrawlView>(`/api/crawls/${id}`);

beforeAll(async () => {
  site = await startTaggedSite(pages, "127.0.0.54");
  served = await serveFast(join(dir.path, "state"), SPEED, new Date("2031-01-01T00:00:00Z"));
  ({ id } = await call<{ id: string }>("/api/crawls", {
    url: `${site.origin}/`,
    source: "links",
    limit: 100,
    politeness: { minDelayMs: 0 },
    maxCostUsd: 5,
  }));
  await until(served, crawlOf, ({ status }) => status === "completed");
});

afterAll(async () => {
  await Promise.all([served?.close(), site?.close()]);
  dir.remove();
});

describe.skipIf(BROWSER === undefined)("a watch in the console", () => {
  let browser: Browser;
  let page: Page;
  const at = (path = "") => `${served.address}/crawls/${id}${path}`;
  const clickTo = (selector: string) => loadBy(page, () => page.click(selector));
  const state = (text: string) => page.locator("#about .status", { hasText: text }).waitFor();

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: BROWSER ?? "", args: ["--no-sandbox"] });
    page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(120_000);
    await page.goto(at());
    await page.fill("#token", served.token);
    await clickTo("main button");
    expect(page.url()).toBe(at());
  });
  afterAll(async () => {
    await browser?.close();
  });

  test("a completed crawl becomes a watch by a form, which shows what the API refuses and keeps what was typed", async () => {
    await state("Completed");
    await page.click("#actions >> text=Watch");
    expect(await page.inputValue("[id='watch.everyS']")).toBe("7d");
    await page.fill("[id='watch.everyS']", "often");
    await page.fill("[id='watch.ignore.patterns']", "Posted * ago");
    await clickTo("text=Start watching");
    expect(await page.locator("[id='watch.everyS-problem']").textContent()).toContain("such as 30m, 12h, 7d or 2w");
    expect(await page.inputValue("[id='watch.ignore.patterns']")).toBe("Posted * ago");
    expect(await page.inputValue("[id='watch.everyS']")).toBe("often");
    await page.fill("[id='watch.everyS']", "1h");
    await page.fill("[id='watch.ignore.selectors']", ".sidebar\n#ads");
    await page.fill("[id='watch.keepDays']", "90");
    await clickTo("text=Start watching");
    await state("Watching");
    expect((await crawlOf()).options.watch).toEqual({
      ...{ everyS: EVERY_S, fixed: false, tell: [], keepDays: 90 },
      ignore: { urls: [], selectors: [".sidebar", "#ads"], patterns: ["Posted * ago"], leastShare: 0 },
    });
    await page.click("#watch > summary");
    await page.check("[id='watch.fixed']");
    await page.fill("[id='watch.ignore.selectors']", ":hover");
    await clickTo("#watch >> text=Save");
    await page.locator("#watch").getByText('":hover" has a pseudo').waitFor();
    await page.fill("[id='watch.ignore.selectors']", "");
    await clickTo("#watch >> text=Save");
    await page.locator("#watch").getByText('":hover" has a pseudo').waitFor({ state: "detached" });
    const { watch } = (await crawlOf()).options;
    expect(watch).toMatchObject({ fixed: true, keepDays: 90, ignore: { selectors: [], patterns: ["Posted * ago"] } });
  });

  test("it shows how fresh its pages are, what is visited next and why, and what was found", async () => {
    pages["/prices"] = articleOf("Prices", [`All prices. ${WORDS}`, "The small box costs 6 euros a month."], "/new");
    pages["/new"] = articleOf("New", [`A page that is new. ${WORDS}`]);
    delete pages["/beta"];
    await until(
      served,
      () => call<ChangesView>(`/api/crawls/${id}/changes`),
      ({ changes }) => changes.length >= 3,
    );
    const visits = await until(
      served,
      () => call<VisitsView>(`/api/crawls/${id}/visits`),
      ({ freshness }) => freshness?.pages === 16,
    );
    expect(visits.next.length).toBe(5);
    // A visit that is late looks at the whole page.
    await until(served, crawlOf, ({ watching }) => (watching?.visits["not-modified"] ?? 0) > 0);
    await call(`/api/crawls/${id}/pause`, {});
    await page.goto(at());
    await state("Paused");
    await page.getByText("The visits are paused.").waitFor();
    const stats = await page.locator("section:has(h2:text('Freshness')) .stats").textContent();
    expect(stats).toMatch(/Seen within 1 hour\d+%/);
    expect(stats).toMatch(/Limit per month\$5\.00/);
    expect(await page.locator("[data-key=visits] .records li").count()).toBe(5);
    expect(await page.locator("[data-key=visits] .due rect").count()).toBe(12);
    const found = (title: string) => page.locator("[data-key=found] .breakdown", { hasText: title });
    const kinds = await found("Kind").locator("tbody").textContent();
    for (const kind of ["Added1", "Changed1", "Removed1"]) expect(kinds).toContain(kind);
    expect(await found("Result").locator("tbody").textContent()).toContain("Not modified (304)");
    expect(await faultsOf(page, "watch")).toEqual([]);

    await clickTo("[data-key=visits] .records a >> nth=0");
    await page.getByText("Its next visit waits until the crawl is resumed").waitFor();
    await page.goto(at());
    await clickTo("[data-key=found] a:has-text('Removed')");
    expect(page.url()).toMatch(/\/changes\?kind=removed$/);
    expect(await page.locator(".rows tbody .title").allTextContents()).toEqual(["Beta"]);
  });

  test("a page's versions lead to a difference, which shows what counts or the full text", async () => {
    await page.goto(at(`/record?${new URLSearchParams({ url: `${site.origin}/prices` })}`));
    expect(await faultsOf(page, "watch-record")).toEqual([]);
    await clickTo("#versions a:has-text('Changed')");
    expect(page.url()).toContain("/diff?");
    expect(await page.locator("ins").allInnerTexts()).toEqual([expect.stringContaining("6")]);
    await clickTo("text=Compare the full text");
    await page.getByText("This compares the full text").waitFor();
    expect(await faultsOf(page, "difference-full")).toEqual([]);
    await clickTo("text=Show only what counts");
    await page.getByText("are left out").waitFor();
    await clickTo("text=All versions");
    expect(page.url()).toMatch(/\/record\?.*#versions$/);
  });

  test("by keyboard, a watch is resumed, changed and stopped", async () => {
    await page.goto(at());
    const submit = async (selector: string) => {
      await page.locator(selector).focus();
      await loadBy(page, () => page.keyboard.press("Enter"));
    };
    await submit("#resume");
    await state("Watching");
    await page.locator("#watch > summary").focus();
    await page.keyboard.press("Enter");
    await page.locator("[id='watch.everyS']").focus();
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.type("2h");
    await submit("[id='watch.everyS']");
    await state("Watching");
    expect((await crawlOf()).options.watch?.everyS).toBe(2 * EVERY_S);
    await submit("#pause");
    await state("Paused");
    await submit("#resume");
    await state("Watching");
    await submit("#cancel");
    await state("Cancelled");
    await page.getByText("It visits no page any more.").waitFor();
    expect(await page.locator("#watch").count()).toBe(0);
  });

  test("the command line prints the same facts", async () => {
    const { stdout } = await run("status", id, ...served.remote);
    const since = (await crawlOf()).watching?.since?.slice(0, 10);
    expect(stdout).toMatch(
      new RegExp(`Watched since ${since}, each page every 2 hours: [\\d,]+ visits \\(.*not-modified`),
    );
    expect(stdout).toMatch(/3 changes \(.*1 changed/);
    expect(stdout).toMatch(/\d+ of 16 pages seen within 2 hours, half of all within .*, the oldest .* ago/);
    expect(stdout).toMatch(/This month: about .* USD at Cloudflare's list prices, of at most 5 USD\./);
  });
});
