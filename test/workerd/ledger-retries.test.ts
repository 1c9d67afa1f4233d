import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import { Meter, meteredDatabase } from "../../src/store/installation/metered.ts";
import { Schedules } from "../../src/store/installation/schedules.ts";
import { Ledger } from "../../src/store/ledger/ledger.ts";
import { emptyCommit } from "../../src/store/ledger/ledger-commit.ts";
import { Faults, faultyDatabase } from "./faulty.ts";
import { expectCountersExact, expectIndexExact } from "./ledger-invariant.ts";
import { discovered, settled } from "./rows.ts";

/** D1's transient errors: a call is retried, and its answer is the same, whether its first try took effect or not. */

const SEED = "https://a.test/";
const LOST = "D1_ERROR: Network connection lost.";
const sure = new Ledger(env.LEDGER);
const options = { ...DEFAULT_OPTIONS, urls: [SEED], userAgent: "Test/1", limit: 1_000, search: true };
const pages = (n: number, from = 0) => Array.from({ length: n }, (_, i) => `${SEED}${from + i}`);

/** The waits of the last ledger that `ledgerWith` opened. */
let waits: number[] = [];

function databaseWith(faults: Faults): D1Database {
  waits = [];
  const clock = { sleep: async (ms: number) => void waits.push(ms) };
  return meteredDatabase(faultyDatabase(env.LEDGER, faults), new Meter(), clock);
}

/** A ledger whose first call fails. */
const ledgerWith = (when: "before" | "after", message = LOST, times = 1) =>
  new Ledger(databaseWith(new Faults(1, when, message, times)));

function newCrawl(id: string) {
  const sitemaps = [{ url: `${SEED}sitemap.xml`, via: null, guessed: true, depth: 0, redirects: 0 }];
  return { id, options, hosts: ["a.test"], seeds: [discovered(SEED, { depth: 0 })], sitemaps, now: 1 };
}

async function create(maxQueued = 1_000): Promise<string> {
  const id = crypto.randomUUID();
  await sure.create({ ...newCrawl(id), options: { ...options, maxQueued } });
  return id;
}

test.each([
  "D1 DB reset because its code was updated.",
  "Internal error while starting up D1 DB storage caused object to be reset.",
  "Internal error in D1 DB storage caused object to be reset.",
  "Network connection lost.",
  "Cannot resolve D1 DB due to transient issue on remote node.",
  "Can't read from request stream because client disconnected.",
  "D1 DB is overloaded. Requests queued for too long.",
  "D1 DB is overloaded. Too many requests queued.",
])("three errors in a row are retried within seven seconds: %s", async (message) => {
  const id = await create();
  expect((await ledgerWith("before", `D1_ERROR: ${message}`, 3).crawl(id))?.id).toBe(id);
  expect(waits).toHaveLength(3);
  for (const [i, ms] of waits.entries()) {
    expect(ms).toBeGreaterThanOrEqual(0);
    expect(ms).toBeLessThanOrEqual(1_000 * 2 ** i);
  }
});

test("the fourth error in a row is thrown", async () => {
  await expect(ledgerWith("before", LOST, 4).crawl("none")).rejects.toThrow(LOST);
  expect(waits).toHaveLength(3);
});

test.each([
  "D1_ERROR: UNIQUE constraint failed: urls.crawl, urls.url: SQLITE_CONSTRAINT",
  "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
  "D1_ERROR: D1 DB exceeded its CPU time limit and was reset.",
])("other errors are thrown at once: %s", async (message) => {
  await expect(ledgerWith("before", message).crawl("none")).rejects.toThrow(message);
  expect(waits).toEqual([]);
});

test.each(["before", "after"] as const)("create() answers the same if it fails %s its effect", async (when) => {
  const id = crypto.randomUUID();
  const moved = await ledgerWith(when).create(newCrawl(id));
  expect(moved).toMatchObject({ crawl: id, queued: [SEED], sitemaps: [`${SEED}sitemap.xml`], state: { queued: 1 } });
  await expectCountersExact(id);
});

