import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HTML, page, startHandmadeSite } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { beat, getOrPost } from "./api-calls.ts";
import { type Served, scratch, serveFast } from "./cli.ts";

/** An installation whose clock runs a thousand times as fast as real time: a second of it is a real millisecond. */

const SPEED = 1_000;
/** Far more than the crawls need, and far less than they would need in real time. */
const PATIENCE_MS = 60_000;
const START = new Date("2031-01-01T00:00:00Z");

const dir = scratch();
const sites: Site[] = [];
let served: Served;

beforeAll(async () => {
  served = await serveFast(join(dir.path, "state"), SPEED, START);
});

afterAll(async () => {
  await served.close();
  await Promise.all(sites.map((site) => site.close()));
  dir.remove();
});

const call = <T>(path: string, body?: unknown) => getOrPost<T>(served, path, body);

interface CrawlAnswer {
  id: string;
  status: string;
  createdAt: string;
  counts: { completed: number };
}

async function crawlToEnd(order: Record<string, unknown>): Promise<CrawlAnswer> {
  const { id } = await call<CrawlAnswer>("/api/crawls", order);
  const isOver = async () => (await call<CrawlAnswer>(`/api/crawls/${id}`)).status !== "running";
  await expect.poll(isOver, { timeout: PATIENCE_MS }).toBe(true);
  return call(`/api/crawls/${id}`);
}

test.concurrent("a delay of ten seconds passes in ten milliseconds, and records stand ten seconds apart", async () => {
  const paths = Array.from({ length: 19 }, (_, i) => `/p${i}`);
  const pages = { "/": page("home", ...paths), ...Object.fromEntries(paths.map((path) => [path, page(path)])) };
  const site = await startHandmadeSite(pages, { host: "127.0.0.40" });
  sites.push(site);
  const politeness = { minDelayMs: 10_000, maxDelayMs: 10_000 };
  const startedAt = performance.now();
  const crawl = await crawlToEnd({ url: `${site.origin}/`, source: "links", limit: 20, politeness });
  expect(performance.now() - startedAt).toBeLessThan(PATIENCE_MS);
  expect(crawl).toMatchObject({ status: "completed", counts: { completed: 20 } });
  const { records } = await call<{ records: { fetchedAt: string }[] }>(`/api/crawls/${crawl.id}/records?limit=20`);
  const times = records.map(({ fetchedAt }) => Date.parse(fetchedAt)).sort((a, b) => a - b);
  expect(times[0]).toBeGreaterThan(START.getTime());
  expect(Math.min(...times.slice(1).map((time, i) => time - (times[i] ?? 0)))).toBeGreaterThanOrEqual(10_000);
  expect(site.connectionsPeak()).toBe(1);
});

test.concurrent("Retry-After is obeyed on the clock of the installation", async () => {
  let isBusy = true;
  const site = await startSite(
    (request, response) => {
      if (request.url === "/robots.txt") return void response.writeHead(404).end();
      response.writeHead(isBusy ? 503 : 200, isBusy ? { "retry-after": "600" } : HTML);
      response.end(isBusy ? "" : page("home"));
      isBusy = false;
    },
    { host: "127.0.0.41" },
  );
  sites.push(site);
  const crawl = await crawlToEnd({ url: `${site.origin}/`, source: "links", politeness: { minDelayMs: 0 } });
  expect(crawl).toMatchObject({ status: "completed", counts: { completed: 1 } });
  const [first, second] = site.log.filter(({ path }) => path === "/");
  expect((second?.startedAt ?? 0) - (first?.finishedAt ?? 0)).toBeGreaterThanOrEqual(600_000 / SPEED);
});

test.concurrent("a schedule is due on the clock of the installation", async () => {
  const site = await startHandmadeSite({ "/": page("home") }, { host: "127.0.0.42" });
  sites.push(site);
  interface Schedule {
    nextAt: string;
    lastCrawlId: string | null;
  }
  const order = { cron: "0 * * * *", crawl: { url: `${site.origin}/`, limit: 1 } };
  const { nextAt } = await call<Schedule>("/api/schedules", order);
  const lastCrawl = async () => {
    await beat(served);
    return (await call<Schedule[]>("/api/schedules"))[0]?.lastCrawlId;
  };
  await expect.poll(lastCrawl, { timeout: PATIENCE_MS }).toEqual(expect.any(String));
  const { createdAt } = await call<CrawlAnswer>(`/api/crawls/${await lastCrawl()}`);
  expect(nextAt).toMatch(/:00:00(?:\.000)?Z$/);
  expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(Date.parse(nextAt));
});
