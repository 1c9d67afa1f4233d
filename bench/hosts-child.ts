/**
 * Many hosts on one port, in a process of their own: every address of 127.0.0.0/8 is one. many-hosts.ts starts it; it
 * ends when its parent disconnects. Arguments: pages of each host, links, bytes, and the hosts that never answer.
 */
import { generatedPage, pagePath } from "../test/sites/generated-site.ts";
import { startSite } from "../test/sites/site.ts";

/** What the hosts saw. Times are milliseconds since the Unix epoch. */
export interface HostsReport {
  /** Different pages that were served, and requests for pages. */
  pages: number;
  pageRequests: number;
  firstPageAt: number;
  lastPageAt: number;
  /** The shortest time between two requests to one host, from the end of one to the start of the next. */
  shortestRestMs: number;
  /** Times at which pages were served, for the rate in a window. */
  servedAt: number[];
}

const [pages = 0, links = 0, bytes = 0] = process.argv.slice(2, 5).map(Number);
const silent = new Set(process.argv.slice(5));
const size = { pages, links, bytes };
const bodies = new Map(Array.from({ length: pages }, (_, i) => [pagePath(i), generatedPage(i, size)]));

const served = new Set<string>();
const servedAt: number[] = [];
const idleSince = new Map<string, number>();
let pageRequests = 0;
let shortestRestMs = Number.POSITIVE_INFINITY;

const site = await startSite(
  (request, response) => {
    const host = new URL(`http://${request.headers.host}`).hostname;
    if (silent.has(host)) return;
    const now = Date.now();
    shortestRestMs = Math.min(shortestRestMs, now - (idleSince.get(host) ?? 0));
    const path = request.url ?? "";
    const page = bodies.get(path);
    if (page === undefined) response.writeHead(path === "/robots.txt" ? 200 : 404).end();
    else {
      // Two hosts never have the same page.
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(`${page}<!-- ${host} -->`);
      pageRequests += 1;
      if (!served.has(host + path)) servedAt.push(now);
      served.add(host + path);
    }
    idleSince.set(host, Date.now());
  },
  { host: "0.0.0.0" },
);
process.on("message", () => {
  const [firstPageAt = 0] = servedAt;
  const lastPageAt = servedAt.at(-1) ?? 0;
  process.send?.({
    pages: served.size,
    pageRequests,
    firstPageAt,
    lastPageAt,
    shortestRestMs,
    servedAt,
  } satisfies HostsReport);
});
process.on("disconnect", () => void site.close());
process.send?.({ port: site.port });