test.each(["before", "after"] as const)("a commit answers the same if it fails %s its effect", async (when) => {
  // Four places in the queue: one for the URL that is retried, two for discoveries, one for the URL that was pending.
  const id = await create(4);
  await sure.commit([{ ...emptyCommit(id), discoveries: pages(4).map((url) => discovered(url, { priority: 5 })) }], 10);
  const [{ queued: first } = { queued: [] }] = await sure.commit([emptyCommit(id)], 10);
  expect(first).toEqual([]);
  const { results } = await env.LEDGER.prepare(
    "SELECT url FROM urls WHERE crawl = ?1 AND status = 'queued' ORDER BY url",
  )
    .bind(id)
    .all<{ url: string }>();
  const [, a = "", b = "", c = ""] = results.map(({ url }) => url);
  const [moved] = await ledgerWith(when).commit(
    [
      {
        ...emptyCommit(id),
        outcomes: [
          settled(SEED, { fetchedAt: 20 }),
          settled(a, { fetchedAt: 21, status: "errored", reason: "http-status" }),
          settled(b, { fetchedAt: 22, status: "queued", reason: "timeout" }),
          settled(c, { fetchedAt: 23 }),
        ],
        texts: [
          { url: SEED, title: "T", text: "some words", visit: null },
          { url: c, title: "T", text: "others", visit: null },
        ],
        discoveries: pages(3, 10).map((url) => discovered(url)),
        refusals: [{ page: SEED, in: "urls", reason: "off-host", count: 2, examples: ["https://b.test/"] }],
        sitemapOutcomes: [
          {
            url: `${SEED}sitemap.xml`,
            status: "completed",
            reason: null,
            detail: null,
            httpStatus: 200,
            fetchedAt: 24,
            listed: 0,
            etag: null,
            lastModified: null,
            packed: null,
          },
        ],
        sitemaps: [{ url: `${SEED}2.xml`, via: null, guessed: false, depth: 0, redirects: 0 }],
      },
    ],
    30,
  );
  expect(moved?.settled.toSorted((x, y) => x.url.localeCompare(y.url))).toEqual(
    [
      { url: SEED, status: "completed", reason: null },
      { url: a, status: "errored", reason: "http-status" },
      { url: b, status: "queued", reason: "timeout" },
      { url: c, status: "completed", reason: null },
    ].toSorted((x, y) => x.url.localeCompare(y.url)),
  );
  // The page that was pending, and the first two that were discovered; not the URL that is retried.
  expect(moved?.queued.toSorted()).toEqual([`${SEED}10`, `${SEED}11`, `${SEED}3`]);
  expect(moved?.sitemaps).toEqual([`${SEED}2.xml`]);
  expect(moved?.state).toMatchObject({ status: "running", queued: 4, pending: 1 });
  const retried = await env.LEDGER.prepare("SELECT attempts FROM urls WHERE crawl = ?1 AND url = ?2")
    .bind(id, b)
    .first();
  expect(retried).toEqual({ attempts: 1 });
  expect(await sure.refusals(id)).toEqual([{ reason: "off-host", count: 2, examples: ["https://b.test/"] }]);
  await expectCountersExact(id);
  await env.LEDGER.prepare("UPDATE crawls SET status = 'completed' WHERE id = ?1").bind(id).run();
  await expectIndexExact(id);
});

test.each(["before", "after"] as const)(
  "the commit that ends a crawl says so if it fails %s its effect",
  async (when) => {
    const id = crypto.randomUUID();
    await sure.create({ ...newCrawl(id), sitemaps: [] });
    const [moved] = await ledgerWith(when).commit([{ ...emptyCommit(id), outcomes: [settled(SEED)] }], 10);
    expect(moved?.state).toMatchObject({ status: "completed", tx_ended: 1 });
    const [again] = await sure.commit([{ ...emptyCommit(id), outcomes: [settled(SEED)] }], 20);
    expect(again?.state).toMatchObject({ status: "completed", tx_ended: 0 });
  },
);

test.each(["before", "after"] as const)(
  "changes of a crawl's status succeed if they fail %s their effect",
  async (when) => {
    const id = await create();
    expect(await ledgerWith(when).pause(id, 10)).toBe(true);
    expect(await sure.pause(id, 10)).toBe(false);
    expect(await ledgerWith(when).resume(id, 20)).toMatchObject({ state: { status: "running", queued: 1 } });
    expect(await ledgerWith(when).repair(id, 10_000_000)).toMatchObject({ state: { status: "running" } });
    expect(await sure.repair(id, 10_000_000)).toBeNull();
    expect(await ledgerWith(when).cancel(id, "cancelled_by_user", 10_000_001)).toBe(true);
    expect(await sure.cancel(id, "cancelled_by_user", 10_000_001)).toBe(false);
    await ledgerWith(when).retireOpen(id, 10_000_002);
    await expectCountersExact(id);
    const retry = { status: "cancelled", reason: null, limit: null } as const;
    expect(await ledgerWith(when).retry(id, retry, "", 10_000_003)).toMatchObject({ queued: [SEED] });
    await expectCountersExact(id);
  },
);

test("add() of a schedule succeeds if its answer is lost", async () => {
  const schedules = new Schedules(databaseWith(new Faults(1, "after", LOST)));
  const id = crypto.randomUUID();
  await schedules.add({ id, cron: "0 * * * *", options, modifiedWithinS: null, createdAt: 1, nextAt: 2 });
  expect((await new Schedules(env.LEDGER).list()).map((one) => one.id)).toEqual([id]);
  await new Schedules(env.LEDGER).remove(id);
});
