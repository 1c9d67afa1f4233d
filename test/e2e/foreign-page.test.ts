import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { page } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { findBrowser } from "./browser.ts";
import { crawl, type Served, scratch, serve } from "./cli.ts";

/**
 * Somebody else's page, as we serve it, cannot run in our origin. Asked of a real browser, and each trick twice: on its own site it has to work,
 * or it proves nothing.
 */

const BROWSER = findBrowser("what a stored page can do in one");

interface Trick {
  /** `url`: of what is asked for when the trick works. */
  html(url: string): string;
  contentType?: string;
  /** Whether it takes somebody's click on `#go`. */
  click?: true;
}

const TRICKS: Record<string, Trick> = {
  "inline-script": { html: (url) => `<script>fetch("${url}")</script>` },
  "module-script": { html: (url) => `<script type=module>fetch("${url}")</script>` },
  "outer-script": { html: (url) => `<script src="${url}"></script>` },
  "event-handler": { html: (url) => `<img src="data:,x" onerror="fetch('${url}')">` },
  "body-handler": { html: (url) => `<body onload="fetch('${url}')">` },
  "svg-handler": { html: (url) => `<svg onload="fetch('${url}')"></svg>` },
  "xhtml-script": {
    html: (url) =>
      `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body><script>fetch("${url}")</script></body></html>`,
    contentType: "application/xhtml+xml",
  },
  "meta-refresh": { html: (url) => `<meta http-equiv=refresh content="0;url=${url}">` },
  "form-by-script": { html: (url) => `<form action="${url}"></form><script>document.forms[0].submit()</script>` },
  "form-by-click": { html: (url) => `<form action="${url}"><button id=go>go</button></form>`, click: true },
  "form-button": {
    html: (url) => `<form><button id=go formaction="${url}" formmethod=post>go</button></form>`,
    click: true,
  },
  "javascript-link": { html: (url) => `<a id=go href="javascript:void fetch('${url}')">go</a>`, click: true },
  "new-window": { html: (url) => `<a id=go target=_blank href="${url}">go</a>`, click: true },
  "srcdoc-script": { html: (url) => `<iframe srcdoc="<script>fetch('${url}')</script>"></iframe>` },
  frame: { html: (url) => `<iframe src="${url}"></iframe>` },
  object: { html: (url) => `<object data="${url}"></object>` },
  image: { html: (url) => `<img src="${url}">` },
  "image-of-base": {
    html: (url) =>
      `<base href="${url.slice(0, url.lastIndexOf("/") + 1)}"><img src="${url.slice(url.lastIndexOf("/") + 1)}">`,
  },
  stylesheet: { html: (url) => `<link rel=stylesheet href="${url}">` },
  "style-background": { html: (url) => `<p style="background:url(${url})">text</p>` },
  "style-in-head": { html: (url) => `<style>body { background: url(${url}) }</style><p>text</p>` },
  "style-import": { html: (url) => `<style>@import url(${url});</style><p>text</p>` },
  "style-font": {
    html: (url) => `<style>@font-face { font-family: f; src: url(${url}) } p { font-family: f }</style><p>text</p>`,
  },
  "loosened-policy": {
    html: (url) =>
      `<meta http-equiv=content-security-policy content="default-src * 'unsafe-inline'"><script>fetch("${url}")</script>`,
  },
};
const NAMES = Object.keys(TRICKS);

const dir = scratch();
let site: Site;
let framer: Site;
let server: Served;
let browser: Browser;
let id: string;

beforeAll(async () => {
  if (BROWSER === undefined) return;
  site = await startSite(({ url = "/" }, response) => {
    const [, kind, name = ""] = url.split(/[/?]/);
    const trick = TRICKS[name];
    const html = { "content-type": "text/html; charset=utf-8", "set-cookie": "theirs=1" };
    if (kind === "trick" && trick !== undefined) {
      const headers = { ...html, ...(trick.contentType ? { "content-type": trick.contentType } : {}) };
      return void response.writeHead(200, headers).end(trick.html(`${site.origin}/worked/${name}`));
    }
    if (kind === "worked") return void response.writeHead(200, { "access-control-allow-origin": "*" }).end();
    if (kind === "text")
      return void response.writeHead(200, { "content-type": "text/plain" }).end("<script>1</script>");
    if (url !== "/") return void response.writeHead(404).end();
    response.writeHead(200, html).end(page("home", ...NAMES.map((trick) => `/trick/${trick}`), "/text"));
  });
  framer = await startSite(
    ({ url = "" }, response) => {
      const target = new URL(url, "http://x/").searchParams.get("frame") ?? "";
      response
        .writeHead(200, { "content-type": "text/html" })
        .end(`<iframe src="${target.replaceAll("&", "&amp;")}"></iframe>`);
    },
    { host: "127.0.0.2" },
  );
  server = await serve(`${dir.path}/served`);
  const { summary } = await crawl(dir.path, `${site.origin}/`, "--delay", "0", "--depth", "1", ...server.remote);
  id = summary.id;
  browser = await chromium.launch({ executablePath: BROWSER, args: ["--no-sandbox"] });
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([server?.close(), site?.close(), framer?.close()]);
  dir.remove();
});

