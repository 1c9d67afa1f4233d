import { createExecutionContext, env } from "cloudflare:test";
import { expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import type { ReportView } from "../../src/api/views.ts";
import { Reports } from "../../src/store/passes/reports.ts";
import { type Web, World } from "./world.ts";

/** The report of a crawl, counted from rows of the real ledger. */

const WEB: Web = (url) => {
  const { host, pathname } = new URL(url);
  if (pathname !== "/") return pathname === "/gone" ? { status: 404 } : { links: [] };
  return host === "a.test"
    ? { links: ["https://a.test/one", "https://a.test/gone", "https://b.test:8443/", "http://b.test/two?x=/"] }
    : { links: [] };
};

async function runCrawl() {
  const world = new World(WEB);
  const id = await world.start(["https://a.test/"], { includeExternalLinks: true });
  await world.runToEnd(id);
  const crawl = await world.deps.ledger.crawl(id);
  if (crawl === null) throw new Error("no crawl");
  return crawl;
}

test("a report adds up to the counters of its crawl", async () => {
  const crawl = await runCrawl();
  const report = await new Reports(env.LEDGER).of(crawl);
  const { counters } = crawl;
  const sum = (counts: Record<string, number>) => Object.values(counts).reduce((a, b) => a + b, 0);
  expect(report).toMatchObject({
    codes: { 200: 4, 404: 1 },
    types: { "text/html": 4 },
    depths: { 0: 1, 1: 4 },
    reasons: { "http-status": 1 },
  });
  expect(sum(report.depths)).toBe(counters.discovered);
  expect(report.hosts.map(({ host, urls, completed }) => [host, urls, completed])).toEqual([
    ["a.test", 3, 2],
    ["b.test", 1, 1],
    ["b.test:8443", 1, 1],
  ]);
  expect(report.hosts.reduce((all, { bytes }) => all + bytes, 0)).toBe(crawl.bytes);
  expect(report.newest.map(({ status }) => status)).toEqual(Array(counters.completed).fill("completed"));
  expect(report.newest.map(({ fetchedAt }) => fetchedAt ?? 0)).toEqual(
    report.newest.map(({ fetchedAt }) => fetchedAt ?? 0).sort((a, b) => b - a),
  );
  expect(report.errors.map(({ url }) => url)).toEqual(["https://a.test/gone"]);
  expect(report.history.reduce((all, { pages }) => all + pages, 0)).toBe(counters.completed);
  expect(report.history.reduce((all, { bytes }) => all + bytes, 0)).toBe(crawl.bytes);
});

test("the report of a crawl without fetches is empty", async () => {
  const id = await new World(WEB).start(["https://a.test/"]);
  const headers = { authorization: "Bearer reading-token" };
  const answer = await app.request(`/api/crawls/${id}/report`, { headers }, env, createExecutionContext());
  const { result } = (await answer.json()) as { result: ReportView };
  expect(result).toEqual({
    codes: {},
    types: {},
    depths: { 0: 1 },
    reasons: {},
    hosts: [{ host: "a.test", urls: 1, completed: 0, bytes: 0 }],
    newest: [],
    errors: [],
    history: [],
  });
});
