import { env } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { type CrawlOptions, DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import { Meter, meteredDatabase } from "../../src/store/installation/metered.ts";
import { Ledger, STALL_AFTER_MS } from "../../src/store/ledger/ledger.ts";
import { type CrawlCommit, emptyCommit } from "../../src/store/ledger/ledger-commit.ts";
import { Records } from "../../src/store/records/records.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { discovered, settled } from "./rows.ts";

const ledger = new Ledger(env.LEDGER);
const records = new Records(env.LEDGER);
const SEED = "https://a.test/";
let id = "";

beforeEach(() => {
  id = crypto.randomUUID();
});

function options(changes: Partial<CrawlOptions> = {}): CrawlOptions {
  return { ...DEFAULT_OPTIONS, urls: [SEED], userAgent: "Test/1", limit: 1000, ...changes };
}

async function create(changes: Partial<CrawlOptions> = {}) {
  return ledger.create({
    id,
    options: options(changes),
    hosts: ["a.test"],
    seeds: [discovered(SEED, { depth: 0 })],
    sitemaps: [],
    now: 1,
  });
}

async function commit(changes: Partial<CrawlCommit>) {
  const [moved] = await ledger.commit([{ ...emptyCommit(id), ...changes }], 10);
  await expectCountersExact(id);
  if (moved === undefined) throw new Error("the commit returned no result");
  return moved;
}

const counters = async () => (await ledger.crawl(id))?.counters;
const pages = (n: number, from = 0) =>
  Array.from({ length: n }, (_, i) => `https://a.test/${String(from + i).padStart(4, "0")}`);

describe("a commit", () => {
  test("settles, discovers, counts and queues URLs in one transaction", async () => {
    await create();
    const moved = await commit({ outcomes: [settled(SEED)], discoveries: pages(3).map((url) => discovered(url)) });
    expect(moved.queued.sort()).toEqual(pages(3));
    expect(await counters()).toMatchObject({ discovered: 4, completed: 1, queued: 3, pending: 0 });
    expect((await ledger.crawl(id))?.bytes).toBe(10);
  });

  test("returns the URLs that it settled, and settles none of them twice", async () => {
    await create();
    const moved = await commit({ discoveries: pages(2).map((url) => discovered(url)) });
    expect(moved.settled).toEqual([]);
    const [a = "", b = ""] = moved.queued;
    const changes = {
      outcomes: [
        settled(SEED),
        settled(a, { status: "errored", reason: "http-status" }),
        settled(b, { status: "queued", reason: "timeout" }),
      ],
    };
    expect((await commit(changes)).settled.toSorted((x, y) => x.url.localeCompare(y.url))).toEqual([
      { url: SEED, status: "completed", reason: null },
      { url: a, status: "errored", reason: "http-status" },
      { url: b, status: "queued", reason: "timeout" },
    ]);
    const again = await commit({ outcomes: changes.outcomes.slice(0, 2) });
    expect([again.settled, again.state?.tx_ended]).toEqual([[], 0]);
    const last = { outcomes: [settled(b)] };
    expect((await commit(last)).state).toMatchObject({ status: "completed", tx_ended: 1 });
    expect((await commit(last)).state).toMatchObject({ status: "completed", tx_ended: 0 });
  });

  test("counts once if it is delivered twice", async () => {
    await create();
    const changes = {
      outcomes: [settled(SEED)],
      discoveries: pages(3).map((url) => discovered(url)),
      refusals: [
        { page: SEED, in: "urls" as const, reason: "off-host" as const, count: 2, examples: ["https://b.test/"] },
      ],
    };
    await commit(changes);
    const again = await commit(changes);
    expect(again.queued).toEqual([]);
    expect(await counters()).toMatchObject({ discovered: 4, completed: 1, queued: 3 });
    expect(await ledger.refusals(id)).toEqual([{ reason: "off-host", count: 2, examples: ["https://b.test/"] }]);
  });

  test("reads a few rows for each URL, even in a large crawl", async () => {
    await create({ maxQueued: 10_000 });
    await commit({ discoveries: pages(3_000).map((url) => discovered(url)) });
    const before = await rowsRead();
    await commit({
      outcomes: pages(5).map((url) => settled(url)),
      discoveries: pages(5, 5_000).map((url) => discovered(url)),
    });
    expect((await rowsRead()) - before).toBeLessThan(200);
  });

  test("adds more links than one parameter of D1 can hold in portions, and moves the first of them up", async () => {
    await create({ limit: 50 });
    const urls = pages(30_000).map((url) => `${url}/${"x".repeat(40)}`);
    const moved = await commit({
      outcomes: [settled(SEED)],
      discoveries: urls.map((url) => discovered(url, { via: SEED })),
    });
    expect(moved.queued.sort()).toEqual(urls.slice(0, 49));
    expect(await counters()).toMatchObject({ discovered: 30_001, completed: 1, queued: 49, pending: 29_951 });
  });

  test("loses nothing if it fails after some portions, and sends each URL once", async () => {
    await create({ limit: 50 });
    const urls = pages(20_000).map((url) => `${url}/${"x".repeat(40)}`);
    const changes = { outcomes: [settled(SEED)], discoveries: urls.map((url) => discovered(url, { via: SEED })) };
    let left = 1;
    const failing = new Ledger(
      new Proxy(env.LEDGER, {
        get: (db, name) => {
          if (name === "batch" && left-- === 0) throw new Error("D1 is away");
          const value: unknown = Reflect.get(db, name);
          return typeof value === "function" ? value.bind(db) : value;
        },
      }),
    );
    await expect(failing.commit([{ ...emptyCommit(id), ...changes }], 10)).rejects.toThrow("D1 is away");
    await expectCountersExact(id);
    const between = await counters();
    expect(between).toMatchObject({ completed: 0, queued: 1 });
    expect(between?.pending).toBeGreaterThan(900);
    const moved = await commit(changes);
    expect(moved.queued.sort()).toEqual(urls.slice(0, 49));
    expect(await counters()).toMatchObject({ discovered: 20_001, completed: 1, queued: 49 });
  });

  test("a cancel between two portions leaves the page to a retry", async () => {
    await create();
    const urls = pages(30_000).map((url) => `${url}/${"x".repeat(40)}`);
    let calls = 0;
    const interrupted = new Ledger(
      new Proxy(env.LEDGER, {
        get: (db, name) => {
          if (name === "batch")
            return async (statements: D1PreparedStatement[]) => {
              calls += 1;
              if (calls === 2) await ledger.cancel(id, "cancelled_by_user", 20);
              return db.batch(statements);
            };
          const value: unknown = Reflect.get(db, name);
          return typeof value === "function" ? value.bind(db) : value;
        },
      }),
    );
    const discoveries = urls.map((url) => discovered(url, { via: SEED }));
    await interrupted.commit([{ ...emptyCommit(id), outcomes: [settled(SEED)], discoveries }], 10);
    await expectCountersExact(id);
    await ledger.retireOpen(id, 20);
    await expectCountersExact(id);
    expect((await records.get(id, SEED))?.status).toBe("cancelled");
  });

  test("ends the crawl when no URL is open", async () => {
    await create();
    const moved = await commit({ outcomes: [settled(SEED)] });
    expect(moved.state?.status).toBe("completed");
    expect((await ledger.crawl(id))?.finishedAt).toBe(10);
  });

  test("ends a crawl without completed pages as errored", async () => {
    await create();
    const moved = await commit({ outcomes: [settled(SEED, { status: "disallowed", reason: "robots" })] });
    expect(moved.state?.status).toBe("errored");
  });

  test("leaves a URL queued that will be retried, and counts the attempt", async () => {
    await create();
    await commit({ outcomes: [settled(SEED, { status: "queued", reason: "timeout" })] });
    expect(await counters()).toMatchObject({ queued: 1, errored: 0 });
    expect((await records.get(id, SEED))?.attempts).toBe(1);
  });

  test("adds the host that a seed redirects to, once", async () => {
    await create();
    await commit({
      outcomes: [settled(SEED, { status: "skipped", reason: "redirected" })],
      joinedHosts: ["b.test"],
      discoveries: [discovered("https://b.test/", { depth: 0 })],
    });
    await commit({ joinedHosts: ["b.test"] });
    expect((await ledger.crawl(id))?.hosts.sort()).toEqual(["a.test", "b.test"]);
  });

  test("discovers no URL for a crawl that has ended", async () => {
    await create();
    await ledger.cancel(id, "cancelled_by_user", 5);
    await commit({ outcomes: [settled(SEED)], discoveries: pages(3).map((url) => discovered(url, { via: SEED })) });
    expect(await counters()).toMatchObject({ discovered: 1, completed: 0, queued: 1, pending: 0 });
  });

  test("settles a page without new links, even if the crawl has ended", async () => {
    await create();
    await ledger.cancel(id, "cancelled_by_user", 5);
    await commit({ outcomes: [settled(SEED)] });
    expect(await counters()).toMatchObject({ completed: 1, queued: 0 });
  });
});

describe("the limit", () => {
  test("counts completed pages: a skipped page makes room for the next", async () => {
    await create({ limit: 3 });
    const first = await commit({ outcomes: [settled(SEED)], discoveries: pages(5).map((url) => discovered(url)) });
    expect(first.queued).toHaveLength(2);
    expect(await counters()).toMatchObject({ queued: 2, pending: 3 });
    const [a = "", b = ""] = first.queued;
    const second = await commit({ outcomes: [settled(a), settled(b, { status: "skipped", reason: "empty" })] });
    expect(second.queued).toHaveLength(1);
    const third = await commit({ outcomes: [settled(second.queued[0] ?? "")] });
    expect(third.state).toMatchObject({ status: "running", taken: 3, queued: 0, pending: 2 });
    await ledger.retireOverLimit(id, 20);
    await expectCountersExact(id);
    expect(await ledger.crawl(id)).toMatchObject({
      status: "completed",
      counters: { completed: 3, skipped: 3, pending: 0 },
    });
    expect((await records.list(id, { cursor: "", limit: 10, status: "skipped" })).map(({ reason }) => reason)).toEqual([
      "empty",
      "limit",
      "limit",
    ]);
  });

  test("queues by priority, then depth, then order of discovery", async () => {
    await create({ limit: 2, maxQueued: 1 });
    await commit({
      discoveries: [
        discovered("https://a.test/deep", { depth: 3 }),
        discovered("https://a.test/first", { depth: 1 }),
        discovered("https://a.test/second", { depth: 1 }),
        discovered("https://a.test/wanted", { depth: 9, priority: 1 }),
      ],
    });
    const order: string[] = [];
    let { queued } = await commit({ outcomes: [settled(SEED, { status: "skipped", reason: "empty" })] });
    while (queued.length > 0) {
      const [url = ""] = queued;
      order.push(new URL(url).pathname);
      ({ queued } = await commit({ outcomes: [settled(url, { status: "skipped", reason: "empty" })] }));
    }
    expect(order).toEqual(["/wanted", "/first", "/second", "/deep"]);
  });

  test("maxQueued bounds the queued URLs, and no URL is lost", async () => {
    await create({ maxQueued: 10 });
    let { queued } = await commit({ outcomes: [settled(SEED)], discoveries: pages(35).map((url) => discovered(url)) });
    const seen = new Set<string>();
    while (queued.length > 0) {
      expect((await counters())?.queued).toBeLessThanOrEqual(10);
      for (const url of queued) seen.add(url);
      ({ queued } = await commit({ outcomes: queued.map((url) => settled(url)) }));
    }
    expect(seen.size).toBe(35);
    expect((await ledger.crawl(id))?.status).toBe("completed");
  });
});

describe("a change during a sweep", () => {
  const statusOf = async () => (await ledger.crawl(id))?.status;

  /** Calls `meanwhile` after the first transaction. */
  function interruptedBy(meanwhile: () => Promise<unknown>): Ledger {
    let calls = 0;
    const db = {
      prepare: (sql: string) => env.LEDGER.prepare(sql),
      batch: async (statements: D1PreparedStatement[]) => {
        const results = await env.LEDGER.batch(statements);
        calls += 1;
        if (calls === 1) await meanwhile();
        return results;
      },
    };
    return new Ledger(db as unknown as D1Database);
  }

  test("a limit that is raised during the sweep saves the URLs that are not skipped yet", async () => {
    await create({ limit: 1 });
    await commit({ outcomes: [settled(SEED)], discoveries: pages(4_500).map((url) => discovered(url)) });
    await interruptedBy(() => ledger.amend(id, { limit: 100 }, 20)).retireOverLimit(id, 20);
    await expectCountersExact(id);
    // The first transaction ends whole rows of the backlog, and two of them are not full.
    const { skipped = 0, queued, pending = 0 } = (await counters()) ?? {};
    expect(skipped).toBeGreaterThan(1_800);
    expect(skipped).toBeLessThanOrEqual(2_000);
    expect({ queued, both: skipped + pending }).toEqual({ queued: 99, both: 4_401 });
    expect(await statusOf()).toBe("running");
  });

  test("a retried crawl keeps its URLs if the heartbeat works through an older list", async () => {
    await create();
    await commit({ outcomes: [settled(SEED)], discoveries: pages(3).map((url) => discovered(url)) });
    await ledger.cancel(id, "cancelled_by_user", 20);
    const stale = (await ledger.overdue(20)).unswept.find((one) => one === id);
    await ledger.retireOpen(id, 20);
    await ledger.retry(id, { status: "cancelled", reason: null, limit: null }, "", 30);
    expect(await statusOf()).toBe("running");
    await ledger.retireOpen(stale ?? "", 40);
    await expectCountersExact(id);
    expect(await counters()).toMatchObject({ cancelled: 0, queued: 3 });
  });
});

describe("epochs", () => {
  test("pause and resume raise the epoch; a paused crawl queues no URL and does not end", async () => {
    await create();
    expect(await ledger.pause(id, 5)).toBe(true);
    expect(await ledger.pause(id, 5)).toBe(false);
    const moved = await commit({ outcomes: [settled(SEED)], discoveries: pages(2).map((url) => discovered(url)) });
    expect(moved).toMatchObject({ queued: [], state: { status: "paused", epoch: 2, pending: 2 } });
    const resumed = await ledger.resume(id, 20);
    expect(resumed?.state).toMatchObject({ status: "running", epoch: 3, queued: 2 });
    await expectCountersExact(id);
  });

  test("only a stalled crawl is repaired, and only once", async () => {
    await create();
    expect(await ledger.repair(id, STALL_AFTER_MS)).toBeNull();
    expect((await ledger.overdue(1 + STALL_AFTER_MS)).stalled).toContain(id);
    expect((await ledger.repair(id, 1 + STALL_AFTER_MS))?.state?.epoch).toBe(2);
    expect(await ledger.repair(id, 1 + STALL_AFTER_MS)).toBeNull();
  });

  test("a crawl that waits for a late message is not stalled", async () => {
    await create();
    await ledger.expectProgress(id, 10_000_000);
    expect((await ledger.overdue(9_999_999)).stalled).not.toContain(id);
  });
});

test("a cancelled crawl ends every open URL with a reason", async () => {
  await create({ maxQueued: 10 });
  await commit({ outcomes: [settled(SEED)], discoveries: pages(25).map((url) => discovered(url)) });
  expect(await ledger.cancel(id, "cancelled_by_user", 20)).toBe(true);
  expect((await ledger.overdue(20)).unswept).toContain(id);
  await ledger.retireOpen(id, 20);
  await expectCountersExact(id);
  expect(await counters()).toMatchObject({ completed: 1, cancelled: 25, pending: 0, queued: 0 });
  expect((await ledger.overdue(20)).unswept).not.toContain(id);
});

test("unknown() leaves out URLs that have a row", async () => {
  await create();
  expect(await ledger.unknown(id, [SEED, "https://a.test/new"])).toEqual(new Set(["https://a.test/new"]));
});

test("originals() finds the page that stores a content itself, and reads few rows of a large crawl", async () => {
  await create({ maxQueued: 10_000 });
  await commit({ discoveries: pages(400).map((url) => discovered(url)) });
  await env.LEDGER.prepare(
    `UPDATE urls SET status = 'completed', fetched_at = seq, pack = 'p', pack_offset = 1, sha256 = CASE WHEN seq < 300 THEN 'd' || seq ELSE 'same' END,
       revisits = CASE WHEN seq > 300 THEN (SELECT url FROM urls o WHERE o.crawl = urls.crawl AND o.seq = 300) END WHERE crawl = ?1`,
  )
    .bind(id)
    .run();
  const [original] = await env.LEDGER.batch<{ url: string }>([
    env.LEDGER.prepare("SELECT url FROM urls WHERE crawl = ?1 AND seq = 300").bind(id),
  ]);
  const meter = new Meter();
  const metered = new Ledger(meteredDatabase(env.LEDGER, meter));
  const originals = await metered.originals(id, ["d7", "same", "new", "d8"]);
  expect(originals.map(({ sha256 }) => sha256).sort()).toEqual(["d7", "d8", "same"]);
  expect(originals.find(({ sha256 }) => sha256 === "same")).toMatchObject({
    url: original?.results[0]?.url,
    fetchedAt: 300,
  });
  expect(meter.take().ledgerRowsRead).toBeLessThan(30);
});

/** The number of rows that D1 has read so far. */
async function rowsRead(): Promise<number> {
  return totalRowsRead;
}

let totalRowsRead = 0;
const batch = env.LEDGER.batch.bind(env.LEDGER);
env.LEDGER.batch = async <T>(statements: D1PreparedStatement[]) => {
  const results = await batch<T>(statements);
  for (const { meta } of results) totalRowsRead += meta.rows_read;
  return results;
};
