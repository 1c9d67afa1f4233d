import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { type Browser, chromium, type Page, type Response } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Site, startSite } from "../sites/site.ts";
import { allowPrivateHosts } from "./allow-private.ts";
import { findBrowser } from "./browser.ts";
import { crawl, type Served, scratch, serve } from "./cli.ts";
import { loadBy } from "./load-by.ts";
import { startPlayer } from "./player.ts";

allowPrivateHosts();

/** A stored site is browsed in the replay by a signed-in user, without the site itself. */

const BROWSER = findBrowser("the replay of a stored site");

const HTML = { "content-type": "text/html; charset=windows-1252" };
/** The pages, sent in windows-1252. */
const PAGES: Record<string, string> = {
  "/": `<title>Home</title><h1>Stra\xdfe</h1>
    <a id=query href="two?x=1&amp;y=%2F&amp;utm_source=z#part">two</a> <a id=moved href=/moved>moved</a>
    <a id=gone href=/gone>gone</a> <a id=frames href=/frames target=_blank>frames</a> <a id=refresh href=/refresh>refresh</a>
    <a id=copy href=/copy>copy</a> <a id=shown href=/shown>shown</a>
    <form action=/two><input name=x value=1><input name=y value=/><button id=send>send</button></form>`,
  "/two?x=1&y=%2F": `<base href=/deep/><title>Two</title><p style="height:3000px"></p><h1 id=part>Two</h1><a id=back href="../">home</a>`,
  "/frames": `<title>Frames</title><iframe src=/framed></iframe>`,
  "/framed": `<h1>Framed</h1><a id=top target=_top href=/>home</a>`,
  "/shown": `<title>Shown</title><link rel=stylesheet href=/style.css integrity=sha256-never><h1>Shown</h1>
    <img id=own src=dot.png srcset="dot.png?2 2x"><img id=far src="CDN/dot.png?far"><div id=back></div><p id=import>red</p>
    <p id=inline style="background:url('dot.png?inline')">text</p><script src=/script.js></script><script>document.title = "Run"</script>`,
  "/refresh": `<title>Refresh</title><meta http-equiv=refresh content="0; url='/two?x=1&amp;y=%2F'">`,
};

/** 3 by 2 pixels. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR4nGP4z8AAQQxwFgBB0gX7h/C5SAAAAABJRU5ErkJggg==",
  "base64",
);
const STYLES: Record<string, string> = {
  "/style.css": "@import 'css/more.css'; #back { width: 3px; height: 2px; background: url('dot.png?back') }",
  "/css/more.css": "#import { color: rgb(255, 0, 0) } h1 { background: url(../dot.png?more) }",
};
/** The number of assets of /shown: the image with each query, the style sheets and the script. */
const ASSETS = ["?2", "?back", "?far", "?inline", "?more", ""].length + Object.keys(STYLES).length + 1;

PAGES["/copy"] = PAGES["/framed"] ?? "";

