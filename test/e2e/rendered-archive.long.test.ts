import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { unzipSync } from "fflate";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROUTES, startScriptSite, wordsOf } from "../sites/script-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { findBrowser } from "./browser.ts";
import { crawl, type OutRecord, run } from "./cli.ts";
import { startPlayer } from "./player.ts";
import { shareServer } from "./served-sites.ts";

/**
 * What is kept of pages that scripts draw: what the scripts asked for, so that a player shows them alive, and pictures.
 */

const BROWSER = findBrowser("that ReplayWeb.page draws a rendered page");
const shared = shareServer();
const SECRETS = ["--header", "Authorization: Bearer secret-header", "--header", "Cookie: own=secret-cookie"];

describe.skipIf(BROWSER === undefined)("the archive of rendered pages", () => {
  let site: Site;
  let browser: Browser;
  let wacz: Buffer;
  let warc: string;

  beforeAll(async () => {
    site = await startScriptSite();
    shared.sites.push(site);
    const folder = join(shared.dir.path, "archive");
    const args = ["--render", "always", "--store", "warc", "--delay", "0", "--source", "links", ...SECRETS];
    const { summary } = await crawl(folder, `${site.origin}/`, ...args, ...shared.served.remote);
    expect(summary).toMatchObject({ completed: ROUTES.length, errored: 0 });
    const file = join(folder, "site.wacz");
    expect((await run("export", summary.id, "--format", "wacz", "--out", file, ...shared.served.remote)).code).toBe(0);
    wacz = readFileSync(file);
    warc = gunzipSync(unzipSync(wacz)["archive/data.warc.gz"] ?? "").toString();
    const offline = ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"];
    browser = await chromium.launch({ executablePath: BROWSER ?? "", args: offline });
  });

  afterAll(() => browser?.close());

  test("has what the pages asked for, once, without cookies and the crawl's own headers", () => {
    const count = (type: string, path: string) =>
      warc.split("WARC/1.1\r\n").filter((record) => {
        const head = record.slice(0, record.indexOf("\r\n\r\n"));
        return head.includes(`WARC-Type: ${type}\r\n`) && head.includes(`WARC-Target-URI: ${site.origin}${path}\r\n`);
      }).length;
    for (const path of ["/app.js", ...ROUTES.map((route) => `/api${route}`)])
      for (const type of ["response", "request", "metadata"])
        expect([path, type, count(type, path)]).toEqual([path, type, 1]);
    expect(site.counts().get("/app.js")).toBe(1);
    expect(warc).not.toContain("secret-");
  });

  test("is played alive by ReplayWeb.page", async () => {
    const player = await startPlayer({ "site.wacz": wacz });
    try {
      const { context, frame } = await player.open(browser, "site.wacz", `${site.origin}/about`);
      await expect.poll(() => frame.locator("#root").textContent()).toContain(wordsOf("/about"));
      await context.close();
    } finally {
      await player.close();
    }
  });
});

const SHELL =
  "<!doctype html><title>Shop</title><link rel=stylesheet href=/style.css><div id=root></div><script src=/app.js></script>";
const FILES: Record<string, [type: string, body: string]> = {
  "/": ["text/html", SHELL],
  "/style.css": ["text/css", "body { margin: 0 } p { height: 3000px }"],
  "/app.js": [
    "text/javascript",
    "document.getElementById('root').innerHTML = '<img src=/red.svg><p>Words that only a script writes, for everyone who looks.'",
  ],
  "/red.svg": [
    "image/svg+xml",
    '<svg xmlns="http://www.w3.org/2000/svg" width="1280" height="400"><rect width="1280" height="400" fill="#f00"/></svg>',
  ],
};

describe.skipIf(BROWSER === undefined)("the picture of a rendered page", () => {
  let site: Site;
  let id: string;
  let record: OutRecord & { screenshotFile?: string };
  const folder = join(shared.dir.path, "pictures");
  const ask = (path: string) =>
    fetch(shared.served.address + path, { headers: { authorization: `Bearer ${shared.served.token}` } });
  const query = () => new URLSearchParams({ url: `${site.origin}/` });

  beforeAll(async () => {
    site = await startSite((request, response) => {
      const [type, body] = FILES[request.url ?? ""] ?? ["text/html", ""];
      response.writeHead(body === "" ? 404 : 200, { "content-type": type }).end(body);
    });
    shared.sites.push(site);
    const args = ["--render", "always", "--screenshot", "--store", "files", "--delay", "0", "--source", "links"];
    const { summary, byUrl } = await crawl(folder, `${site.origin}/`, ...args, ...shared.served.remote);
    expect(summary).toMatchObject({ completed: 1, errored: 0 });
    id = summary.id;
    record = byUrl.get(`${site.origin}/`) ?? ({} as OutRecord);
  });

  test("shows its images, and is in the folder and the answer of the API", async () => {
    const file = readFileSync(join(folder, "out", record.screenshotFile ?? ""));
    expect(record.screenshotFile).toMatch(/^screenshots\/.*\.jpg$/);
    const answer = await ask(`/api/crawls/${id}/screenshot?${query()}`);
    expect([answer.headers.get("content-type"), answer.headers.get("x-content-type-options")]).toEqual([
      "image/jpeg",
      "nosniff",
    ]);
    expect(Buffer.from(await answer.arrayBuffer()).equals(file)).toBe(true);
    const browser = await chromium.launch({ executablePath: BROWSER ?? "", args: ["--no-sandbox"] });
    try {
      const page = await browser.newPage();
      const source = `data:image/jpeg;base64,${file.toString("base64")}`;
      const seen = await page.evaluate(async (src) => {
        const image = Object.assign(new Image(), { src });
        await image.decode();
        const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
        const context = canvas.getContext("2d");
        context?.drawImage(image, 0, 0);
        return { size: [image.width, image.height], pixel: [...(context?.getImageData(600, 200, 1, 1).data ?? [])] };
      }, source);
      // Longer than the viewport.
      expect(seen.size[0]).toBe(1_280);
      expect(seen.size[1]).toBeGreaterThan(3_400);
      const [red = 0, green = 255, blue = 255] = seen.pixel;
      expect([red > 240, green < 20, blue < 20]).toEqual([true, true, true]);
    } finally {
      await browser.close();
    }
  });

  test("stands beside the page as it was drawn in the replay, and the answer as it came", async () => {
    const replay = await (await ask(`/replay/${id}/${site.origin}/`)).text();
    expect(replay).toContain("Words that only a script writes");
    expect(await (await ask(`/api/crawls/${id}/page?${query()}`)).text()).toBe(SHELL);
    expect(await (await ask(`/api/crawls/${id}/page?${query()}&format=drawn`)).text()).toContain("Words that only");
  });
});
