import { createExecutionContext, env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import type { CrawlView } from "../../src/api/views.ts";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { retryCrawl } from "../../src/lifecycle/retry.ts";
import { cancelCrawl } from "../../src/lifecycle/start.ts";
import type { Retry } from "../../src/store/ledger/retrying.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { type Web, World } from "./world.ts";

/** Retries of failed URLs in the real ledger. */

useModelLedger();

const SEED = "https://a.test/";
const ERRORED: Retry = { status: "errored", reason: null, limit: null };

/** A site with `pages` pages. Those that `fails` names fail until `heal` is called. */
function failing(pages: number, fails: (path: string) => boolean = () => true) {
  let isHealed = false;
  const web: Web = (url) => {
    const { pathname } = new URL(url);
    if (pathname === "/") return { links: Array.from({ length: pages }, (_, i) => `${SEED}${i + 1}`) };
    return !isHealed && fails(pathname) ? { status: 404 } : { links: [] };
  };
  return {
    web,
    heal: () => {
      isHealed = true;
    },
  };
}

async function runCrawl(pages: number, changes: Partial<CrawlOptions> = {}, fails?: (path: string) => boolean) {
  const { web, heal } = failing(pages, fails);
  const world = new World(web);
  const id = await world.start([SEED], changes);
  await world.runToEnd(id);
  const read = async () => {
    const crawl = await world.deps.ledger.crawl(id);
    if (crawl === null) throw new Error("no crawl");
    return crawl;
  };
  const retry = async (what: Retry = ERRORED) => {
    const answer = await retryCrawl(await read(), what, world.deps);
    await expectCountersExact(id);
    return answer;
  };
  return { world, id, heal, read, retry };
}

describe("a crawl that has ended", () => {
  test("runs again, and completes the pages that failed", async () => {
    const { world, id, heal, read, retry } = await runCrawl(60);
    const before = await read();
    expect(before).toMatchObject({ status: "completed", counters: { completed: 1, errored: 60 } });
    heal();
    expect(await retry()).toEqual({ kind: "retried", retried: 60 });
    expect(await read()).toMatchObject({ status: "running", finishedAt: null, epoch: before.epoch + 1 });
    expect((await read()).bytes).toBe(before.bytes);
    await world.runToEnd(id);
    await expectCountersExact(id);
    const after = await read();
    expect(after).toMatchObject({ status: "completed", counters: { completed: 61, errored: 0, discovered: 61 } });
    expect(after.finishedAt).toBeGreaterThan(before.finishedAt ?? 0);
    expect(world.fetched.filter((url) => url === SEED)).toHaveLength(1);
  });

  test("ends with the same result if the site has not changed", async () => {
    const { world, id, read, retry } = await runCrawl(5);
    await retry();
    await world.runToEnd(id);
    expect((await read()).counters).toMatchObject({ completed: 1, errored: 5 });
  });

  test("stays ended if no URL can be retried", async () => {
    const { read, retry } = await runCrawl(5);
    const before = await read();
    expect(await retry({ ...ERRORED, reason: "dns" })).toEqual({ kind: "retried", retried: 0 });
    expect(await read()).toEqual(before);
  });

  test("has its whole time limit again", async () => {
    const { world, id, read, retry, heal } = await runCrawl(5, { maxDurationS: 3_600 });
    world.now += 7_200_000;
    heal();
    await retry();
    await world.runToEnd(id);
    expect(await read()).toMatchObject({ status: "completed", counters: { completed: 6 } });
  });
});

describe("the page limit", () => {
  test("refuses a retry when it is reached, unless the retry raises it", async () => {
    const { world, id, read, retry, heal } = await runCrawl(9, { limit: 4 }, (path) => path === "/1");
    expect((await read()).counters).toMatchObject({ completed: 4, errored: 1, skipped: 5 });
    expect(await retry()).toEqual({ kind: "full" });
    expect((await read()).status).toBe("completed");
    heal();
    expect(await retry({ ...ERRORED, limit: 5 })).toEqual({ kind: "retried", retried: 1 });
    await world.runToEnd(id);
    expect(await read()).toMatchObject({ options: { limit: 5 }, counters: { completed: 5, errored: 0, skipped: 5 } });
    expect(await retry({ status: "skipped", reason: "limit", limit: 100 })).toEqual({ kind: "retried", retried: 5 });
    await world.runToEnd(id);
    expect((await read()).counters).toMatchObject({ completed: 10, skipped: 0 });
  });

  test("lets in as many retries as fit, and skips the others", async () => {
    const { world, id, read, retry, heal } = await runCrawl(9, { limit: 4 }, (path) => Number(path.slice(1)) > 1);
    expect((await read()).counters).toMatchObject({ completed: 2, errored: 8 });
    heal();
    await retry();
    await world.runToEnd(id);
    await expectCountersExact(id);
    expect((await read()).counters).toMatchObject({ completed: 4, skipped: 6, errored: 0 });
  });
});

describe("a crawl in another state", () => {
  test("that was cancelled retries its cancelled URLs", async () => {
    const { web } = failing(30, () => false);
    const world = new World(web);
    const id = await world.start([SEED]);
    await world.turn();
    await cancelCrawl(id, "cancelled_by_user", world.deps);
    const crawl = await world.deps.ledger.crawl(id);
    if (crawl === null) throw new Error("no crawl");
    expect(await retryCrawl(crawl, { status: "cancelled", reason: null, limit: null }, world.deps)).toEqual({
      kind: "retried",
      retried: 30,
    });
    await world.runToEnd(id);
    await expectCountersExact(id);
    expect(await world.deps.ledger.crawl(id)).toMatchObject({ status: "completed", counters: { completed: 31 } });
  });

  test("that is paused stays paused", async () => {
    const { web, heal } = failing(40, (path) => Number(path.slice(1)) < 10);
    const world = new World(web);
    const id = await world.start([SEED], { maxQueued: 10 });
    for (let turn = 0; turn < 3; turn++) await world.turn();
    await world.deps.ledger.pause(id, world.now);
    const crawl = await world.deps.ledger.crawl(id);
    if (crawl === null) throw new Error("no crawl");
    expect(crawl.counters.errored).toBeGreaterThan(0);
    heal();
    expect(await retryCrawl(crawl, ERRORED, world.deps)).toEqual({ kind: "retried", retried: crawl.counters.errored });
    expect((await world.deps.ledger.crawl(id))?.status).toBe("paused");
    await expectCountersExact(id);
  });

  test("that is being deleted retries no URL", async () => {
    const { world, id, read } = await runCrawl(3);
    const crawl = await read();
    await world.deps.deletions.mark(id, true, world.now);
    expect(await retryCrawl(crawl, ERRORED, world.deps)).toEqual({ kind: "retried", retried: 0 });
  });
});

describe("a batch in flight while its crawl is cancelled", () => {
  /** Cancels the crawl before the second commit. With `sweep`, its open URLs end before that commit, too. */
  async function cancelInFlight(sweep: boolean) {
    const site: Web = (url) => {
      const { pathname } = new URL(url);
      if (pathname === "/") return { links: [`${SEED}list`] };
      return { links: pathname === "/list" ? Array.from({ length: 20 }, (_, i) => `${SEED}${i}`) : [] };
    };
    let id = "";
    let commits = 0;
    const world: World = new World(site, {
      beforeCommit: async () => {
        commits += 1;
        if (commits !== 2) return;
        if (sweep) await cancelCrawl(id, "cancelled_by_user", world.deps);
        else await world.deps.ledger.cancel(id, "cancelled_by_user", world.now);
      },
    });
    id = await world.start([SEED]);
    for (let turn = 0; turn < 3; turn++) await world.turn();
    await heartbeat(world.deps);
    return { world, id };
  }

  test.each([false, true])("loses no link, because a retry reads the page again; swept before: %s", async (sweep) => {
    const { world, id } = await cancelInFlight(sweep);
    const crawl = await world.deps.ledger.crawl(id);
    if (crawl === null) throw new Error("no crawl");
    expect(crawl).toMatchObject({ status: "cancelled_by_user", counters: { completed: 1, cancelled: 1, queued: 0 } });
    await expectCountersExact(id);
    expect(await retryCrawl(crawl, { status: "cancelled", reason: null, limit: null }, world.deps)).toEqual({
      kind: "retried",
      retried: 1,
    });
    await world.runToEnd(id);
    await expectCountersExact(id);
    expect(await world.deps.ledger.crawl(id)).toMatchObject({ status: "completed", counters: { completed: 22 } });
  });
});

describe("sitemaps that a limit or a cancellation left unread", () => {
  const listed = (from: number) => Array.from({ length: 30 }, (_, i) => ({ url: `${SEED}${from + i}`, lastmod: null }));
  const site: Web = () => ({ links: [] });
  const sitemapsOf = (url: string) => {
    if (url === `${SEED}sitemap.xml`)
      return { sitemaps: [1, 2, 3].map((n) => ({ url: `${SEED}sitemap-${n}.xml`, lastmod: null })) };
    return { pages: listed(100 * Number(/sitemap-(\d)/.exec(url)?.[1])) };
  };

  test("are read when the crawl goes on past its limit", async () => {
    const world = new World(site, { sitemaps: sitemapsOf });
    const id = await world.start([SEED], { source: "all", limit: 5 });
    await world.runToEnd(id);
    const crawl = await world.deps.ledger.crawl(id);
    if (crawl === null) throw new Error("no crawl");
    expect(crawl.counters.completed).toBe(5);
    expect(world.asked).not.toContain(`${SEED}sitemap-3.xml`);
    await retryCrawl(crawl, { status: "skipped", reason: "limit", limit: 1_000 }, world.deps);
    await world.runToEnd(id);
    await expectCountersExact(id);
    expect(await world.deps.ledger.crawl(id)).toMatchObject({ status: "completed", counters: { completed: 91 } });
  });

  test("are read even if no page waits", async () => {
    const world = new World(site, { sitemaps: sitemapsOf });
    const id = await world.start([SEED], { source: "all", limit: 1 });
    await world.runToEnd(id);
    const crawl = await world.deps.ledger.crawl(id);
    if (crawl === null) throw new Error("no crawl");
    expect(crawl.counters).toMatchObject({ completed: 1, skipped: 0 });
    await retryCrawl(crawl, { status: "skipped", reason: "limit", limit: 1_000 }, world.deps);
    await world.runToEnd(id);
    expect(await world.deps.ledger.crawl(id)).toMatchObject({ status: "completed", counters: { completed: 91 } });
  });

  test("are read when a cancelled crawl goes on", async () => {
    const world = new World(site, { sitemaps: sitemapsOf });
    const id = await world.start([SEED], { source: "all" });
    await cancelCrawl(id, "cancelled_by_user", world.deps);
    const crawl = await world.deps.ledger.crawl(id);
    if (crawl === null) throw new Error("no crawl");
    await retryCrawl(crawl, { status: "cancelled", reason: null, limit: null }, world.deps);
    await world.runToEnd(id);
    expect(await world.deps.ledger.crawl(id)).toMatchObject({ status: "completed", counters: { completed: 91 } });
  });
});

test("thousands of URLs are retried in chunks, each once", async () => {
  const { read, retry } = await runCrawl(4_500);
  expect(await retry()).toEqual({ kind: "retried", retried: 4_500 });
  expect((await read()).counters).toMatchObject({ pending: 0, queued: 4_500, errored: 0 });
});

describe("the API", () => {
  const silent = { sendBatch: async () => undefined } as unknown as Queue;
  async function ask(id: string, body?: unknown) {
    const init = {
      method: "POST",
      headers: { authorization: "Bearer test-token" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    const path = `/api/crawls/${id}/retry`;
    const answer = await app.request(path, init, { ...env, FRONTIER: silent }, createExecutionContext());
    const { result } = (await answer.json()) as { result: { retried: number; crawl: CrawlView } | null };
    return [answer.status, result?.retried, result?.crawl.status];
  }

  test("retries errored URLs without a body, and derives the status from a reason", async () => {
    const { id } = await runCrawl(3);
    expect(await ask(id)).toEqual([200, 3, "running"]);
    expect(await ask(id, { reason: "robots" })).toEqual([200, 0, "running"]);
  });

  test("refuses a reason of another status, and the status completed", async () => {
    const { id } = await runCrawl(3);
    expect((await ask(id, { status: "errored", reason: "robots" }))[0]).toBe(400);
    expect((await ask(id, { status: "completed" }))[0]).toBe(400);
  });

  test("refuses a crawl that has all its pages with 409", async () => {
    const { id } = await runCrawl(3, { limit: 1 });
    expect((await ask(id, { status: "skipped" }))[0]).toBe(409);
  });
});
