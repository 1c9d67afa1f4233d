import { describe, expect, test } from "vitest";
import type { HostView } from "../../src/api/views.ts";
import { page } from "../sites/handmade-site.ts";
import { startSite } from "../sites/site.ts";
import { getOrPost } from "./api-calls.ts";
import { run } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

/** What crawls and URLs of one host do to each other, by the site's log. */

const shared = shareServer();
const { sites } = shared;

const call = <T>(path: string, body?: unknown) => getOrPost<T>(shared.served, path, body);

interface CrawlAnswer {
  id: string;
  status: string;
  counts: { completed: number; errored: number };
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A lane has at least one page of the usual pace, and takes six seconds at the most. */
const PROGRESS = 4;
/** It only bounds what hangs. */
const PATIENCE_S = 200;

describe.each([
  ["the usual pace, then none", "127.0.0.51", ["usual", "none"]],
  ["none, then the usual pace", "127.0.0.52", ["none", "usual"]],
] as const)("two crawls of one host: %s", (_, host, order) => {
  test("both make progress, and the status says who is before whom", async () => {
    // An endless list, of which each crawl reads its own half.
    const site = await startSite(
      ({ url = "/" }, response) => {
        const links = Array.from({ length: 30 }, (_, i) => `${url.replace(/\/?$/, "")}/${i}`);
        const isRobots = url === "/robots.txt";
        response.writeHead(isRobots ? 404 : 200, { "content-type": "text/html" });
        response.end(isRobots ? "" : page(url, ...links));
      },
      { host, delayMs: 20 },
    );
    sites.push(site);
    const ids: Record<string, string> = {};
    for (const pace of order) {
      const politeness = pace === "usual" ? {} : { minDelayMs: 0 };
      const options = { limit: 10_000, source: "links", depth: 10, politeness };
      ids[pace] = (await call<CrawlAnswer>("/api/crawls", { url: `${site.origin}/${pace}`, ...options })).id;
      await sleep(2_000);
    }
    const completed = async (pace: string) => (await call<CrawlAnswer>(`/api/crawls/${ids[pace]}`)).counts.completed;
    const [first, second] = order;
    const before = await Promise.all([completed(first), completed(second)]);
    let after = before;
    const hasProgress = () => after.every((pages, i) => pages - (before[i] ?? 0) >= PROGRESS);
    const named = new Set<string>();
    for (let seconds = 0; seconds < PATIENCE_S && !(hasProgress() && named.size > 0); seconds++) {
      await sleep(1_000);
      after = await Promise.all([completed(first), completed(second)]);
      for (const pace of order) {
        const [view] = await call<HostView[]>(`/api/crawls/${ids[pace]}/hosts`);
        for (const id of view?.before ?? []) named.add(id);
      }
    }
    for (const id of Object.values(ids)) await call(`/api/crawls/${id}/cancel`, {});
    expect(hasProgress(), `${first}, ${second}: ${before} to ${after}`).toBe(true);
    expect(named.size, "crawls that were before another").toBeGreaterThanOrEqual(1);
    for (const id of named) expect(Object.values(ids)).toContain(id);
  });
});

test("URLs that drop the connection delay themselves alone", async () => {
  const good = Array.from({ length: 80 }, (_, i) => `/good/${i}`);
  const bad = ["/bad/1", "/bad/2", "/bad/3"];
  const home = page("home", ...good.slice(0, 20), ...bad, ...good.slice(20));
  const site = await startSite(
    (request, response) => {
      const { url = "/" } = request;
      if (bad.includes(url)) return void request.socket.destroy();
      const isRobots = url === "/robots.txt";
      response.writeHead(isRobots ? 404 : 200, { "content-type": "text/html" });
      response.end(isRobots ? "" : url === "/" ? home : page(url));
    },
    { host: "127.0.0.53" },
  );
  sites.push(site);
  // Pages that differ in a number alone may be an endless pattern, and some of them are asked for again to tell.
  const flags = ["--delay", "0", "--source", "links", "--keep-endless", "--json", ...shared.served.remote];
  const { stdout } = await run("crawl", `${site.origin}/`, ...flags);
  expect(JSON.parse(stdout)).toMatchObject({ status: "completed", completed: 81, errored: 3 });
  expect(site.log.filter(({ path }) => path.startsWith("/good/"))).toHaveLength(80);
  const last = site.log.findLastIndex(({ path }) => path.startsWith("/good/"));
  const gaps = site.log.slice(1, last + 1).map(({ startedAt }, i) => startedAt - (site.log[i]?.startedAt ?? 0));
  // A host that waits after a failure waits at least ten seconds.
  expect(Math.max(...gaps)).toBeLessThan(8_000);
  // Each has its three tries, and one more request that says what was wrong with the first.
  for (const path of bad) expect(site.log.filter((request) => request.path === path)).toHaveLength(4);
});

test("a seed that answers slowly once does not space out its links", async () => {
  const links = Array.from({ length: 40 }, (_, i) => `/${i}`);
  const home = page("home", ...links);
  const site = await startSite(
    async ({ url = "/" }, response) => {
      if (url === "/") await sleep(1_500);
      const isRobots = url === "/robots.txt";
      response.writeHead(isRobots ? 404 : 200, { "content-type": "text/html" });
      response.end(isRobots ? "" : url === "/" ? home : page(url));
    },
    { host: "127.0.0.54" },
  );
  sites.push(site);
  const politeness = { minDelayMs: 200 };
  const { id } = await call<CrawlAnswer>("/api/crawls", {
    url: `${site.origin}/`,
    limit: 100,
    source: "links",
    politeness,
  });
  const startedAt = Date.now();
  let crawl: CrawlAnswer;
  do {
    await sleep(500);
    crawl = await call<CrawlAnswer>(`/api/crawls/${id}`);
  } while (crawl.status === "running" && Date.now() - startedAt < 200_000);
  expect(crawl).toMatchObject({ status: "completed", counts: { completed: 41 } });
  // The pages have 0.2 s between them, and more if they answer slowly. At the seed's pace it would be 7.5 s.
  const starts = site.log.filter(({ path }) => links.includes(path)).map((entry) => entry.startedAt);
  const gaps = starts.slice(1).map((at, i) => at - (starts[i] ?? 0));
  const median = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)];
  expect(median).toBeLessThan(7_500 / 2);
});
