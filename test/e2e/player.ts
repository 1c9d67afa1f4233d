import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, Frame } from "playwright-core";
import { type Site, startSite } from "../sites/site.ts";

/** The real ReplayWeb.page, on loopback, with archives to play. */

const PLAYER = join(import.meta.dirname, "../../node_modules/replaywebpage");
const TYPES: Record<string, string> = { html: "text/html", js: "text/javascript", wacz: "application/wacz" };

export interface Player {
  /**
   * Opens `url` of the named archive in a new context. Resolves with its frame once the frame has a heading and shows
   * `shown`, where a redirect may have led.
   */
  open(browser: Browser, name: string, url: string, shown?: string): Promise<{ context: BrowserContext; frame: Frame }>;
  close(): Promise<void>;
}

/** `archives` are keyed by file name, such as `small.wacz`. */
export async function startPlayer(archives: Record<string, Uint8Array>): Promise<Player> {
  const files = new Map(
    Object.entries(archives).map(([name, bytes]): [string, Buffer] => [`/${name}`, Buffer.from(bytes)]),
  );
  for (const name of ["index.html", "ui.js", "sw.js"]) files.set(`/${name}`, readFileSync(join(PLAYER, name)));
  files.set("/", files.get("/index.html") ?? Buffer.alloc(0));
  const site: Site = await startSite(({ url = "/", headers }, response) => {
    const path = url.split("?", 1)[0] ?? "/";
    const file = files.get(path);
    if (file === undefined) return void response.writeHead(404).end();
    const base = { "content-type": TYPES[path.split(".")[1] ?? "html"] ?? "", "accept-ranges": "bytes" };
    const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? "") ?? [];
    if (from === "" && to === "")
      return void response.writeHead(200, { ...base, "content-length": file.length }).end(file);
    const start = from === "" ? Math.max(0, file.length - Number(to)) : Number(from);
    const slice = file.subarray(start, from === "" || to === "" ? undefined : Number(to) + 1);
    response
      .writeHead(206, { ...base, "content-range": `bytes ${start}-${start + slice.length - 1}/${file.length}` })
      .end(slice);
  });
  return {
    async open(browser, name, url, shown = url) {
      const context = await browser.newContext();
      const window = await context.newPage();
      const fragment = new URLSearchParams({ view: "replay", url });
      await window.goto(`${site.origin}/?source=${encodeURIComponent(`${site.origin}/${name}`)}#${fragment}`);
      return { context, frame: await waitForFrame(() => window.frames(), shown) };
    },
    close: () => site.close(),
  };
}

async function waitForFrame(frames: () => Frame[], url: string): Promise<Frame> {
  for (let tries = 0; tries < 900; tries++) {
    const found = frames().find((frame) => frame.url().endsWith(`mp_/${url}`));
    if (found !== undefined && (await found.locator("h1").count()) > 0) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const last = await frames().at(-1)?.content();
  throw new Error(`no frame shows ${url}: ${frames().map((frame) => frame.url())}, the last with ${last}`);
}
