import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { page } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { findBrowser } from "./browser.ts";
import { crawl, type Served, scratch, serve } from "./cli.ts";

/**
 * A foreign page that we serve cannot run in our origin. A browser tries each attack twice: on the page's own site it
 * must work, or the test would prove nothing.
 */

const BROWSER = findBrowser("that stored pages cannot run in our origin");

interface Attack {
  /** The attack requests `url` when it works. */
  html(url: string): string;
  contentType?: string;
  /** Whether the attack needs a click on `#go`. */
  click?: true;
}

const ATTACKS: Record<string, Attack> = {
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
  "xml-script": {
    html: (url) => `<note><script xmlns="http://www.w3.org/1999/xhtml">fetch("${url}")</script></note>`,
    contentType: "application/xml",
  },
  "xml-style": {
    html: (url) => `<?xml-stylesheet type="text/css" href="${url}"?><note>text</note>`,
    contentType: "text/xml",
  },
  "feed-script": {
    html: (url) =>
      `<rss version="2.0"><channel><title>x</title><script xmlns="http://www.w3.org/1999/xhtml">fetch("${url}")</script></channel></rss>`,
    contentType: "application/xml",
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
const NAMES = Object.keys(ATTACKS);

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
    const attack = ATTACKS[name];
    const html = { "content-type": "text/html; charset=utf-8", "set-cookie": "theirs=1" };
    if (kind === "attack" && attack !== undefined) {
      const headers = { ...html, ...(attack.contentType ? { "content-type": attack.contentType } : {}) };
      return void response.writeHead(200, headers).end(attack.html(`${site.origin}/worked/${name}`));
    }
    if (kind === "worked") return void response.writeHead(200, { "access-control-allow-origin": "*" }).end();
    if (kind === "text")
      return void response.writeHead(200, { "content-type": "text/plain" }).end("<script>1</script>");
    if (url !== "/") return void response.writeHead(404).end();
    response.writeHead(200, html).end(page("home", ...NAMES.map((name) => `/attack/${name}`), "/text"));
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

/** Opens windows whose requests to our server carry the token. */
async function withWindows<T>(work: (open: () => Promise<Page>) => Promise<T>): Promise<T> {
  const context = await browser.newContext();
  context.setDefaultTimeout(120_000);
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
 * Opens each attack in its own window, clicks if needed, and waits for `settled` before the next, because windows in
 * the background cannot be clicked. Resolves when the network of every window is idle.
 */
async function openAll(urlOf: (path: string) => string, settled: (name: string) => Promise<void>): Promise<void> {
  site.log.length = 0;
  await withWindows(async (open) => {
    const windows: Page[] = [];
    for (const [name, { click }] of Object.entries(ATTACKS)) {
      const window = await open();
      windows.push(window);
      const response = await window.goto(urlOf(`/attack/${name}`), { waitUntil: "commit" });
      expect(response?.status(), name).toBe(200);
      if (click) await window.click("#go", { noWaitAfter: true });
      await settled(name);
    }
    await Promise.all(windows.map((window) => window.waitForLoadState("networkidle")));
  });
}

describe.skipIf(BROWSER === undefined)("in a browser", () => {
  test("every attack works on its own site", async () => {
    await openAll(
      (path) => site.origin + path,
      async (name) => {
        while (!hasWorked(name)) await new Promise((resolve) => setTimeout(resolve, 10));
      },
    );
  });

  test("no attack works on a stored page", async () => {
    await openAll(stored, () => Promise.resolve());
    expect(NAMES.filter(hasWorked)).toEqual([]);
  });

  test("no attack works in the replay", async () => {
    await openAll(replayed, () => Promise.resolve());
    expect(NAMES.filter(hasWorked)).toEqual([]);
  });

  test("storage and cookies of our origin are out of reach", async () => {
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
        // biome-ignore lint/suspicious/noDocumentCookie: as a page of ours would set it
        document.cookie = "ours=secret";
      });
      expect(await window.evaluate(read)).toEqual([server.address, "secret", "ours=secret"]);
      for (const foreign of [stored, replayed]) {
        await window.goto(foreign("/attack/inline-script"));
        expect(await window.evaluate(read)).toEqual(["null", "SecurityError", "SecurityError"]);
      }
    });
  });

  test("cookies of the site are not passed on, and content types are not sniffed", async () => {
    await withWindow(async (window) => {
      for (const [path, type] of [
        ["/attack/frame", "text/html"],
        ["/attack/xhtml-script", "application/xhtml+xml"],
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

  test("other sites cannot frame a stored page", async () => {
    const framed = (url: string) =>
      withWindow(async (window) => {
        await window.goto(`${framer.origin}/?frame=${encodeURIComponent(url)}`);
        await window.waitForLoadState("networkidle");
        return window.frames()[1]?.locator("#go").count();
      });
    expect(await framed(`${site.origin}/attack/form-by-click`)).toBe(1);
    expect(await framed(stored("/attack/form-by-click"))).toBe(0);
  });
});
