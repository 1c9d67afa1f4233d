import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { HostView } from "../../src/api/views.ts";
import { HTML, page } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { getOrPost } from "./api-calls.ts";
import { run, scratch, serve } from "./cli.ts";

/** What `status` and the API report per host: its delay, and why, since when and until when it waits. */

const dir = scratch();
const state = join(dir.path, "state");
const sites: Site[] = [];
let hosts: HostView[] = [];
let id: string;
const startedAt = Date.now();

/** One host per behaviour. Each has more pages than a crawl can fetch during this test. */
const KINDS: Record<string, (path: string) => [status: number, headers: Record<string, string>, body: string]> = {
  usual: (path) => (path === "/robots.txt" ? [404, {}, ""] : [200, HTML, page(path, "/1", "/2", "/3")]),
  delayed: (path) =>
    path === "/robots.txt"
      ? [200, { "content-type": "text/plain" }, "User-agent: *\nCrawl-delay: 100"]
      : [200, HTML, page(path, "/1", "/2", "/3")],
  busy: (path) => (path === "/robots.txt" ? [404, {}, ""] : [503, { "retry-after": "4000" }, ""]),
  silent: () => [503, {}, ""],
};
const NAMES = Object.keys(KINDS);

beforeAll(async () => {
  for (const [i, name] of NAMES.entries()) {
    const answer = KINDS[name] as (typeof KINDS)[string];
    sites.push(
      await startSite(
        ({ url = "/" }, response) => {
          const [status, headers, body] = answer(url);
          response.writeHead(status, headers).end(body);
        },
        { host: `127.0.0.${20 + i}` },
      ),
    );
  }
  const server = await serve(state);
  const call = <T>(path: string, body?: unknown) => getOrPost<T>(server, path, body);
  const urls = sites.map(({ origin }) => `${origin}/`);
  const politeness = { minDelayMs: 300, maxDelayMs: 300 };
  id = (await call<{ id: string }>("/api/crawls", { urls, limit: 100, source: "links", politeness })).id;
  const settled = () =>
    of("usual")?.queued === 0 &&
    (of("busy")?.failures ?? 0) > 0 &&
    of("delayed")?.crawlDelayMs &&
    of("silent")?.waitingSince;
  do {
    await new Promise((resolve) => setTimeout(resolve, 100));
    hosts = await call<HostView[]>(`/api/crawls/${id}/hosts`);
  } while (!settled());
  await server.close();
});

afterAll(async () => {
  await Promise.all(sites.map((site) => site.close()));
  dir.remove();
});

const of = (name: string) => hosts.find(({ host }) => host === `127.0.0.${20 + NAMES.indexOf(name)}`);

const isRecent = (iso: string | null | undefined) => Date.parse(iso ?? "") >= startedAt - 1_000;
const secondsUntil = (iso: string | null | undefined) => (Date.parse(iso ?? "") - Date.now()) / 1000;

test("a normal host", () => {
  expect(of("usual")).toMatchObject({ delayMs: 300, crawlDelayMs: null, failures: 0, waitingSince: null });
});

test("a host with a Crawl-delay", () => {
  expect(of("delayed")).toMatchObject({
    delayMs: 100_000,
    crawlDelayMs: 100_000,
    waitingSince: null,
    why: "robots.txt asks for this delay",
  });
});

test("a host that answers 503: since when, until when and why it waits", () => {
  expect(of("busy")).toMatchObject({ queued: 1, failures: 1, why: expect.stringContaining("503 Service Unavailable") });
  expect(isRecent(of("busy")?.waitingSince)).toBe(true);
  expect(secondsUntil(of("busy")?.nextAt)).toBeGreaterThan(3_800);
});

test("a host whose robots.txt answers 503", () => {
  expect(of("silent")).toMatchObject({ queued: 1, why: expect.stringContaining("robots.txt answered 503") });
  expect(isRecent(of("silent")?.waitingSince)).toBe(true);
});

test("status shows the same, also after a restart", async () => {
  const another = await serve(state);
  const { stdout } = await run("status", id, ...another.remote);
  const asJson = await run("status", id, "--json", ...another.remote);
  await another.close();
  expect(stdout).toMatch(/127\.0\.0\.21: \d queued, 1 min 40 s between requests\n/);
  expect(stdout).toMatch(
    /127\.0\.0\.22: 1 queued, .* waiting since \S+ \d\d:\d\d UTC, next request in 1 h .*503 Service Unavailable/,
  );
  expect(stdout).toMatch(/127\.0\.0\.23: 1 queued, .* waiting since \S+ \d\d:\d\d UTC, .*robots\.txt answered 503/);
  const json = JSON.parse(asJson.stdout) as { hosts: HostView[] };
  expect(json.hosts.map(({ host }) => host).toSorted()).toEqual(hosts.map(({ host }) => host).toSorted());
});