const stored = (path: string) =>
  `${server.address}/api/crawls/${id}/page?url=${encodeURIComponent(site.origin + path)}`;

const replayed = (path: string) => `${server.address}/replay/${id}/${site.origin}${path}`;

/** Windows that may ask the API: the token goes there alone. */
async function withWindows<T>(work: (open: () => Promise<Page>) => Promise<T>): Promise<T> {
  const context = await browser.newContext();
  await context.route(`${server.address}/**`, (route) =>
    route.continue({ headers: { ...route.request().headers(), authorization: `Bearer ${server.token}` } }),
  );
  try {
    return await work(() => context.newPage());
  } finally {
    await context.close();
  }
}

async function withWindow<T>(work: (window: Page) => Promise<T>): Promise<T> {
  return withWindows(async (open) => work(await open()));
}

const hasWorked = (name: string) => site.log.some(({ path }) => path.split("?", 1)[0] === `/worked/${name}`);

/**
 * Opens each trick in a window of its own, clicks where it wants a click, and goes on to the next when `settled`; for a window that is not in
 * front draws nothing, and cannot be clicked. Resolves when all is quiet in all of them.
 */
async function openAll(urlOf: (path: string) => string, settled: (name: string) => Promise<void>): Promise<void> {
  site.log.length = 0;
  await withWindows(async (open) => {
    const windows: Page[] = [];
    for (const [name, { click }] of Object.entries(TRICKS)) {
      const window = await open();
      windows.push(window);
      const response = await window.goto(urlOf(`/trick/${name}`), { waitUntil: "commit" });
      expect(response?.status(), name).toBe(200);
      if (click) await window.click("#go", { noWaitAfter: true });
      await settled(name);
    }
    await Promise.all(windows.map((window) => window.waitForLoadState("networkidle")));
  });
}

describe.skipIf(BROWSER === undefined)("in a browser", () => {
  test("every trick works at home", async () => {
    await openAll(
      (path) => site.origin + path,
      async (name) => {
        while (!hasWorked(name)) await new Promise((resolve) => setTimeout(resolve, 10));
      },
    );
  });

  test("none works with us", async () => {
    await openAll(stored, () => Promise.resolve());
    expect(NAMES.filter(hasWorked)).toEqual([]);
  });

  test("none works in the replay, whose links lead to us", async () => {
    await openAll(replayed, () => Promise.resolve());
    expect(NAMES.filter(hasWorked)).toEqual([]);
  });

  test("what our origin keeps is out of reach", async () => {
    const read = () => {
      const attempt = (look: () => unknown) => {
        try {
          return look();
        } catch (error) {
          return (error as Error).name;
        }
      };
      return [self.origin, attempt(() => localStorage.getItem("ours")), attempt(() => document.cookie)];
    };
    await withWindow(async (window) => {
      await window.goto(`${server.address}/health`);
      await window.evaluate(() => {
        localStorage.setItem("ours", "secret");
        // biome-ignore lint/suspicious/noDocumentCookie: what a page of ours would have
        document.cookie = "ours=secret";
      });
      expect(await window.evaluate(read)).toEqual([server.address, "secret", "ours=secret"]);
      for (const foreign of [stored, replayed]) {
        await window.goto(foreign("/trick/inline-script"));
        expect(await window.evaluate(read)).toEqual(["null", "SecurityError", "SecurityError"]);
      }
    });
  });

  test("no cookie of theirs is passed on, and no type is guessed", async () => {
    await withWindow(async (window) => {
      for (const [path, type] of [
        ["/trick/frame", "text/html"],
        ["/trick/xhtml-script", "application/xhtml+xml"],
        ["/text", "text/plain"],
      ] as const) {
        const headers = (await (await window.goto(stored(path)))?.allHeaders()) ?? {};
        expect(headers["content-type"]).toContain(type);
        expect(headers["x-content-type-options"]).toBe("nosniff");
        expect(headers["set-cookie"]).toBeUndefined();
      }
      expect(await window.context().cookies()).toEqual([]);
    });
  });

  test("nobody else can put it into a frame", async () => {
    const framed = (url: string) =>
      withWindow(async (window) => {
        await window.goto(`${framer.origin}/?frame=${encodeURIComponent(url)}`);
        await window.waitForLoadState("networkidle");
        return window.frames()[1]?.locator("#go").count();
      });
    expect(await framed(`${site.origin}/trick/form-by-click`)).toBe(1);
    expect(await framed(stored("/trick/form-by-click"))).toBe(0);
  });
});
