import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseHTML } from "linkedom";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, startHandmadeSite } from "../sites/handmade-site.ts";
import type { Site } from "../sites/site.ts";
import { allowPrivateHosts } from "./allow-private.ts";
import { findBrowser } from "./browser.ts";
import { type OutRecord, readRecords, run, type Served, scratch, serve } from "./cli.ts";
import { loadBy } from "./load-by.ts";

allowPrivateHosts();

/** `--browsable` and `export --format folder`: a folder that opens offline, as `wget -mkEp` makes it. */

const BROWSER = findBrowser("a folder in a browser");
const FONT = join(
  import.meta.dirname,
  "../../node_modules/@fortawesome/fontawesome-free/webfonts/fa-regular-400.woff2",
);
/** 3 by 2 pixels. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR4nGP4z8AAQQxwFgBB0gX7h/C5SAAAAABJRU5ErkJggg==",
  "base64",
);
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="7" height="5"><rect width="7" height="5"/></svg>';

const html = (body: string): Answer => ({ headers: { "content-type": "text/html; charset=utf-8" }, body });
const css = (body: string): Answer => ({ headers: { "content-type": "text/css" }, body });
const of = (type: string, body: string | Uint8Array): Answer => ({ headers: { "content-type": type }, body });

/** CDN is another host's origin. */
const PAGES = (cdn: string): Record<string, Answer> => ({
  "/": html(`<!doctype html><title>Home</title>
    <link rel=stylesheet href="/style.css?v=1" integrity="sha256-never" crossorigin><link rel=icon href=favicon.ico>
    <h1>Home</h1><p id=imported>imported</p><p id=styled style="background: url('dot.png?inline')">styled</p>
    <i id=font>x</i><img id=plain src=dot.png srcset="dot.png?2 2x, Logo.PNG 3x"><img id=svg src=picture><img id=far src="${cdn}/far.png">
    <picture><source srcset="dot.png?a 1x, dot.png?b 2x"><img id=source src=dot.png?c></picture>
    <a id=intro href="docs/intro#part">intro</a> <a id=query href="list?page=2&amp;utm_source=x">list</a>
    <a id=case href=/Docs/Case>case</a> <a id=php href=/page.php?id=1>php</a> <a id=moved href=/old>moved</a>
    <a id=latin href=/latin>latin</a> <a id=chinese href="/你好">chinese</a> <a id=based href=/based>based</a>
    <a id=text href=/readme>text</a> <a id=refresh href=/refresh>refresh</a>
    <a id=missing href=/missing>missing</a> <a href=#imported>here</a> <a href="mailto:a@b.test">mail</a>
    <script src=/app.js?1></script>`),
  "/docs/intro": html(
    '<title>Intro</title><h1>Intro</h1><p style="height:3000px"></p><h2 id=part>Part</h2><a id=home href="..">home</a>',
  ),
  "/list?page=2": html("<title>List</title><h1>List</h1><a id=home href=/>home</a><a href='?page=3'>next</a>"),
  "/list?page=3": html("<title>List 3</title><h1>List 3</h1><a href='?page=2'>back</a>"),
  "/Docs/Case": html("<title>Case</title><h1>Case</h1><a id=home href=../>home</a>"),
  "/page.php?id=1": html("<title>PHP</title><h1>PHP</h1><a id=home href=/>home</a>"),
  "/old": { status: 301, headers: { location: "/older" } },
  "/older": { status: 302, headers: { location: "/docs/intro" } },
  "/latin": of(
    "text/html",
    Buffer.from(
      "<meta charset=windows-1252><title>Latin</title><h1>Stra\xdfe</h1><a id=home href=/>home</a>",
      "latin1",
    ),
  ),
  "/%E4%BD%A0%E5%A5%BD": html("<title>Chinese</title><h1>你好</h1><a id=home href=/>home</a>"),
  "/based": html(
    "<base href=/docs/ target=_self><title>Based</title><h1>Based</h1><a id=home href=../>home</a><a href=intro>intro</a>",
  ),
  "/readme": of("text/plain", "a plain text"),
  "/refresh": html("<title>Refresh</title><meta http-equiv=refresh content='0; url=/list?page=2'>"),
  "/style.css?v=1": css(
    `@import "css/more"; @font-face { font-family: F; src: url(fonts/f.woff2?x) } #font { font-family: F }
    h1 { color: rgb(1, 2, 3); background: url(dot.png?style) }`,
  ),
  "/css/more": css("#imported { color: rgb(4, 5, 6); background: url('../dot.png?more') }"),
  "/fonts/f.woff2?x": of("font/woff2", readFileSync(FONT)),
  "/picture": of("image/svg+xml", SVG),
  "/Logo.PNG": of("image/png", PNG),
  "/favicon.ico": of("image/x-icon", PNG),
  "/app.js?1": of("text/javascript", "document.documentElement.dataset.ran = 'yes'"),
  ...Object.fromEntries(
    ["", "?2", "?a", "?b", "?c", "?inline", "?style", "?more"].map((query) => [
      `/dot.png${query}`,
      of("image/png", PNG),
    ]),
  ),
});

