import { createExecutionContext, env } from "cloudflare:test";
import { afterEach, describe, expect, test, vi } from "vitest";
import { app } from "../../src/api/app.ts";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import type { FetchResult } from "../../src/crawl/outcome.ts";
import { submit } from "../../src/lifecycle/indexnow.ts";
import { PRIVATE_HOSTS } from "../unit/url/private-hosts.ts";
import { WATCH } from "./rows.ts";
import { World } from "./world.ts";

/** An owner's word by IndexNow: its answers, its key file, and what it brings. */

const HOST = "owned.test";
const ORIGIN = `https://${HOST}`;
const KEY = "0123456789abcdef";
const LOCATION = `${ORIGIN}/${KEY}.txt`;

/** A watch of two pages. `file`: the answer of the key file. */
async function startWatch(file: (result: FetchResult) => FetchResult, changes: Partial<CrawlOptions> = {}) {
  await env.LEDGER.prepare("DELETE FROM indexnow_keys").run();
  await env.LEDGER.prepare("UPDATE crawls SET status = 'completed'").run();
  const world = new World((url) => ({ links: url === `${ORIGIN}/` ? [`${ORIGIN}/a`] : [] }));
  const { fetchPage } = world.deps;
  world.deps.fetchPage = async (request) => {
    const result = await fetchPage(request);
    return request.url.endsWith(".txt") ? file(result) : result;
  };
  const watch = { ...WATCH, everyS: 30 * 86_400, fixed: false };
  const crawl = await world.start([`${ORIGIN}/`], { watch, ...changes });
  for (let turn = 0; turn < 100 && (await world.deps.ledger.crawl(crawl))?.status !== "watching"; turn++)
    await world.turn();
  return { world, crawl };
}

const holds =
  (text: string) =>
  (result: FetchResult): FetchResult =>
    result.kind === "page" ? { ...result, body: new TextEncoder().encode(text) } : result;
const submission = (...paths: string[]) => ({
  host: HOST,
  key: KEY,
  location: LOCATION,
  urls: paths.map((path) => `${ORIGIN}${path}`),
});
const rowOf = (crawl: string, path: string) =>
  env.LEDGER.prepare("SELECT status, signalled_at, visit_at FROM urls WHERE crawl = ?1 AND url = ?2")
    .bind(crawl, `${ORIGIN}${path}`)
    .first<{ status: string; signalled_at: number | null; visit_at: number | null }>();

async function untilChecked(world: World): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    await world.turn();
    if ((await world.deps.indexnow.pending(1)).length === 0) return;
  }
}

describe("a submission", () => {
  test("waits until the key file has been read, and then makes its pages due and discovers new ones", async () => {
    const { world, crawl } = await startWatch(holds(`${KEY}\n`));
    expect(await submit(submission("/a", "/new"), world.deps)).toBe("pending");
    expect(await rowOf(crawl, "/a")).toMatchObject({ signalled_at: null });
    await untilChecked(world);
    expect(world.fetched.filter((url) => url === LOCATION)).toHaveLength(1);
    expect((await rowOf(crawl, "/a"))?.signalled_at).not.toBeNull();
    expect((await rowOf(crawl, "/a"))?.visit_at).toBeLessThanOrEqual(world.now + 86_400_000);
    expect(await rowOf(crawl, "/new")).not.toBeNull();
    expect(await rowOf(crawl, `/${KEY}.txt`)).toBeNull();
    // From now on the key is known.
    expect(await submit(submission("/"), world.deps)).toBe("valid");
    expect((await rowOf(crawl, "/"))?.signalled_at).not.toBeNull();
    expect(world.fetched.filter((url) => url === LOCATION)).toHaveLength(1);
  });

  test.each<[name: string, file: (result: FetchResult) => FetchResult]>([
    ["does not hold the key", holds("another-key-0123")],
    ["holds the key inside a word", holds(`x${KEY}`)],
    ["redirects", (result) => ({ ...result, kind: "redirect", target: `${ORIGIN}/x`, location: "/x" }) as FetchResult],
  ])("is refused if the file %s", async (_, file) => {
    const { world, crawl } = await startWatch(file);
    await submit(submission("/a"), world.deps);
    await untilChecked(world);
    expect(await submit(submission("/a"), world.deps)).toBe("refused");
    expect(await rowOf(crawl, "/a")).toMatchObject({ signalled_at: null });
    // A corrected file counts after ten minutes.
    world.now += 600_001;
    expect(await submit(submission("/a"), world.deps)).toBe("pending");
  });

  test("brings as many visits as the budget allows: ten at once for a small site", async () => {
    const links = Array.from({ length: 15 }, (_, i) => `${ORIGIN}/${i}`);
    const { world, crawl } = await startWatch(holds(KEY));
    await env.LEDGER.prepare(
      `INSERT INTO urls (crawl, url, status, depth, priority, seq, fetched_at)
       SELECT ?1, value, 'completed', 1, 0, 100 + key, 1 FROM json_each(?2)`,
    )
      .bind(crawl, JSON.stringify(links))
      .run();
    await submit(submission("/"), world.deps);
    await untilChecked(world);
    for (let i = 0; i < 3; i++) await submit({ ...submission(), urls: links }, world.deps);
    const { n } = (await env.LEDGER.prepare(
      "SELECT count(*) AS n FROM urls WHERE crawl = ?1 AND signalled_at IS NOT NULL",
    )
      .bind(crawl)
      .first<{ n: number }>()) ?? { n: 0 };
    expect(n).toBe(10);
  });

  test("discovers nothing where the page limit has no room", async () => {
    const { world, crawl } = await startWatch(holds(KEY), { limit: 2 });
    await submit(submission("/new"), world.deps);
    await untilChecked(world);
    expect(await rowOf(crawl, "/new")).toBeNull();
  });

  test("discovers nothing outside the scope", async () => {
    const { world, crawl } = await startWatch(holds(KEY), { excludePatterns: ["/private/**"] });
    await submit(submission("/private/new"), world.deps);
    await untilChecked(world);
    expect(await rowOf(crawl, "/private/new")).toBeNull();
  });

  test("of more than five keys at once is too much", async () => {
    const { world } = await startWatch(holds(KEY));
    const states = [];
    for (let i = 0; i < 6; i++)
      states.push(await submit({ ...submission("/a"), location: `${ORIGIN}/${i}.txt` }, world.deps));
    expect(states).toEqual(["pending", "pending", "pending", "pending", "pending", "full"]);
  });

  test("of a host that no watch has is nobody's", async () => {
    const { world } = await startWatch(holds(KEY));
    expect(await submit({ ...submission(), host: "other.test", urls: ["https://other.test/"] }, world.deps)).toBeNull();
  });
});

