import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { HTML, page, startHandmadeSite } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { crawl, run, scratch, start } from "./cli.ts";

/** Rule 3, as the site sees it: no two requests closer together than the pace, no more connections than the lane allows. */

const dir = scratch();
const sites: Site[] = [];
const PATHS = Array.from({ length: 8 }, (_, i) => `/p${i}`);

afterAll(async () => {
  await Promise.all(sites.map((site) => site.close()));
  dir.remove();
});

async function site(robots: string): Promise<Site> {
  const made = await startHandmadeSite(
    {
      "/robots.txt": { headers: { "content-type": "text/plain" }, body: robots },
      "/": page("home", ...PATHS, "/moved"),
      "/moved": { status: 302, headers: { location: "/target" } },
      "/target": page("target"),
      ...Object.fromEntries(PATHS.map((path) => [path, { headers: HTML, body: page(path) }])),
    },
    { delayMs: 20 },
  );
  sites.push(made);
  return made;
}

/** From the end of each request to the start of the next, in milliseconds. */
function gaps({ log }: Site): number[] {
  return log.slice(1).map(({ startedAt }, i) => startedAt - (log[i]?.finishedAt ?? Number.POSITIVE_INFINITY));
}

test("the delay that was asked for, robots.txt and redirects included", async () => {
  const polite = await site("User-agent: *\nAllow: /");
  const { summary } = await crawl(join(dir.path, "delay"), `${polite.origin}/`, "--delay", "0.3");
  expect(summary.completed).toBe(PATHS.length + 2);
  expect(polite.log).toHaveLength(PATHS.length + 4);
  expect(Math.min(...gaps(polite))).toBeGreaterThanOrEqual(300);
  expect(polite.connectionsPeak()).toBe(1);
});

test("Crawl-delay, where it asks for more", async () => {
  const polite = await site("User-agent: *\nCrawl-delay: 0.6");
  await crawl(join(dir.path, "crawl-delay"), `${polite.origin}/`, "--delay", "0.1", "--limit", "4");
  // robots.txt itself says it first, so the rest after it cannot know.
  expect(Math.min(...gaps(polite).slice(1))).toBeGreaterThanOrEqual(600);
});

test("one pace over two crawls of a host at once", async () => {
  const polite = await site("");
  const token = "t";
  const server = start("serve", "--port", "0", "--token", token, "--state", join(dir.path, "serve"));
  const base = /http:\/\/[\d.:]+/.exec(await server.printed("Try:"))?.[0] ?? "";
  const call = async (path: string, body?: unknown) => {
    const response = await fetch(base + path, {
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
    return ((await response.json()) as { result: { id: string; status: string; counts: { completed: number } } })
      .result;
  };
  const order = { url: `${polite.origin}/`, limit: 100, politeness: { minDelayMs: 200, maxDelayMs: 200 } };
  const ids = await Promise.all([call("/api/crawls", order), call("/api/crawls", order)]);
  for (const { id } of ids) {
    let crawl = await call(`/api/crawls/${id}`);
    while (crawl.status === "running") {
      await new Promise((resolve) => setTimeout(resolve, 100));
      crawl = await call(`/api/crawls/${id}`);
    }
    expect([crawl.status, crawl.counts.completed]).toEqual(["completed", PATHS.length + 2]);
  }
  server.child.kill("SIGINT");
  expect((await server.ended).code).toBe(0);
  expect(polite.log).toHaveLength(2 * (PATHS.length + 3) + 1);
  expect(Math.min(...gaps(polite))).toBeGreaterThanOrEqual(200);
  expect(polite.connectionsPeak()).toBe(1);
});

test("a robots.txt that answers 503 keeps everybody out, says so, and is asked again", async () => {
  let silent = 1;
  const made = await startSite((request, response) => {
    const busy = request.url === "/robots.txt" && silent-- > 0;
    response.writeHead(busy ? 503 : 200, HTML);
    response.end(busy ? "busy" : page("home"));
  });
  sites.push(made);
  const { stdout, stderr } = await run("crawl", `${made.origin}/`, "--delay", "0", "--state", join(dir.path, "silent"));
  expect(stderr).toContain("Waiting: robots.txt answered 503");
  expect(stdout).toContain("Completed: 1 page");
  expect(made.log.map(({ path }) => path)).toEqual(["/robots.txt", "/robots.txt", "/"]);
  expect(Math.min(...gaps(made).slice(0, 1))).toBeGreaterThanOrEqual(10_000);
});