const dir = scratch();
const sites: Site[] = [];
let origin = "";
let served: Served;
/** The folder of `crawl --browsable` on this machine, and the one of `export --format folder` from a server. */
const folders = { crawl: join(dir.path, "crawl"), export: join(dir.path, "export") };
let printed = "";

beforeAll(async () => {
  const cdn = await startHandmadeSite({ "/far.png": of("image/png", PNG) }, { host: "127.0.0.2" });
  const site = await startHandmadeSite(PAGES(cdn.origin));
  sites.push(cdn, site);
  ({ origin } = site);
  served = await serve(join(dir.path, "served"));
  const crawl = ["crawl", `${origin}/`, "--delay", "0", "--concurrency", "8"];
  const local = await run(...crawl, "--browsable", "--out", folders.crawl, "--state", join(dir.path, "state"));
  expect([local.code, local.stderr]).toEqual([0, expect.not.stringContaining("cannot be rewritten")]);
  printed = local.stdout;
  const remote = await run(...crawl, "--assets", "--json", ...served.remote);
  const { id } = JSON.parse(remote.stdout) as { id: string };
  const exported = await run("export", id, "--format", "folder", "--out", folders.export, ...served.remote);
  expect(exported.code).toBe(0);
  // From here on, nothing can be loaded from the sites.
  for (const each of sites) await each.close();
});

afterAll(async () => {
  await served?.close();
  for (const each of sites) await each.close();
  dir.remove();
});