describe("the route", () => {
  afterEach(() => void vi.restoreAllMocks());
  const silent = { sendBatch: async () => undefined } as unknown as Queue;
  const send = async (path: string, body?: unknown, changes: Partial<Env> = {}) => {
    const init =
      body === undefined ? {} : { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) };
    const answer = await app.request(path, init, { ...env, FRONTIER: silent, ...changes }, createExecutionContext());
    return answer.status;
  };
  const list = (changes: Record<string, unknown> = {}) => ({
    host: HOST,
    key: KEY,
    urlList: [`${ORIGIN}/a`],
    ...changes,
  });
  const get = (url: string, key = KEY) => `/indexnow?${new URLSearchParams({ url, key })}`;

  test("answers as the documentation of IndexNow says", async () => {
    const { world } = await startWatch(holds(KEY));
    expect(await send("/indexnow", list())).toBe(202);
    expect(await send(get(`${ORIGIN}/a`))).toBe(202);
    await untilChecked(world);
    // The clock of the requests is the machine's, so the key is as old.
    await env.LEDGER.prepare("UPDATE indexnow_keys SET at = ?1").bind(Date.now()).run();
    expect(await send("/indexnow", list())).toBe(200);
    expect(await send(get(`${ORIGIN}/a`))).toBe(200);
    await env.LEDGER.prepare("UPDATE indexnow_keys SET status = 'refused'").run();
    expect(await send("/indexnow", list())).toBe(403);
    expect(await send("/indexnow", "{")).toBe(400);
    expect(await send("/indexnow", list({ urlList: [] }))).toBe(400);
    expect(await send("/indexnow", list({ urlList: ["x".repeat(2_000_000)] }))).toBe(400);
    expect(await send("/indexnow")).toBe(400);
    expect(await send("/indexnow", list({ key: "short" }))).toBe(422);
    expect(await send("/indexnow", list({ host: "other.test" }))).toBe(422);
    expect(await send(get("https://other.test/"))).toBe(422);
  });

  test("never asks for a private address that no watch has", async () => {
    const hosts = Object.values(PRIVATE_HOSTS).flat();
    for (const host of hosts) expect([host, await send(get(`http://${host}/`))]).toEqual([host, 422]);
    for (const host of hosts)
      expect([host, await send("/indexnow", list({ keyLocation: `http://${host}/key.txt` }))]).toEqual([host, 422]);
  });

  test("answers 429 to too many submissions from one address, or for one host", async () => {
    await startWatch(holds(KEY));
    const counts = new Map<string, number>();
    const limit = {
      limit: async ({ key }: RateLimitOptions) => {
        counts.set(key, (counts.get(key) ?? 0) + 1);
        return { success: (counts.get(key) ?? 0) <= 2 };
      },
    };
    const changes = { RATE_LIMITS: "", INDEXNOW_LIMIT: limit };
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push(await send("/indexnow", list(), changes));
    expect(statuses).toEqual([202, 202, 429]);
    expect([...counts.keys()]).toEqual(["", `host ${HOST}`]);
  });
});
