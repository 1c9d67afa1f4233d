import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Site, startSite } from "../sites/site.ts";
import { findBrowser } from "./browser.ts";
import { crawl, type Served, scratch, serve } from "./cli.ts";

/** A mirrored site, walked through in a browser by somebody who signed in, with the site itself gone. */

const BROWSER = findBrowser("whether a mirrored site can be walked through");

const HTML = { "content-type": "text/html; charset=windows-1252" };
/** In windows-1252. */
const PAGES: Record<string, string> = {
  "/": `<title>Home</title><h1>Stra\xdfe</h1>
    <a id=query href="two?x=1&amp;y=%2F&amp;utm_source=z#part">two</a> <a id=moved href=/moved>moved</a>
    <a id=gone href=/gone>gone</a> <a id=frames href=/frames target=_blank>frames</a> <a id=refresh href=/refresh>refresh</a>
    <a id=copy href=/copy>copy</a>
    <form action=/two><input name=x value=1><input name=y value=/><button id=send>send</button></form>`,
  "/two?x=1&y=%2F": `<base href=/deep/><title>Two</title><p style="height:3000px"></p><h1 id=part>Two</h1><a id=back href="../">home</a>`,
  "/frames": `<title>Frames</title><iframe src=/framed></iframe>`,
  "/framed": `<h1>Framed</h1><a id=top target=_top href=/>home</a>`,
  "/refresh": `<title>Refresh</title><meta http-equiv=refresh content="0; url='/two?x=1&amp;y=%2F'">`,
};

PAGES["/copy"] = PAGES["/framed"] ?? "";

describe.skipIf(BROWSER === undefined)("in a browser", () => {
  const dir = scratch();
  let site: Site;
  let server: Served;
  let browser: Browser;
  let window: Page;
  let id = "";
  const asked: string[] = [];

  beforeAll(async () => {
    site = await startSite(({ url = "/" }, response) => {
      if (url === "/moved") return void response.writeHead(301, { location: "/two?x=1&y=%2F" }).end();
      const page = PAGES[url];
      if (page === undefined) return void response.writeHead(404, HTML).end();
      response.writeHead(200, HTML).end(Buffer.from(page, "latin1"));
    });
    server = await serve(`${dir.path}/served`);
    const { summary } = await crawl(dir.path, `${site.origin}/`, "--delay", "0", "--store", "warc", ...server.remote);
    id = summary.id;
    browser = await chromium.launch({ executablePath: BROWSER, args: ["--no-sandbox"] });
    window = await (await browser.newContext()).newPage();
    window.setDefaultTimeout(20_000);
    window.on("request", (request) => {
      if (!request.url().startsWith(`${server.address}/`)) asked.push(request.url());
    });
    await window.goto(replayed("/"));
    await window.fill("#token", server.token);
    await window.click("main button");
    await window.waitForURL((url) => url.pathname.startsWith("/replay/"));
  });

  afterAll(async () => {
    await browser?.close();
    await Promise.all([server?.close(), site?.close()]);
    dir.remove();
  });

  const replayed = (path: string) => `${server.address}/replay/${id}/${site.origin}${path}`;
  const shows = () => window.url().slice(window.url().indexOf(site.origin) + site.origin.length);

  /** Clicks a link of the home page, and says where it led: the target, and its heading. */
  async function follow(link: string): Promise<[string, string | null]> {
    await window.goto(replayed("/"));
    await Promise.all([window.waitForURL((url) => !url.href.endsWith(`${site.origin}/`)), window.click(link)]);
    return [shows(), await window.locator("h1").first().textContent()];
  }

  test("its links lead from page to page, queries and fragments included, and it was never asked", async () => {
    site.log.length = 0;
    await window.goto(replayed("/"));
    expect(await window.locator("h1").textContent()).toBe("Straße");
    expect(await follow("#query")).toEqual(["/two?x=1&y=%2F&utm_source=z#part", "Two"]);
    expect(await window.evaluate(() => [self.origin, scrollY > 0])).toEqual(["null", true]);
    await window.click("#back");
    expect([shows(), await window.title()]).toEqual(["/", "Home"]);
    expect(await follow("#moved")).toEqual(["/two?x=1&y=%2F", "Two"]);
    expect(await follow("#send")).toEqual(["/two?x=1&y=%2F", "Two"]);
    // Its content is another page's, to which its record in the archive refers.
    expect(await follow("#copy")).toEqual(["/copy", "Framed"]);
    expect([site.log.length, asked]).toEqual([0, []]);
  });

  test("frames show theirs, and lead out of themselves", async () => {
    await window.goto(replayed("/"));
    await window.click("#frames");
    const frame = window.frameLocator("iframe");
    expect(await frame.locator("h1").textContent()).toBe("Framed");
    await frame.locator("#top").click();
    await window.waitForURL((url) => url.href.endsWith(`${site.origin}/`));
  });

  test("where a page leads on by itself, a link does", async () => {
    await window.goto(replayed("/refresh"));
    await window.click("text=another one");
    await window.waitForURL(/two/);
    expect(await window.locator("h1").textContent()).toBe("Two");
  });

  test("what is not mirrored says so, and leads to its record", async () => {
    expect(await follow("#gone")).toEqual(["/gone", "Not in this mirror"]);
    expect(await window.locator("main").textContent()).toContain("404");
    expect(await window.getAttribute("text=live web", "href")).toBe(`${site.origin}/gone`);
    await window.click("text=Its record");
    await window.waitForURL(/\/crawls\//);
    expect(await window.locator("article h2").first().textContent()).toContain("/gone");
  });

  test("a page's record leads to it", async () => {
    await window.goto(
      `${server.address}/crawls/${id}/record?${new URLSearchParams({ url: `${site.origin}/`, tab: "page" })}`,
    );
    // By its address: a click from a page with a sandboxed frame into a sandboxed page is lost on Playwright, though not on Chromium.
    await window.goto(server.address + (await window.getAttribute("text=as it looked", "href")));
    expect(await window.locator("h1").textContent()).toBe("Straße");
  });
});
