import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { createGzip } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HTML, page } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { crawl, run, type Served, scratch, serve } from "./cli.ts";

/** A server with crawler traps and 200 honest pages, crawled with the default limits. */

const HONEST = Array.from({ length: 200 }, (_, i) => `/honest/${i}`);
/** Folders with the same page, which leads to a different page in each. */
const FOLDERS = Array.from({ length: 6 }, (_, i) => `/folder/${i}/`);
const REFRESH = '<title>folder</title><meta http-equiv="refresh" content="0; url=page.html">';
const MAX_TRAP_REQUESTS = 300;
const MIB = new Uint8Array(1_048_576).fill(0x20);
const dir = scratch();
let site: Site;
let served: Served;
let result: Awaited<ReturnType<typeof crawl>>;
let sessions = 0;
/**
 * Uncompressed bytes of the large page and of the bomb that the server produced before the client closed the
 * connection.
 */
const made = { large: 0, bomb: 0 };

const ENTRANCES = [
  "/calendar?month=2031-01",
  "/loop/a/b/",
  "/shelf/sid/start",
  "/mirror/x",
  "/deep/",
  "/large",
  "/drip",
  "/bomb",
  ...FOLDERS,
];

beforeAll(async () => {
  site = await startSite(async ({ url = "/" }, response) => {
    const html = (body: string) => void response.writeHead(200, HTML).end(body);
    const { pathname, searchParams } = new URL(url, "http://x");
    if (pathname === "/") return html(page("home", ...HONEST.slice(0, 20), ...ENTRANCES));
    if (pathname.startsWith("/honest/")) return html(honest(Number(pathname.slice(8))));
    if (pathname === "/calendar") return html(calendar(searchParams.get("month") ?? ""));
    // Relative links: each page links to itself one level deeper.
    if (pathname.startsWith("/loop/")) return html(page(`loop ${pathname.length}`, "a/b/", "./c/"));
    if (pathname.startsWith("/shelf/")) return html(shelf(pathname));
    if (pathname.startsWith("/mirror/"))
      return html(page("mirror", `x-${"abcdef"[pathname.length % 6]}`, `${"yz"[pathname.length % 2]}/x`));
    if (pathname.startsWith("/folder/")) return html(pathname.endsWith("/") ? REFRESH : page(pathname));
    if (pathname.startsWith("/deep/")) return html(page(`deep ${pathname.length}`, `s${pathname.length}/`));
    if (pathname === "/large") return pour(response.writeHead(200, HTML), 1_024, "large");
    if (pathname === "/drip") return drip(response.writeHead(200, HTML));
    if (pathname === "/bomb") {
      const gzip = createGzip();
      gzip.pipe(response.writeHead(200, { ...HTML, "content-encoding": "gzip" }));
      return pour(gzip, 10_240, "bomb");
    }
    response.writeHead(404, HTML).end("not here");
  });
  served = await serve(`${dir.path}/served`);
  result = await crawl(
    dir.path,
    `${site.origin}/`,
    "--delay",
    "0",
    "--concurrency",
    "6",
    "--timeout",
    "15",
    "--max-attempts",
    "1",
    ...served.remote,
  );
});

afterAll(async () => {
  await served.close();
  await site.close();
  dir.remove();
});

function honest(n: number): string {
  return page(`honest ${n}`, ...[n * 2, n * 3 + 1, n + 7].map((to) => `/honest/${to % HONEST.length}`));
}

function calendar(month: string): string {
  const at = new Date(`${month}-01T00:00:00Z`);
  at.setUTCMonth(at.getUTCMonth() + 1);
  return page(`calendar ${month}`, `/calendar?month=${at.toISOString().slice(0, 7)}`);
}

/** Every link gets a new session id. */
function shelf(path: string): string {
  const session = () => `/shelf/sid/${(++sessions).toString(16).padStart(4, "0")}deadbeef0123456789`;
  return page(`shelf ${path}`, `${session()}/books`, `${session()}/films`);
}

async function pour(to: ServerResponse | ReturnType<typeof createGzip>, mebibytes: number, name: keyof typeof made) {
  const closed = once(to, "close");
  for (let i = 0; i < mebibytes && !to.destroyed; i++) {
    made[name] += MIB.length;
    if (!to.write(MIB)) await Promise.race([once(to, "drain"), closed]);
  }
  to.end();
}

/** Sends a byte every 100 ms until the client closes the connection. */
function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(" "), 100);
  response.once("close", () => clearInterval(timer));
}

test("all honest pages are completed", () => {
  for (const path of HONEST) expect(result.byUrl.get(site.origin + path)?.status, path).toBe("completed");
  expect(result.summary.status).toBe("completed");
});

test("copies that do not lead to each other are no trap", () => {
  for (const folder of FOLDERS)
    expect(result.byUrl.get(`${site.origin}${folder}page.html`)?.status, folder).toBe("completed");
});

test(`the traps cost at most ${MAX_TRAP_REQUESTS} requests`, () => {
  const trapped = site.log.filter(({ path }) => path !== "/" && path !== "/robots.txt" && !path.startsWith("/honest/"));
  expect(trapped.length).toBeLessThanOrEqual(MAX_TRAP_REQUESTS);
});

test("every trap has its reason", async () => {
  const reason = (path: string) => result.byUrl.get(site.origin + path)?.reason;
  expect(reason("/large")).toBe("too-large");
  expect(reason("/drip")).toBe("timeout");
  expect(reason("/bomb")).toBe("too-large");
  const { stdout } = await run("status", result.summary.id, "--json", ...served.remote);
  const refused = (JSON.parse(stdout) as { refused: { reason: string }[] }).refused.map((entry) => entry.reason);
  expect(new Set(refused)).toEqual(
    new Set(["chain", "repeated-segments", "session-id", "duplicate-page", "path-depth"]),
  );
});

test("pages over the size limit are not read to their end", () => {
  expect(made.large).toBeLessThan(256 * MIB.length);
  // The client reads 10 MiB; the rest was in buffers, compressed by a factor of 1,000.
  expect(made.bomb).toBeLessThan(5_120 * MIB.length);
});
