import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HTML, page } from "../sites/handmade-site.ts";
import { BROKEN_HOSTS, HOSTILE_ANSWERS } from "../sites/hostile-answers.ts";
import { HOSTILE_PAGES } from "../sites/hostile-pages.ts";
import { type Site, startSite } from "../sites/site.ts";
import { crawl, type OutRecord, readRecords, run, type Served, scratch, serve } from "./cli.ts";

/**
 * One crawl of everything that a page or a server can do wrong, beside honest pages: each bad one fails alone, with a
 * reason that fits.
 */

const HONEST = Array.from({ length: 100 }, (_, at) => `/honest/${at}`);
const ON_SITE = [...Object.keys(HOSTILE_PAGES), ...Object.keys(HOSTILE_ANSWERS)].map((name) => `/${name}`);

const dir = scratch();
const sites: Site[] = [];
/** By the name of the case. */
const broken: Record<string, string> = {};
let server: Served;
let before: string[];
let after: string[];
let result: Awaited<ReturnType<typeof crawl>>;

beforeAll(async () => {
  const site = await startSite(({ url = "/" }, response) => {
    const hostile = HOSTILE_PAGES[url.slice(1)];
    if (hostile !== undefined) {
      const type = hostile.contentType ?? HTML["content-type"];
      return void response.writeHead(200, { "content-type": type }).end(hostile.body());
    }
    const answer = HOSTILE_ANSWERS[url.slice(1)];
    if (answer !== undefined) return answer.answer(response);
    if (url === "/robots.txt") return void response.writeHead(404).end();
    // In turns, so that each honest page has hostile neighbours.
    const links = url === "/" ? HONEST.flatMap((honest, at) => [honest, ...ON_SITE.slice(at, at + 1)]) : [];
    response.writeHead(200, HTML).end(page(url, ...links));
  });
  sites.push(site);
  for (const [at, [name, { answer }]] of Object.entries(BROKEN_HOSTS).entries()) {
    const own = await startSite(
      ({ url }, response) => {
        if (url === "/robots.txt") return void response.writeHead(404).end();
        return answer(response);
      },
      { host: `127.0.1.${at + 1}` },
    );
    sites.push(own);
    broken[name] = `${own.origin}/${name}`;
  }

  server = await serve(`${dir.path}/served`);
  before = workerdsBelow(server.pid);
  const flags = ["--delay", "0", "--concurrency", "4", "--max-attempts", "2", "--timeout", "20", "--depth", "1"];
  result = await crawl(dir.path, `${site.origin}/`, ...Object.values(broken), ...flags, ...server.remote);
  after = workerdsBelow(server.pid);
});

afterAll(async () => {
  await server.close();
  await Promise.all(sites.map((site) => site.close()));
  dir.remove();
});

/** The workerds below a process. */
function workerdsBelow(root: number): string[] {
  const rows = execFileSync("ps", ["-A", "-o", "pid=,ppid=,comm="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((row) => row.trim().split(/\s+/, 3));
  const below = new Set([String(root)]);
  for (const [pid = "", parent = ""] of rows) if (below.has(parent)) below.add(pid);
  return rows.flatMap(([pid = "", , name]) => (below.has(pid) && name?.endsWith("workerd") ? [pid] : []));
}

function outcomeOf(url: string): [outcome: string, record: OutRecord | undefined] {
  const record = result.byUrl.get(url);
  return [`${record?.status} ${record?.reason}`, record];
}

test.each(Object.entries(HOSTILE_PAGES))("%s", (name, { outcome, title, explanation }) => {
  const [found, record] = outcomeOf(`${sites[0]?.origin}/${name}`);
  expect(found, record?.explanation ?? "").toBe(outcome);
  if (title !== undefined) expect(record?.title).toBe(title);
  if (explanation !== undefined) expect(record?.explanation).toContain(explanation);
});

test.each(Object.entries(HOSTILE_ANSWERS))("%s", (name, { outcome }) => {
  const [found, record] = outcomeOf(`${sites[0]?.origin}/${name}`);
  expect(found, record?.explanation ?? "").toBe(outcome);
});

test.each(Object.entries(BROKEN_HOSTS))("%s", (name, { outcome }) => {
  const [found, record] = outcomeOf(broken[name] ?? "");
  expect(found, record?.explanation ?? "").toBe(outcome);
});

test("what a server says at length is cut before it is kept", () => {
  for (const { url, explanation, contentType } of result.records) {
    expect((explanation ?? "").length, url).toBeLessThan(1_100);
    expect((contentType ?? "").length, url).toBeLessThanOrEqual(1_000);
  }
});

test("no honest page pays for them", async () => {
  const outcomesIn = (records: Map<string, OutRecord>) => {
    const of = (path: string) => records.get(sites[0]?.origin + path);
    return HONEST.map((path) => `${of(path)?.status} ${of(path)?.reason}`);
  };
  let outcomes = outcomesIn(result.byUrl);
  // A server may close its connection, after an answer that is none, just as an honest page is asked for on it. Every
  // client knows that race, and tries again; this crawl was told to try once.
  if (outcomes.includes("errored connection")) {
    const out = `${dir.path}/again`;
    await run("retry", result.summary.id, "--reason", "connection", ...server.remote, "--json", "--out", out);
    outcomes = outcomesIn(new Map(readRecords(out).map((record) => [record.url, record])));
  }
  expect(outcomes).toEqual(HONEST.map(() => "completed null"));
  expect(result.summary.status).toBe("completed");
  expect(result.ended.code).toBe(0);
});

test("the process is the one that it was", () => {
  expect(before.length).toBeGreaterThanOrEqual(1);
  // The reader of documents has one of its own, beside it.
  expect(after).toEqual(expect.arrayContaining(before));
});