/** The links of a file: what a browser would load or follow. A second parser than ours finds them. */
function linksOf(file: string): string[] {
  const text = readFileSync(file, "utf8").replace(/^\ufeff/, "");
  const inCss = (style: string) =>
    [...style.matchAll(/url\((["']?)(.*?)\1\)|@import (["'])(.*?)\3/g)].map(([, , url, , name]) => url ?? name ?? "");
  if (file.endsWith(".css")) return inCss(text);
  if (!/\.x?html?$/.test(file)) return [];
  const { document } = parseHTML(text);
  const values = (name: string) =>
    [...document.querySelectorAll(`[${name}]`)].map((element) => element.getAttribute(name) ?? "");
  return [
    ...["href", "src", "poster", "action", "data", "background"].flatMap(values),
    ...values("srcset").flatMap((set) => set.split(",").map((each) => each.trim().split(" ")[0] ?? "")),
    ...values("style").flatMap(inCss),
    ...[...document.querySelectorAll("style")].flatMap((style) => inCss(style.textContent ?? "")),
    ...values("content").flatMap((content) => /^\d+; *url=(.*)$/.exec(content)?.[1] ?? []),
  ];
}

describe.each(["crawl", "export"] as const)("by `%s`", (command) => {
  const out = folders[command];
  const byPath = () =>
    new Map(readRecords(out).map((record): [string, OutRecord] => [record.url.replace(origin, ""), record]));
  const fileOf = (path: string) => join(out, byPath().get(path)?.file ?? "no such file");

  test("every link of every file leads to a file, or to what the crawl does not have", () => {
    const files = readdirSync(join(out, "pages"), { recursive: true, encoding: "utf8" })
      .map((name) => join(out, "pages", name))
      .filter((path) => statSync(path).isFile());
    const written = readRecords(out).flatMap(({ file }) => (file === null ? [] : join(out, file)));
    expect(files.sort()).toEqual(written.sort());
    const elsewhere: string[] = [];
    let followed = 0;
    for (const file of files)
      for (const link of linksOf(file)) {
        if (/^(?:https?|mailto):/.test(link)) elsewhere.push(link);
        else {
          const url = new URL(link, pathToFileURL(file));
          expect(existsSync(fileURLToPath(url)), `${link} in ${file}`).toBe(true);
          followed += 1;
        }
      }
    expect(elsewhere.sort()).toEqual([`${origin}/missing`, "mailto:a@b.test"]);
    expect(followed).toBe(38);
  });

  test("files have the extensions that browsers need, and records say where they are", () => {
    const host = new URL(origin).host.replace(":", "~");
    const expected: Record<string, string> = {
      "/": "index.html",
      "/docs/intro": "docs/intro~.html",
      "/list?page=2": "list~page=2.html",
      "/page.php?id=1": "page.php~id=1.html",
      "/readme": "readme~~.txt",
      "/style.css?v=1": "style~v=1.css",
      "/css/more": "css/more~~.css",
      "/fonts/f.woff2?x": "fonts/f~x.woff2",
      "/picture": "picture~~.svg",
      "/dot.png?2": "dot~2.png",
      "/app.js?1": "app~1.js",
    };
    for (const [path, file] of Object.entries(expected)) expect(byPath().get(path)?.file).toBe(`pages/${host}/${file}`);
    expect(byPath().get("/Logo.PNG")?.file).toMatch(/\/Logo~~\w{14}\.png$/);
    expect(byPath().get("/missing")?.file).toBeNull();
  });

  test("a picture and a font keep their bytes", () => {
    expect(readFileSync(fileOf("/Logo.PNG"))).toEqual(PNG);
    expect(readFileSync(fileOf("/fonts/f.woff2?x"))).toEqual(readFileSync(FONT));
  });

  test.skipIf(BROWSER === undefined)("a browser opens it offline, with its styles, images and links", async () => {
    const browser = await chromium.launch({ executablePath: BROWSER, args: ["--no-sandbox"] });
    try {
      const window = await (await browser.newContext()).newPage();
      window.setDefaultTimeout(120_000);
      const failed: string[] = [];
      const outside: string[] = [];
      window.on("request", (request) => {
        if (!request.url().startsWith("file:")) outside.push(request.url());
      });
      window.on("requestfailed", (request) => failed.push(request.url()));
      const home = pathToFileURL(fileOf("/")).href;
      await window.goto(home);
      const look = (id: string, name: string) =>
        window.locator(id).evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), name);
      expect(await look("h1", "color")).toBe("rgb(1, 2, 3)");
      expect(await look("#imported", "color")).toBe("rgb(4, 5, 6)");
      for (const [image, width] of Object.entries({ "#plain": 3, "#svg": 7, "#far": 3, "#source": 3 }))
        expect(await window.locator(image).evaluate((img: HTMLImageElement) => img.naturalWidth), image).toBe(width);
      await window.evaluate(() => document.fonts.load("16px F"));
      expect(await window.evaluate(() => [...document.fonts].map(({ status }) => status))).toEqual(["loaded"]);
      expect(await window.evaluate(() => document.documentElement.dataset.ran)).toBe("yes");
      for (const [link, heading] of Object.entries({
        "#query": "List",
        "#case": "Case",
        "#php": "PHP",
        "#moved": "Intro",
        "#latin": "Straße",
        "#chinese": "你好",
        "#based": "Based",
        "#intro": "Intro",
      })) {
        await loadBy(window, () => window.click(link));
        expect(await window.locator("h1").textContent(), link).toBe(heading);
        if (link === "#intro") await expect.poll(() => window.evaluate(() => scrollY)).toBeGreaterThan(0);
        await loadBy(window, () => window.click("#home"));
        expect(window.url()).toBe(home);
      }
      await loadBy(window, () => window.click("#text"));
      expect(await window.locator("body").textContent()).toContain("a plain text");
      await window.goto(home);
      await window.click("#refresh");
      await window.waitForURL((url) => url.href.endsWith("list~page=2.html"));
      expect([failed, outside]).toEqual([[], []]);
    } finally {
      await browser.close();
    }
  });
});

test("the command says where to begin, and --browsable without --out is refused", async () => {
  expect(printed).toContain(` and records.jsonl to ${folders.crawl}. Open ${folders.crawl}/pages/`);
  const { code, stderr } = await run("crawl", `${origin}/`, "--browsable", ...served.remote);
  expect([code, stderr]).toEqual([2, "--browsable needs a folder: --out DIR.\n"]);
});
