import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import type { CrawlView } from "../../src/api/views.ts";
import { HTML, page } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { getOrPost } from "./api-calls.ts";
import { type Served, scratch, serve } from "./cli.ts";

/** Hosts that never answer do not hold up other hosts, also where one queue delivers one batch at a time. */

const PAGES = 30;
const SILENT = 8;
const dir = scratch();
const sites: Site[] = [];

const servers: Served[] = [];

afterEach(() => Promise.all([...sites.splice(0), ...servers.splice(0)].map((one) => one.close())));
afterAll(() => dir.remove());

async function startHost(i: number, silentPaths: (path: string) => boolean): Promise<Site> {
  const links = Array.from({ length: PAGES - 1 }, (_, n) => `/${n + 1}`);
  const site = await startSite(
    ({ url = "/" }, response) => {
      if (silentPaths(url)) return new Promise(() => undefined);
      if (url === "/robots.txt") response.writeHead(404).end();
      else response.writeHead(200, HTML).end(page(`${i} ${url}`, ...(url === "/" ? links : [])));
    },
    { host: `127.0.3.${i}` },
  );
  sites.push(site);
  return site;
}

test.each([
  ["pages", (path: string) => path !== "/robots.txt"],
  ["robots.txt", (path: string) => path === "/robots.txt"],
])("hosts with silent %s, listed first", async (what, isSilent) => {
  const silent = await Promise.all(Array.from({ length: SILENT }, (_, i) => startHost(i + 1, isSilent)));
  const fast = await Promise.all([0, 1].map((i) => startHost(SILENT + 1 + i, () => false)));
  const server = await serve(join(dir.path, what));
  servers.push(server);
  const call = <T>(path: string, body?: unknown) => getOrPost<T>(server, path, body);
  const urls = [...silent, ...fast].map(({ origin }) => `${origin}/`);
  const politeness = { minDelayMs: 50, maxDelayMs: 50 };
  // On a busy machine, the fast pages may take longer than the default of 30 s.
  const order = { urls, limit: 1_000, source: "links", politeness, timeoutMs: 100_000 };
  const { id } = await call<{ id: string }>("/api/crawls", order);
  const silentRequests = () => silent.flatMap(({ log }) => log.filter(({ path }) => isSilent(path)));
  for (;;) {
    const crawl = await call<CrawlView>(`/api/crawls/${id}`);
    // The last silent host may be asked after the last fast page.
    if (crawl.counts.completed === 2 * PAGES && silentRequests().length >= SILENT) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  // All fast pages are there before the first silent request has timed out.
  expect(silentRequests()).toHaveLength(SILENT);
  expect(silentRequests().filter(({ finishedAt }) => finishedAt)).toEqual([]);
});
