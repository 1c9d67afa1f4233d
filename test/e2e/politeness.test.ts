import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Answer, HTML, page, redirect, startHandmadeSite } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { crawl, type Served, scratch, serveFast, start } from "./cli.ts";
import { expectPace, gaps, SPEED } from "./host-pace.ts";

/**
 * Rule 3, by the site's log: no two requests closer together than the pace, no more connections than the lane allows.
 * Each site is a host of its own, so the crawls wait side by side. The installation's clock is faster than the sites',
 * whose logs are converted to its time.
 */

const dir = scratch();
const sites: Site[] = [];
let served: Served;
const PATHS = Array.from({ length: 8 }, (_, i) => `/p${i}`);

beforeAll(async () => {
  served = await serveFast(join(dir.path, "served"), SPEED);
});

afterAll(async () => {
  await served.close();
  await Promise.all(sites.map((site) => site.close()));
  dir.remove();
});

async function site(host: string, robots: string): Promise<Site> {
  const made = await startHandmadeSite(
    {
      "/robots.txt": { headers: { "content-type": "text/plain" }, body: robots },
      "/": page("home", ...PATHS, "/moved"),
      "/moved": { status: 302, headers: { location: "/target" } },
      "/target": page("target"),
      ...Object.fromEntries(PATHS.map((path) => [path, { headers: HTML, body: page(path) }])),
    },
    { host, delayMs: 20 },
  );
  sites.push(made);
  return made;
}

const PACES = [
  { seconds: 1, crawls: 3, host: "127.0.0.12" },
  { seconds: 0.2, crawls: 1, host: "127.0.0.15" },
];

test.concurrent.each(PACES)(
  "all crawls together keep a host's pace, robots.txt and redirects included: $seconds s, crawls: $crawls",
  (pace) => expectPace(served, sites, pace),
);

test.concurrent("a crawl keeps its delay, robots.txt and redirects included", async () => {
  const polite = await site("127.0.0.3", "User-agent: *\nAllow: /");
  const { summary } = await crawl(join(dir.path, "delay"), `${polite.origin}/`, "--delay", "0.3", ...served.remote);
  expect(summary.completed).toBe(PATHS.length + 2);
  expect(polite.log).toHaveLength(PATHS.length + 6);
  expect(Math.min(...gaps(polite))).toBeGreaterThanOrEqual(300);
  expect(polite.connectionsPeak()).toBe(1);
});

test.concurrent("a Crawl-delay longer than the delay is kept", async () => {
  const polite = await site("127.0.0.4", "User-agent: *\nCrawl-delay: 0.6");
  const flags = ["--delay", "0.1", "--limit", "4", ...served.remote];
  await crawl(join(dir.path, "crawl-delay"), `${polite.origin}/`, ...flags);
  expect(Math.min(...gaps(polite))).toBeGreaterThanOrEqual(600);
});

test.concurrent("a host sends no more bytes per second than the limit, robots.txt included", async () => {
  const filler = "x".repeat(50_000);
  const pages = {
    "/robots.txt": { headers: { "content-type": "text/plain" }, body: `# ${filler}` },
    "/": page("home", "/1", "/2", "/3", "/4"),
    ...Object.fromEntries([1, 2, 3, 4].map((i) => [`/${i}`, page(filler + i)])),
  };
  const host = await startHandmadeSite(pages, { host: "127.0.0.34", delayMs: 20 });
  sites.push(host);
  const flags = ["--delay", "0", "--concurrency", "2", "--bandwidth", "50kB", "--source", "links", ...served.remote];
  const { summary } = await crawl(join(dir.path, "bandwidth"), `${host.origin}/`, ...flags);
  expect(summary.completed).toBe(5);
  // A page has its title twice. The last one may come at any time after the others have been paid for.
  const starts = host.log.map(({ startedAt }) => startedAt * SPEED);
  const [first = 0] = starts;
  expect((starts.at(-1) ?? 0) - first).toBeGreaterThanOrEqual(1_000 * (1 + 2 * 2));
});

test.concurrent("a redirect of robots.txt keeps the other host's pace, and two that lead to each other end", async () => {
  const host = (n: number, pages: Record<string, string | Answer>) =>
    startHandmadeSite(pages, { host: `127.0.0.${n}`, port: 0, delayMs: 20 });
  const rules = { headers: { "content-type": "text/plain" }, body: "User-agent: *\nCrawl-delay: 1" };
  const pages = Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`/${i}`, page(String(i), `/${i + 1}`)]));
  const b = await host(31, { ...pages, "/robots.txt": rules, "/a-rules": rules, "/": page("b", "/0") });
  const a = await host(30, { ...pages, "/robots.txt": redirect(`${b.origin}/a-rules`), "/": page("a", "/0") });
  const cPages: Record<string, string | Answer> = { "/": page("c"), "/c-rules": rules };
  const c = await host(32, cPages);
  const d = await host(33, { "/": page("d"), "/d-rules": rules, "/robots.txt": redirect(`${c.origin}/c-rules`) });
  cPages["/robots.txt"] = redirect(`${d.origin}/d-rules`);
  sites.push(a, b, c, d);
  const seeds = [a, b, c, d].map(({ origin }) => `${origin}/`);
  const flags = ["--delay", "0.3", "--source", "links", ...served.remote];
  const { summary } = await crawl(join(dir.path, "leads"), ...seeds, ...flags);
  expect(summary).toMatchObject({ status: "completed", completed: 14, errored: 2 });
  expect(b.log.map(({ path }) => path)).toContain("/a-rules");
  for (const each of [a, b, c, d]) {
    expect(each.connectionsPeak()).toBe(1);
    expect(Math.min(...gaps(each))).toBeGreaterThanOrEqual(300);
  }
  // Once b's own robots.txt is read, every request to b keeps its Crawl-delay.
  const from = b.log.findIndex(({ path }) => path === "/robots.txt") + 1;
  expect(Math.min(...gaps({ log: b.log.slice(from) }))).toBeGreaterThanOrEqual(1_000);
});

test.concurrent("a robots.txt that answers 503 stops its host, is reported, and is requested again", async () => {
  let isBusy = true;
  const made = await startSite(
    (request, response) => {
      const busy = request.url === "/robots.txt" && isBusy;
      response.writeHead(busy ? 503 : 200, HTML);
      response.end(busy ? "busy" : page("home"));
    },
    { host: "127.0.0.6" },
  );
  sites.push(made);
  const { printed, ended } = start("crawl", `${made.origin}/`, "--delay", "0", ...served.remote);
  await printed("Waiting: robots.txt answered 503");
  isBusy = false;
  expect((await ended).stdout).toContain("Completed: 1 page");
  const asked = made.log.map(({ path }) => path);
  const tries = asked.lastIndexOf("/robots.txt") + 1;
  expect(tries).toBeGreaterThanOrEqual(2);
  expect(new Set(asked.slice(0, tries))).toEqual(new Set(["/robots.txt"]));
  expect(asked.slice(tries).sort()).toEqual(["/", "/sitemap.xml", "/sitemap_index.xml"]);
  expect(Math.min(...gaps(made).slice(0, tries - 1))).toBeGreaterThanOrEqual(10_000);
});
