import { env } from "cloudflare:test";
import { beforeEach, expect, test } from "vitest";
import { type CrawlOptions, DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import { Meter, meteredDatabase } from "../../src/store/installation/metered.ts";
import { Ledger } from "../../src/store/ledger/ledger.ts";
import { type CrawlCommit, emptyCommit } from "../../src/store/ledger/ledger-commit.ts";
import { Motion } from "../../src/store/ledger/motion.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { discovered, settled } from "./rows.ts";

/** URLs that wait for a place in the queue: what waiting costs, in which order they move up, and who may send them. */

const meter = new Meter();
const db = meteredDatabase(env.LEDGER, meter);
const ledger = new Ledger(db);
const motion = new Motion(db);
const SEED = "https://a.test/";
let id = "";

beforeEach(() => {
  id = crypto.randomUUID();
});

async function create(changes: Partial<CrawlOptions>) {
  const options = { ...DEFAULT_OPTIONS, urls: [SEED], userAgent: "Test/1", limit: 100_000, ...changes };
  const seeds = [discovered(SEED, { depth: 0 })];
  await ledger.create({ id, options, hosts: ["a.test"], seeds, sitemaps: [], now: 1 });
}

async function commit(changes: Partial<CrawlCommit>): Promise<string[]> {
  const [moved] = await ledger.commit([{ ...emptyCommit(id), ...changes }], 10);
  await expectCountersExact(id);
  return moved?.queued ?? [];
}

async function moving(most: number, after = ""): Promise<{ urls: string[]; last: string | null }> {
  const { rows, last } = await motion.pages(id, after, most, 20);
  return { urls: rows.map(({ url }) => url), last };
}

const pages = (n: number, from = 0) => Array.from({ length: n }, (_, i) => `${SEED}${from + i}`);
const failed = (url: string) => settled(url, { status: "errored", reason: "timeout" });

test("a URL that waits costs a tenth of a written row more than one that does not", async () => {
  const written = async (maxQueued: number) => {
    id = crypto.randomUUID();
    await create({ maxQueued });
    meter.take();
    const discoveries = pages(1_000).map((url) => discovered(url));
    let queued = await commit({ outcomes: [settled(SEED)], discoveries });
    while (queued.length > 0) {
      const batch = queued.slice(0, 25);
      queued = [...queued.slice(25), ...(await commit({ outcomes: batch.map(failed) }))];
    }
    return meter.take().ledgerRowsWritten ?? 0;
  };
  const [direct, waiting] = [await written(10_000), await written(25)];
  expect((waiting - direct) / 975).toBeLessThan(0.2);
});

test("retried URLs and the backlog move up in one order: priority, depth, discovery", async () => {
  await create({ maxQueued: 2 });
  const first = [discovered(`${SEED}a`), discovered(`${SEED}b`)];
  const [a = "", b = ""] = await commit({ outcomes: [settled(SEED)], discoveries: first });
  const later = [
    discovered(`${SEED}deep`, { depth: 4 }),
    discovered(`${SEED}wanted`, { priority: 5 }),
    discovered(`${SEED}like-a-1`),
    discovered(`${SEED}like-a-2`),
    discovered(`${SEED}image`, { kind: "asset", priority: 1_000 }),
    discovered(`${SEED}growing`, { priority: -30 }),
  ];
  const order = await commit({ outcomes: [failed(a)], discoveries: later });
  await ledger.retry(id, { status: "errored", reason: null, limit: null }, "", 20);
  await expectCountersExact(id);
  let queued = [b, ...order];
  while (queued.length > 0) {
    const up = await commit({ outcomes: queued.map((url) => settled(url)) });
    order.push(...up.toSorted((x, y) => places.indexOf(x) - places.indexOf(y)));
    queued = up;
  }
  expect(order).toEqual(places);
  expect((await ledger.crawl(id))?.status).toBe("completed");
});

const places = ["image", "wanted", "a", "like-a-1", "like-a-2", "deep", "growing"].map((name) => `${SEED}${name}`);

test("what waits is sent by no repair, and is shown as pending", async () => {
  await create({ maxQueued: 3 });
  const queued = await commit({ outcomes: [settled(SEED)], discoveries: pages(250).map((url) => discovered(url)) });
  expect(await moving(1_000)).toEqual({ urls: queued.toSorted(), last: null });
  expect(await ledger.isInBacklog(id, `${SEED}200`)).toBe(true);
  expect(await ledger.isInBacklog(id, queued[0] ?? "")).toBe(false);
  expect((await ledger.crawl(id))?.counters).toMatchObject({ queued: 3, pending: 247 });
});

test("what waits is passed over a portion at a time, however much it is", async () => {
  await create({ maxQueued: 3 });
  const queued = await commit({ outcomes: [settled(SEED)], discoveries: pages(3_000).map((url) => discovered(url)) });
  const found: string[] = [];
  const read: number[] = [];
  for (let after: string | null = ""; after !== null; ) {
    meter.take();
    const { urls, last }: Awaited<ReturnType<typeof moving>> = await moving(500, after);
    read.push(meter.take().ledgerRowsRead ?? 0);
    found.push(...urls);
    after = last;
  }
  expect(found).toEqual(queued.toSorted());
  expect(Math.max(...read)).toBeLessThan(500 * 5);
});

test("a commit that is repeated under its name moves nothing up again", async () => {
  await create({ maxQueued: 5 });
  await commit({ outcomes: [settled(SEED)], discoveries: pages(30).map((url) => discovered(url)) });
  const before = await ledger.crawl(id);
  let runs = 0;
  // D1 runs a transaction again when its answer was lost.
  const again = {
    prepare: env.LEDGER.prepare.bind(env.LEDGER),
    batch: async <T>(statements: D1PreparedStatement[]) => {
      runs += 1;
      await env.LEDGER.batch<T>(statements);
      return env.LEDGER.batch<T>(statements);
    },
  };
  const [url = ""] = (await moving(1_000)).urls;
  await new Ledger(again as unknown as D1Database).commit([{ ...emptyCommit(id), outcomes: [failed(url)] }], 30);
  expect(runs).toBe(1);
  await expectCountersExact(id);
  const pending = before?.counters.pending ?? 0;
  expect((await ledger.crawl(id))?.counters).toMatchObject({ queued: 5, pending: pending - 1, errored: 1 });
});

test("a URL that settles while it waits is counted once", async () => {
  await create({ maxQueued: 2 });
  const queued = await commit({ outcomes: [settled(SEED)], discoveries: pages(6).map((url) => discovered(url)) });
  const waiting = pages(6).find((url) => !queued.includes(url)) ?? "";
  // Code of before the backlog may have sent it.
  await ledger.commit([{ ...emptyCommit(id), outcomes: [failed(waiting)] }], 20);
  let open = queued;
  while (open.length > 0) {
    const [moved] = await ledger.commit([{ ...emptyCommit(id), outcomes: open.map((url) => settled(url)) }], 30);
    open = (moved?.queued ?? []).filter((url) => url !== waiting);
  }
  await expectCountersExact(id);
  expect(await ledger.crawl(id)).toMatchObject({
    status: "completed",
    counters: { completed: 6, errored: 1, queued: 0, pending: 0 },
  });
});

/** A crawl whose backlog holds pages beyond its limit, and assets. */
async function fillBacklog() {
  await create({ maxQueued: 2, limit: 3 });
  const queued = await commit({ outcomes: [settled(SEED)], discoveries: pages(9).map((url) => discovered(url)) });
  const images = pages(5).map((url) => discovered(`${url}.png`, { kind: "asset", priority: 1_000 }));
  return commit({ outcomes: queued.map((url) => settled(url)), discoveries: images });
}

async function endsByKind() {
  const ends = "SELECT kind, status, reason, count(*) AS n FROM urls WHERE crawl = ?1 GROUP BY 1, 2, 3 ORDER BY 1, 2";
  return env.LEDGER.prepare(ends).bind(id).raw();
}

test("at the page limit, pages leave the backlog, and assets stay and go on", async () => {
  let queued = await fillBacklog();
  await ledger.retireOverLimit(id, 20);
  await expectCountersExact(id);
  while (queued.length > 0) queued = await commit({ outcomes: queued.map((url) => settled(url)) });
  expect(await endsByKind()).toEqual([
    ["asset", "completed", null, 5],
    ["page", "completed", null, 3],
    ["page", "skipped", "limit", 7],
  ]);
});

test("a cancel empties the backlog of pages and assets", async () => {
  await fillBacklog();
  await ledger.cancel(id, "cancelled_by_user", 20);
  await ledger.retireOpen(id, 20);
  await expectCountersExact(id);
  expect(await endsByKind()).toEqual([
    ["asset", "cancelled", "cancelled", 5],
    ["page", "cancelled", "cancelled", 7],
    ["page", "completed", null, 3],
  ]);
});
