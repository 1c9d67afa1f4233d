import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { ExplainView } from "../../src/api/views.ts";
import { PAGES, startAppSite, titleOf } from "../sites/app-site.ts";
import { startSite } from "../sites/site.ts";
import { findBrowser } from "./browser.ts";
import { crawl, run } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

/** What a real browser does on pages before they are read. */

const browser = findBrowser("what is done on a page");
const shared = shareServer();

describe.skipIf(browser === undefined)("what is done on a page", () => {
  test("finds every page of a site of scripts with routes, requests and endless lists", async () => {
    const site = await startAppSite();
    shared.sites.push(site);
    const folder = join(shared.dir.path, "app");
    const actions = ["--scroll", "10", "--click", ".more", "--click", "[role=link]", "--dismiss-banners"];
    const args = ["--render", "auto", ...actions, "--delay", "0", "--markdown", "--source", "links"];
    const { byUrl } = await crawl(folder, `${site.origin}/`, ...args, ...shared.served.remote);
    const titles = Object.fromEntries([...byUrl].map(([url, { title }]) => [url.slice(site.origin.length), title]));
    expect(titles).toEqual(Object.fromEntries(PAGES.map((path) => [path, titleOf(path)])));
    const markdownOf = (path: string) =>
      readFileSync(join(folder, "out", byUrl.get(`${site.origin}${path}`)?.markdownFile ?? ""), "utf8");
    for (const path of ["/", "/news", "/shop"]) {
      expect(markdownOf(path)).toContain(`What ${path} says`);
      expect(markdownOf(path)).not.toContain("We value your privacy");
    }
    expect(markdownOf("/news")).toContain("/news/10");
    expect(markdownOf("/archive")).toContain("/archive/7");
    const doneOn = (path: string) => byUrl.get(`${site.origin}${path}`)?.rendered;
    expect(doneOn("/")).toContain("closed a cookie banner, clicked 3 times, 3 clicks led to other addresses");
    expect(doneOn("/news")).toMatch(/scrolled [2-5] times|scrolled twice/);
    expect(doneOn("/archive")).toContain("clicked twice");
    // No document of a route is asked for but by the crawl itself, once.
    for (const path of PAGES) expect(site.counts().get(path)).toBe(1);
  });

  test("waits for an element, with the headers that the user gives, in a window of the given size", async () => {
    const asked: Record<string, string | undefined>[] = [];
    const site = await startSite((request, response) => {
      if (request.url === "/robots.txt") return void response.writeHead(404).end();
      asked.push({ path: request.url, session: request.headers.cookie, token: request.headers["x-token"] as string });
      if (request.headers.cookie !== "session=open") return void response.writeHead(403).end();
      if (request.url === "/words") return void response.end("The words of a member.");
      response.setHeader("content-type", "text/html").end(
        `<title>Members</title><p>A page whose last words come late, after it has been quiet for a while.</p>
        <script>setTimeout(async () => {
          const words = await (await fetch("/words")).text();
          document.body.insertAdjacentHTML("beforeend", "<p class=late>" + words + " " + innerWidth + " by " + innerHeight
            + ", cookie: " + (document.cookie || "none") + ".</p>");
        }, 600)</script>`,
      );
    });
    shared.sites.push(site);
    const folder = join(shared.dir.path, "members");
    const login = ["--header", "Cookie: session=open", "--header", "X-Token: secret-7731"];
    const args = ["--render", "always", "--wait-for", ".late", "--viewport", "900x1500", "--limit", "1", ...login];
    const { summary, byUrl } = await crawl(folder, `${site.origin}/`, ...args, "--markdown", ...shared.served.remote);
    const record = byUrl.get(`${site.origin}/`);
    const markdown = readFileSync(join(folder, "out", record?.markdownFile ?? ""), "utf8");
    expect(markdown).toContain("The words of a member. 900 by 1500, cookie: none.");
    expect(asked.filter(({ path }) => path === "/" || path === "/words")).toEqual(
      ["/", "/words"].map((path) => ({ path, session: "session=open", token: "secret-7731" })),
    );
    expect(record?.rendered).toMatch(/; \.late came$/);
    const out = join(folder, "crawl.warc.gz");
    await run("export", summary.id, "--format", "warc", "--out", out, ...shared.served.remote);
    const warc = gunzipSync(readFileSync(out)).toString();
    expect(warc).toContain("<title>Members</title>");
    expect(warc).not.toMatch(/secret-7731|session=open/);
    const explained = await run("explain", `${site.origin}/`, "--crawl", summary.id, "--json", ...shared.served.remote);
    const steps = (JSON.parse(explained.stdout) as ExplainView).steps;
    expect(steps.find(({ step }) => step === "browser")?.detail).toContain(".late came");
  });

  test("keeps a page without the element, and says so", async () => {
    const site = await startSite((request, response) => {
      if (request.url !== "/") return void response.writeHead(404).end();
      response.setHeader("content-type", "text/html").end("<title>Plain</title><p>All that there is on this page.</p>");
    });
    shared.sites.push(site);
    const folder = join(shared.dir.path, "absent");
    const args = ["--render", "always", "--wait-for", "#never", "--click", ":unheard-of(x)", "--limit", "1"];
    const { byUrl } = await crawl(folder, `${site.origin}/`, ...args, "--source", "links", ...shared.served.remote);
    const record = byUrl.get(`${site.origin}/`);
    expect(record).toMatchObject({ status: "completed", title: "Plain" });
    expect(record?.rendered).toMatch(/; #never did not come, the browser knows no selector :unheard-of\(x\)$/);
  });
});

test("needs pages that are drawn", async () => {
  const { code, stderr } = await run("crawl", "http://127.0.0.1:9/", "--scroll", "3", ...shared.served.remote);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining("--scroll can only be done on pages that are drawn: give --render auto"),
  ]);
});
