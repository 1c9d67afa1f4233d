import { createExecutionContext, env } from "cloudflare:test";
import { expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import type { CrawlDetail, ListView } from "../../src/api/views.ts";
import { DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import { addSeeds, closeList } from "../../src/lifecycle/list.ts";
import { cancelCrawl, resumeCrawl, startCrawl } from "../../src/lifecycle/start.ts";
import { World } from "./world.ts";

/** Seeds that come in portions. */

const messages: unknown[] = [];

async function call<T>(method: string, path: string, body?: unknown): Promise<{ status: number; result: T }> {
  const FRONTIER = { sendBatch: async (sent: Iterable<unknown>) => void messages.push(...sent) } as unknown as Queue;
  const init = {
    method,
    headers: { authorization: "Bearer test-token" },
    body: body === undefined ? null : JSON.stringify(body),
  };
  const answer = await app.request(path, init, { ...env, FRONTIER }, createExecutionContext());
  return { status: answer.status, ...((await answer.json()) as { result: T }) };
}

const begin = async (list: string, rest: object = {}) =>
  (await call<{ id: string }>("POST", `/api/crawls?list=${list}`, { url: "https://a.test/0", ...rest })).result.id;
const send = (id: string, urls: string[], last = false) =>
  call<ListView>("POST", `/api/crawls/${id}/urls`, { urls, last });
const show = async (id: string) => (await call<CrawlDetail>("GET", `/api/crawls/${id}`)).result;

test("a crawl waits for its whole list, whatever is sent twice, and starts with the last portion", async () => {
  messages.length = 0;
  const id = await begin("one", { limit: 3 });
  const portion = [
    "https://a.test/1",
    "https://a.test/1?utm_source=x",
    "https://b.test/2",
    "mailto:x@a.test",
    "http://10.0.0.1/",
  ];
  const first = await send(id, portion);
  expect(first.result).toMatchObject({ added: 2, known: 1, total: 3, beyondLimit: 0 });
  expect(first.result.refused.map(({ index, code }) => [index, code])).toEqual([
    [3, "invalid-url"],
    [4, "ip-address"],
  ]);
  expect((await send(id, portion)).result).toMatchObject({ added: 0, known: 3, total: 3 });
  expect(await begin("one", { limit: 3 })).toBe(id);
  expect(await show(id)).toMatchObject({ status: "paused", urls: ["https://a.test/0", "https://b.test/2"] });
  expect((await show(id)).waitingFor).toMatch(/rest of its list/);
  expect((await call("POST", `/api/crawls/${id}/resume`)).status).toBe(409);
  expect(messages).toEqual([]);
  expect((await send(id, ["https://a.test/3"], true)).result).toMatchObject({ added: 1, total: 4, beyondLimit: 1 });
  expect(messages.length).toBeGreaterThan(0);
  expect(await show(id)).toMatchObject({ status: "running", total: 4, waitingFor: null });
  expect((await send(id, ["https://a.test/4"])).status).toBe(409);
  expect(await begin("one", { limit: 3 })).not.toBe(id);
});

test("a crawl that was not begun with a list takes none, nor one that was cancelled", async () => {
  const { result } = await call<{ id: string }>("POST", "/api/crawls", { url: "https://a.test/" });
  expect((await send(result.id, ["https://a.test/1"])).status).toBe(409);
  const id = await begin("two");
  await call("POST", `/api/crawls/${id}/cancel`);
  expect((await send(id, ["https://a.test/1"])).status).toBe(409);
  expect(
    (await call("POST", "/api/crawls?list=three", { url: "https://a.test/", options: { belowSeeds: true } })).status,
  ).toBe(400);
});

/** Its nth call of the database's `batch` or `run` fails, before it or after it, and all that follow. */
function dyingAt(nth: number): Pick<Env, "LEDGER" | "MIRROR"> {
  let calls = 0;
  const LEDGER = new Proxy(env.LEDGER, {
    get(db, name) {
      if (name !== "batch") {
        const value = Reflect.get(db, name);
        return typeof value === "function" ? value.bind(db) : value;
      }
      return async (statements: D1PreparedStatement[]) => {
        calls += 1;
        if (calls > nth || (calls === nth && nth % 2 === 0)) throw new Error("the process has ended");
        const answer = await db.batch(statements);
        if (calls === nth) throw new Error("the process has ended");
        return answer;
      };
    },
  });
  return { LEDGER, MIRROR: env.MIRROR };
}

const DEPTH_0 = { ...DEFAULT_OPTIONS, limit: 10_000, depth: 0, source: "links" as const, userAgent: "Test/1" };

test("killed anywhere while a list is sent, and sent again, a crawl has each of its pages once", async () => {
  const urls = Array.from({ length: 1_100 }, (_, i) => `https://h${i % 7}.test/${i}`);
  for (let nth = 1; nth <= 4; nth++) {
    const world = new World(() => ({ links: [] }));
    const options = { ...DEPTH_0, source: "all" as const, urls: urls.slice(0, 1) };
    const id = (await startCrawl(options, world.deps, undefined, "crawl", `kill-${nth}`)) ?? "";
    const dying = new World(() => ({ links: [] }), { bindings: dyingAt(nth) });
    const sendTo = async ({ deps }: World) => {
      const crawl = await deps.ledger.crawl(id);
      if (crawl !== null) await addSeeds(crawl, urls, deps);
    };
    await sendTo(dying).catch(() => undefined);
    expect(await resumeCrawl(id, world.deps)).toBe(false);
    await sendTo(world);
    expect(await closeList(id, world.deps)).toBe(true);
    const crawl = await world.deps.ledger.crawl(id);
    expect(crawl?.counters).toMatchObject({ discovered: 1_100 });
    expect(crawl?.hosts).toHaveLength(7);
    expect((await world.deps.sitemaps.report(id, 1)).open).toBe(7);
  }
});

test("a list is crawled to its end, and to no other page", async () => {
  const urls = Array.from({ length: 12 }, (_, i) => `https://h${i % 3}.test/${i}`);
  const world = new World((url) => ({ links: [`${url}/link`] }));
  const id = (await startCrawl({ ...DEPTH_0, urls: urls.slice(0, 1) }, world.deps, undefined, "crawl", "all")) ?? "";
  const crawl = await world.deps.ledger.crawl(id);
  if (crawl === null) throw new Error("gone");
  await addSeeds(crawl, urls, world.deps);
  await closeList(id, world.deps);
  await world.runToEnd(id);
  expect((await world.deps.ledger.crawl(id))?.counters).toMatchObject({ discovered: 12, completed: 12 });
});

test("a list of more hosts than a crawl's row holds names those without room", async () => {
  const world = new World(() => ({ links: [] }));
  const id =
    (await startCrawl({ ...DEPTH_0, urls: ["https://a.test/"] }, world.deps, undefined, "crawl", "hosts")) ?? "";
  const urls = Array.from({ length: 400 }, (_, i) => `https://h${i}.test/${"x".repeat(2_000)}`);
  const crawl = await world.deps.ledger.crawl(id);
  if (crawl === null) throw new Error("gone");
  const { added, tooMany } = await addSeeds(crawl, urls, world.deps);
  expect(added + tooMany.size).toBe(400);
  expect(tooMany.size).toBeGreaterThan(100);
  expect((await world.deps.ledger.crawl(id))?.options.urls).toHaveLength(added + 1);
  await cancelCrawl(id, "cancelled_by_user", world.deps);
});