describe.skipIf(BROWSER === undefined)("in a browser", () => {
  const dir = scratch();
  let site: Site;
  let cdn: Site;
  let server: Served;
  let browser: Browser;
  let window: Page;
  let crawled: Awaited<ReturnType<typeof crawl>>;
  let id = "";
  const external: string[] = [];

  beforeAll(async () => {
    cdn = await startSite(
      ({ url }, response) => {
        if (url === "/robots.txt") return void response.writeHead(404).end();
        response.writeHead(200, { "content-type": "image/png" }).end(PNG);
      },
      { host: "127.0.0.2" },
    );
    site = await startSite(({ url = "/" }, response) => {
      if (url.startsWith("/dot.png")) return void response.writeHead(200, { "content-type": "image/png" }).end(PNG);
      const style = STYLES[url];
      if (style !== undefined) return void response.writeHead(200, { "content-type": "text/css" }).end(style);
      if (url === "/script.js") return void response.writeHead(200, { "content-type": "text/javascript" }).end("ran=1");
      if (url === "/moved") return void response.writeHead(301, { location: "/two?x=1&y=%2F" }).end();
      const page = PAGES[url];
      if (page === undefined) return void response.writeHead(404, HTML).end();
      response.writeHead(200, HTML).end(Buffer.from(page.replace("CDN", cdn.origin), "latin1"));
    });
    server = await serve(`${dir.path}/served`);
    const args = ["--delay", "0", "--store", "warc", "--assets", ...server.remote];
    crawled = await crawl(dir.path, `${site.origin}/`, ...args);
    id = crawled.summary.id;
    browser = await chromium.launch({ executablePath: BROWSER, args: ["--no-sandbox"] });
    window = await (await browser.newContext()).newPage();
    window.setDefaultTimeout(120_000);
    window.on("request", (request) => {
      if (!request.url().startsWith(`${server.address}/`)) external.push(request.url());
    });
    await window.goto(replayed("/"));
    await window.fill("#token", server.token);
    await loadBy(window, () => window.click("main button"));
    expect(new URL(window.url()).pathname).toMatch(/^\/replay\//);
  });

  afterAll(async () => {
    await browser?.close();
    await Promise.all([server?.close(), site?.close(), cdn?.close()]);
    dir.remove();
  });

  const replayed = (path: string) => `${server.address}/replay/${id}/${site.origin}${path}`;
  const shownPath = () => window.url().slice(window.url().indexOf(site.origin) + site.origin.length);

  /** Clicks a link of the home page. Returns the path of the target and its heading. */
  async function follow(link: string): Promise<[string, string | null]> {
    await window.goto(replayed("/"));
    await loadBy(window, () => window.click(link));
    return [shownPath(), await window.locator("h1").first().textContent()];
  }

  test("links lead from page to page with queries and fragments, and the site gets no request", async () => {
    site.log.length = 0;
    await window.goto(replayed("/"));
    expect(await window.locator("h1").textContent()).toBe("Straße");
    expect(await follow("#query")).toEqual(["/two?x=1&y=%2F&utm_source=z#part", "Two"]);
    expect(await window.evaluate(() => [self.origin, scrollY > 0])).toEqual(["null", true]);
    await loadBy(window, () => window.click("#back"));
    expect(shownPath()).toBe("/");
    expect(await window.locator("h1").textContent()).toBe("Straße");
    expect(await follow("#moved")).toEqual(["/two?x=1&y=%2F", "Two"]);
    expect(await follow("#send")).toEqual(["/two?x=1&y=%2F", "Two"]);
    // Its record is a revisit that refers to another page with the same content.
    expect(await follow("#copy")).toEqual(["/copy", "Framed"]);
    expect([site.log.length, external]).toEqual([0, []]);
  });

  test("a page shows its images and styles, also of another host, and runs no script", async () => {
    site.log.length = cdn.log.length = 0;
    const loaded = new Map<string, number>();
    const note = (response: Response) => void loaded.set(response.url().split("/").at(-1) ?? "", response.status());
    window.on("response", note);
    await window.goto(replayed("/shown"), { waitUntil: "networkidle" });
    const looks = await window.evaluate(() => {
      const image = (id: string) => {
        const { naturalWidth, naturalHeight } = document.getElementById(id) as HTMLImageElement;
        return [naturalWidth, naturalHeight];
      };
      const style = (id: string) => getComputedStyle(document.getElementById(id) as HTMLElement);
      return { own: image("own"), far: image("far"), back: style("back").width, imported: style("import").color };
    });
    expect(looks).toEqual({ own: [3, 2], far: [3, 2], back: "3px", imported: "rgb(255, 0, 0)" });
    expect([await window.title(), await window.evaluate(() => self.origin)]).toEqual(["Shown", "null"]);
    // Only its script is not requested.
    window.off("response", note);
    const names = ["shown", "style.css", "more.css", "dot.png", "far", "back", "more", "inline"];
    expect(Object.fromEntries([...loaded].map(([url, status]) => [url.split("?").at(-1), status]))).toEqual(
      Object.fromEntries(names.map((name) => [name, 200])),
    );
    expect([site.log.length, cdn.log.length, external]).toEqual([0, 0, []]);
  });

  test("a page of a time keeps it in its links, images, styles, frames and redirects", async () => {
    const year = new Date().getUTCFullYear();
    const dated = (path: string) => `${server.address}/replay/${id}/${year}/${site.origin}${path}`;
    const asked: string[] = [];
    const note = (response: Response) => void asked.push(response.url());
    window.on("response", note);
    await window.goto(dated("/shown"), { waitUntil: "networkidle" });
    window.off("response", note);
    expect(await window.evaluate(() => (document.getElementById("own") as HTMLImageElement).naturalWidth)).toBe(3);
    expect(await window.locator("#import").evaluate((p) => getComputedStyle(p).color)).toBe("rgb(255, 0, 0)");
    expect(asked.length).toBeGreaterThan(5);
    expect(asked.filter((url) => !url.includes(`/${year}/http`))).toEqual([]);
    await window.goto(dated("/"));
    for (const [link, path] of [
      ["#moved", "/two?x=1&y=%2F"],
      ["#back", "/"],
      ["#send", "/two?x=1&y=%2F"],
    ] as const) {
      await loadBy(window, () => window.click(link));
      expect(window.url().endsWith(`/${year}/${site.origin}${path}`)).toBe(true);
    }
    await window.goto(dated("/frames"));
    expect(await window.frameLocator("iframe").locator("h1").textContent()).toBe("Framed");
    expect(window.frames()[1]?.url()).toContain(`/${year}/${site.origin}/framed`);
    await window.goto(`${server.address}/replay/${id}/202613/${site.origin}/`);
    expect(await window.locator("main").textContent()).toContain("202613 is not a time");
    await loadBy(window, () => window.click("text=The newest version"));
    expect(shownPath()).toBe("/");
    expect(await window.locator("h1").textContent()).toBe("Straße");
  });

  test("frames show their pages, and their links can leave the frame", async () => {
    await window.goto(replayed("/"));
    await loadBy(window, () => window.click("#frames"));
    const frame = window.frameLocator("iframe");
    expect(await frame.locator("h1").textContent()).toBe("Framed");
    await loadBy(window, () => frame.locator("#top").click());
    expect(shownPath()).toBe("/");
  });

  test("a meta refresh becomes a link", async () => {
    await window.goto(replayed("/refresh"));
    await loadBy(window, () => window.click("text=another one"));
    expect(window.url()).toContain("two");
    expect(await window.locator("h1").textContent()).toBe("Two");
  });

  test("a page that is not stored says so and links to its record", async () => {
    expect(await follow("#gone")).toEqual(["/gone", "Not in this mirror"]);
    expect(await window.locator("main").textContent()).toContain("404");
    expect(await window.getAttribute("text=live web", "href")).toBe(`${site.origin}/gone`);
    await loadBy(window, () => window.click("text=Its record"));
    expect(window.url()).toContain("/crawls/");
    expect(await window.locator("article h2").first().textContent()).toContain("/gone");
  });

  test("assets have records and files, and do not count towards the page limit", async () => {
    const { summary, records } = crawled;
    const assets = records.filter(({ asset }) => asset);
    expect([summary.assets, assets.length]).toEqual([ASSETS, ASSETS]);
    expect(summary.completed).toBe(records.filter(({ status }) => status === "completed").length);
    for (const { file, sha256 } of assets)
      expect(
        createHash("sha256")
          .update(readFileSync(join(dir.path, "out", file ?? "")))
          .digest("hex"),
      ).toBe(sha256);
    const limited = await crawl(
      `${dir.path}/limited`,
      `${site.origin}/shown`,
      "--limit",
      "1",
      "--assets",
      "--delay",
      "0",
      ...server.remote,
    );
    expect(limited.summary).toMatchObject({ status: "completed", completed: 1 + ASSETS, assets: ASSETS });
  });

  test("a WACZ contains assets, lists only pages, and shows images in ReplayWeb.page", async () => {
    const headers = { authorization: `Bearer ${server.token}` };
    const exported = (format: string) =>
      fetch(`${server.address}/api/crawls/${id}/export?format=${format}`, { headers });
    const wacz = new Uint8Array(await (await exported("wacz")).arrayBuffer());
    const pages = new TextDecoder().decode(unzipSync(wacz)["pages/pages.jsonl"]).trim().split("\n").slice(1);
    const stored = crawled.records
      .filter(({ asset, status }) => !asset && status === "completed")
      .map(({ url }) => url);
    expect(pages.map((line) => JSON.parse(line).url).sort()).toEqual(stored.sort());
    expect((await (await exported("sitemap")).text()).match(/<loc>/g)?.length).toBe(stored.length);
    const player = await startPlayer({ "site.wacz": wacz });
    site.log.length = cdn.log.length = 0;
    try {
      const { context, frame } = await player.open(browser, "site.wacz", `${site.origin}/shown`);
      for (const image of ["#own", "#far"])
        await expect.poll(() => frame.locator(image).evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(3);
      const color = () => frame.locator("#import").evaluate((p) => getComputedStyle(p).color);
      await expect.poll(color).toBe("rgb(255, 0, 0)");
      await context.close();
    } finally {
      await player.close();
    }
    expect([site.log.length, cdn.log.length]).toEqual([0, 0]);
  });

  test("the record of a page links to its replay", async () => {
    await window.goto(
      `${server.address}/crawls/${id}/record?${new URLSearchParams({ url: `${site.origin}/`, tab: "page" })}`,
    );
    // Playwright loses a click that leads from a page with a sandboxed frame into a sandboxed page; Chromium does not.
    await window.goto(server.address + (await window.getAttribute("text=replay it", "href")));
    expect(await window.locator("h1").textContent()).toBe("Straße");
  });

  test("the record of a page lists its versions, with links to their replays", async () => {
    await window.goto(`${server.address}/crawls/${id}/record?${new URLSearchParams({ url: `${site.origin}/` })}`);
    const row = window.locator('section[aria-label="Versions of this URL"] tbody tr');
    expect(await row.textContent()).toMatch(/This crawl200.*First/);
    await window.goto(server.address + (await row.locator("a").getAttribute("href")));
    expect(window.url()).toMatch(/\/\d{14}\/http/);
    expect(await window.locator("h1").textContent()).toBe("Straße");
  });
});
