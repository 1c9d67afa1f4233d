import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { NOTICES } from "../../src/api/changes/notice-schemas.ts";
import { DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import type { NewWebhook } from "../../src/crawl/watch/notice.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { cancelCrawl, resumeCrawl } from "../../src/lifecycle/start.ts";
import { Meter, meteredDatabase } from "../../src/store/installation/metered.ts";
import { Ledger } from "../../src/store/ledger/ledger.ts";
import { emptyCommit } from "../../src/store/ledger/ledger-commit.ts";
import { planTellingEnd, planTellingPages, planTellingPause } from "../../src/store/notices/outbox.ts";
import { Faults, faultyDatabase } from "./faulty.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { discovered, settled } from "./rows.ts";
import { type Web, World } from "./world.ts";

/** What the outbox gets: each event of a crawl once, in the transaction that settles it. */

const SEED = "https://a.test/";
const LOST = "D1_ERROR: Network connection lost.";

useModelLedger();

function webhook(changes: Partial<NewWebhook> = {}): NewWebhook {
  return { id: crypto.randomUUID(), url: "https://receiver.test/hook", events: null, secret: "whsec_x", ...changes };
}

interface Told {
  crawl: string;
  id: string;
  webhook: string;
  event: string;
  status: string;
  body: string;
}

async function outbox(): Promise<Told[]> {
  return (await env.LEDGER.prepare("SELECT * FROM deliveries ORDER BY id").all<Told>()).results;
}
const eventsTold = async () => (await outbox()).map(({ event }) => event);
const lastBody = async () => JSON.parse((await outbox()).at(-1)?.body ?? "null");

const pages =
  (n: number): Web =>
  (url) => ({
    links: url === SEED ? Array.from({ length: n }, (_, i) => `${SEED}${i}`) : [],
  });

describe("an end of a crawl", () => {
  test("is told once, with the crawl's state, and its receiver is noted", async () => {
    const world = new World(pages(3));
    const hook = webhook();
    const crawl = await world.start([SEED], { webhook: hook });
    await world.runToEnd(crawl);
    const [told, ...others] = await outbox();
    expect(others).toEqual([]);
    expect(told).toMatchObject({ crawl, webhook: hook.id, event: "crawl.completed", status: "waiting" });
    expect(told?.id).toMatch(/^msg_[0-9a-f]{28}$/);
    expect(JSON.parse(told?.body ?? "")).toEqual({
      type: "crawl.completed",
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      data: {
        crawl,
        status: "completed",
        urls: [SEED],
        total: 4,
        counts: { queued: 0, completed: 4, disallowed: 0, skipped: 0, errored: 0, cancelled: 0 },
        bytes: expect.any(Number),
      },
    });
    // The batch has sent the hint.
    expect([...world.deps.told]).toEqual([]);
  });

  test("sends a hint to its receiver", async () => {
    const world = new World(pages(1));
    const hints: unknown[] = [];
    world.deps.notices = {
      sendBatch: async (messages: unknown[]) => void hints.push(...messages),
    } as unknown as World["deps"]["notices"];
    await world.runToEnd(await world.start([SEED], { webhook: webhook() }));
    expect(hints).toEqual([{ body: { v: 1, receiver: "https://receiver.test" }, delaySeconds: 0 }]);
  });

  test("does not fail where the hint cannot be sent", async () => {
    const world = new World(pages(1));
    world.deps.notices = {
      sendBatch: () => Promise.reject(new Error("the queue is away")),
    } as unknown as World["deps"]["notices"];
    const crawl = await world.start([SEED], { webhook: webhook() });
    await world.runToEnd(crawl);
    expect((await world.deps.ledger.crawl(crawl))?.status).toBe("completed");
    expect(await eventsTold()).toEqual(["crawl.completed"]);
  });

  test.each([
    [
      "a crawl that stored nothing",
      "errored",
      async (world: World) => {
        await world.runToEnd(await world.start(["https://gone.test/"], { webhook: webhook() }));
      },
    ],
    [
      "a cancelled crawl",
      "cancelled_by_user",
      async (world: World) => {
        await cancelCrawl(await world.start([SEED], { webhook: webhook() }), "cancelled_by_user", world.deps);
      },
    ],
    [
      "a crawl at its time limit",
      "cancelled_due_to_timeout",
      async (world: World) => {
        await world.start([SEED], { webhook: webhook(), maxDurationS: 60 });
        world.now += 61_000;
        await heartbeat(world.deps);
        await heartbeat(world.deps);
      },
    ],
  ] as const)("of %s is told as failed", async (_, status, end) => {
    await end(new World((url) => (url.includes("gone") ? { status: 404 } : { links: [] })));
    expect(await eventsTold()).toEqual(["crawl.failed"]);
    expect((await lastBody()).data.status).toBe(status);
  });

  test("by the page limit is told once, with what was skipped", async () => {
    const world = new World(pages(50));
    const crawl = await world.start([SEED], { webhook: webhook(), limit: 5 });
    await world.runToEnd(crawl);
    expect(await eventsTold()).toEqual(["crawl.completed"]);
    expect((await lastBody()).data.counts).toMatchObject({ completed: 5, skipped: 46, queued: 0 });
  });

  test("is told again after a retry, with another id", async () => {
    let isBroken = true;
    const world = new World((url) =>
      url === SEED ? { links: [`${SEED}1`] } : isBroken ? { status: 404 } : { links: [] },
    );
    const crawl = await world.start([SEED], { webhook: webhook() });
    await world.runToEnd(crawl);
    isBroken = false;
    world.now += 1_000;
    const moved = await world.deps.ledger.retry(crawl, { status: "errored", reason: null, limit: null }, "", world.now);
    expect(moved?.retried).toEqual([`${SEED}1`]);
    await resumeCrawl(crawl, world.deps);
    await world.runToEnd(crawl);
    expect(await eventsTold()).toEqual(["crawl.completed", "crawl.completed"]);
    expect(new Set((await outbox()).map(({ id }) => id)).size).toBe(2);
  });
});

describe("a pause", () => {
  test("is told each time, and a second one that changes nothing is not", async () => {
    const world = new World(pages(1));
    const crawl = await world.start([SEED], { webhook: webhook() });
    expect(await world.deps.ledger.pause(crawl, world.now)).toBe(true);
    expect(await world.deps.ledger.pause(crawl, world.now)).toBe(false);
    expect(await eventsTold()).toEqual(["crawl.paused"]);
    expect((await lastBody()).data).toMatchObject({ crawl, status: "paused", reason: null });
    await resumeCrawl(crawl, world.deps);
    world.now += 1;
    await world.deps.ledger.pause(crawl, world.now);
    expect(await eventsTold()).toEqual(["crawl.paused", "crawl.paused"]);
  });

  test("by a limit is told with its reason", async () => {
    const world = new World(pages(40));
    await world.start([SEED], { webhook: webhook(), maxBytes: 100 });
    for (let turn = 0; turn < 20; turn++) await world.turn();
    expect(await eventsTold()).toEqual(["crawl.paused"]);
    expect((await lastBody()).data.reason).toMatch(/bytes, and its limit is 100$/);
  });
});

describe("a webhook", () => {
  test("gets only its events", async () => {
    const world = new World(pages(1));
    const crawl = await world.start([SEED], { webhook: webhook({ events: ["crawl.failed"] }) });
    await world.deps.webhooks.add(crawl, webhook({ events: ["crawl.paused", "crawl.completed"] }), world.now);
    await world.deps.webhooks.add(crawl, webhook(), world.now);
    await world.deps.ledger.pause(crawl, world.now);
    await resumeCrawl(crawl, world.deps);
    world.now += 1;
    await world.runToEnd(crawl);
    expect((await eventsTold()).toSorted()).toEqual([
      "crawl.completed",
      "crawl.completed",
      "crawl.paused",
      "crawl.paused",
    ]);
    expect(new Set((await outbox()).map(({ id }) => id)).size).toBe(4);
  });

  test("is told of the start and of each page where it names them, and once", async () => {
    const web: Web = (url, ...rest) => (url === `${SEED}2` ? { status: 404 } : pages(3)(url, ...rest));
    const world = new World(web);
    const crawl = await world.start([SEED], { webhook: webhook({ events: ["crawl.started", "crawl.page"] }) });
    expect([...world.deps.told]).toEqual(["https://receiver.test"]);
    await world.deps.webhooks.add(crawl, webhook({ events: ["crawl.failed"] }), world.now);
    await world.runToEnd(crawl);
    const told = await outbox();
    expect(told.map(({ event }) => event).toSorted()).toEqual([...Array(3).fill("crawl.page"), "crawl.started"]);
    expect(new Set(told.map(({ id }) => id)).size).toBe(4);
    const bodies = told.filter(({ event }) => event === "crawl.page").map(({ body }) => JSON.parse(body));
    expect(bodies.map(({ data }) => data.url).toSorted()).toEqual([SEED, `${SEED}0`, `${SEED}1`]);
    for (const body of bodies) expect(NOTICES.PageNotice.parse(body)).toEqual(body);
  });

  test("that is disabled gets notices that are given up, so that nothing is lost in silence", async () => {
    const world = new World(pages(1));
    const crawl = await world.start([SEED], { webhook: webhook() });
    await env.LEDGER.prepare("UPDATE webhooks SET disabled_at = 1, disabled_why = 'gone'").run();
    await world.runToEnd(crawl);
    const [delivery] = await world.deps.deliveries.list(crawl, 10, "", world.now);
    expect(delivery).toMatchObject({ status: "given-up", detail: "the webhook is disabled", attempts: 0, dueAt: null });
  });

  test("of a schedule belongs to each of its crawls, with the same secret", async () => {
    const world = new World(pages(1));
    const hook = webhook();
    const options = { ...DEFAULT_OPTIONS, urls: [SEED], userAgent: "Test/1", webhook: hook };
    const id = crypto.randomUUID();
    const hour = 3_600_000;
    await world.deps.schedules.add({
      id,
      cron: "0 * * * *",
      options,
      modifiedWithinS: null,
      createdAt: 1,
      nextAt: hour,
    });
    for (const nth of [1, 2]) {
      world.now = nth * hour;
      await heartbeat(world.deps);
      const crawl = (await world.deps.schedules.list()).find((one) => one.id === id)?.lastCrawlId ?? "";
      await world.runToEnd(crawl);
    }
    const { results } = await env.LEDGER.prepare("SELECT DISTINCT crawl, id, secret FROM webhooks").all();
    expect(results).toHaveLength(2);
    expect(results.map(({ id: one, secret }) => [one, secret])).toEqual([
      [hook.id, hook.secret],
      [hook.id, hook.secret],
    ]);
    expect((await outbox()).filter(({ event }) => event === "crawl.completed")).toHaveLength(2);
    // The crawl itself does not store the secret a second time.
    const { results: crawls } = await env.LEDGER.prepare("SELECT options FROM crawls").all<{ options: string }>();
    expect(crawls.map(({ options: stored }) => stored).join()).not.toContain(hook.secret);
  });

  test("is one of at most ten", async () => {
    const world = new World(pages(1));
    const crawl = await world.start([SEED]);
    for (let i = 0; i < 10; i++) expect(await world.deps.webhooks.add(crawl, webhook(), 1)).toBe(true);
    expect(await world.deps.webhooks.add(crawl, webhook(), 1)).toBe(false);
    expect(await world.deps.webhooks.list(crawl)).toHaveLength(10);
  });

  test("is not added to a crawl that is being deleted", async () => {
    const world = new World(pages(1));
    const crawl = await world.start([SEED]);
    await world.deps.deletions.mark(crawl, true, world.now);
    expect(await world.deps.webhooks.add(crawl, webhook(), 1)).toBe(false);
  });
});

/** D1 reports a transient error, and the transaction is tried again. */
describe.each(["before", "after"] as const)("a transaction that fails %s its effect tells once", (when) => {
  const retrying = () => {
    const db = faultyDatabase(env.LEDGER, new Faults(1, when, LOST));
    return new Ledger(meteredDatabase(db, new Meter(), { sleep: async () => undefined }));
  };
  const sure = () => new Ledger(env.LEDGER);

  async function create(events: NewWebhook["events"] = null): Promise<string> {
    const id = crypto.randomUUID();
    const options = { ...DEFAULT_OPTIONS, urls: [SEED], userAgent: "Test/1", webhook: webhook({ events }) };
    await sure().create({
      id,
      options,
      hosts: ["a.test"],
      seeds: [discovered(SEED, { depth: 0 })],
      sitemaps: [],
      now: 1,
    });
    return id;
  }

  test("the end of a crawl, also if the batch is delivered again", async () => {
    const id = await create();
    const commit = { ...emptyCommit(id), outcomes: [settled(SEED)] };
    await retrying().commit([commit], 10);
    await sure().commit([commit], 20);
    expect((await outbox()).map(({ crawl, event }) => [crawl, event])).toEqual([[id, "crawl.completed"]]);
  });

  test("a page, also if the batch is delivered again", async () => {
    const id = await create(["crawl.page"]);
    const commit = { ...emptyCommit(id), outcomes: [settled(SEED)] };
    await retrying().commit([commit], 10);
    await sure().commit([commit], 20);
    expect(await eventsTold()).toEqual(["crawl.page"]);
  });

  test("a pause", async () => {
    const id = await create();
    expect(await retrying().pause(id, 10)).toBe(true);
    expect(await eventsTold()).toEqual(["crawl.paused"]);
  });

  test("a cancelling", async () => {
    const id = await create();
    expect(await retrying().cancel(id, "cancelled_by_user", 10)).toBe(true);
    await retrying().retireOpen(id, 11);
    expect(await eventsTold()).toEqual(["crawl.failed"]);
  });

  test("the webhook of a new crawl is there", async () => {
    const id = crypto.randomUUID();
    const options = { ...DEFAULT_OPTIONS, urls: [SEED], userAgent: "Test/1", webhook: webhook() };
    const seeds = [discovered(SEED, { depth: 0 })];
    await retrying().create({ id, options, hosts: ["a.test"], seeds, sitemaps: [], now: 1 });
    const { results } = await env.LEDGER.prepare("SELECT crawl FROM webhooks").all();
    expect(results).toEqual([{ crawl: id }]);
  });
});

test("a transaction that fails tells nothing", async () => {
  const world = new World(pages(1));
  const crawl = await world.start([SEED], { webhook: webhook() });
  const ledger = new Ledger(faultyDatabase(env.LEDGER, new Faults(1, "before", "D1_ERROR: broken")));
  await expect(ledger.pause(crawl, 1)).rejects.toThrow("broken");
  expect(await outbox()).toEqual([]);
});

test("a crawl without webhooks writes no row more, and a transaction reads two at most", async () => {
  const world = new World(pages(1));
  const crawl = await world.start([SEED]);
  const results = await env.LEDGER.batch([
    planTellingEnd(env.LEDGER, crawl, "c.tx_ended AND c.tx = ?5", 1, 1),
    planTellingPause(env.LEDGER, crawl, { reason: null, resumeAt: null }, 1, 1),
    planTellingPages(env.LEDGER, crawl, JSON.stringify([settled(SEED)]), 1, 1),
  ]);
  for (const { meta } of results) {
    expect(meta.rows_written).toBe(0);
    // A row read costs a thousandth of a row written.
    expect(meta.rows_read).toBeLessThanOrEqual(2);
  }
  world.deps.meter.take();
  await world.deps.deliveries.due(world.now, 10);
  await world.deps.deliveries.forget(world.now, 10);
  const { ledgerRowsRead, ledgerRowsWritten } = world.deps.meter.take();
  expect(ledgerRowsWritten).toBe(0);
  expect(ledgerRowsRead).toBeLessThan(10);
});
