import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { resumeCrawl } from "../../src/lifecycle/start.ts";
import { STALL_AFTER_MS } from "../../src/store/ledger/ledger.ts";
import { emptyCommit } from "../../src/store/ledger/ledger-commit.ts";
import { LateQueue } from "./late-queue.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { discovered, settled } from "./rows.ts";
import { type Web, World } from "./world.ts";

/** Stalled crawls: a repair neither starves a crawl whose messages are late, nor repeats itself. */

const SEED = "https://a.test/";
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

useModelLedger();

const statusOf = async ({ deps }: World, crawl: string) => (await deps.ledger.crawl(crawl))?.status;

const patienceOf = async (crawl: string) =>
  (await env.LEDGER.prepare("SELECT patience_ms AS ms FROM crawls WHERE id = ?1").bind(crawl).first<{ ms: number }>())
    ?.ms;

test.each([
  ["five minutes", 5 * MINUTE],
  ["three hours", 3 * HOUR],
])("a crawl whose messages wait for %s behind others advances to its end", async (_, lateMs) => {
  const links = Array.from({ length: 30 }, (_, i) => `${SEED}${i}`);
  const world = new World((url) => ({ links: url === SEED ? links : [] }));
  const queue = new LateQueue(world, lateMs);
  const crawl = await world.start([SEED]);
  let repairs = 0;
  const until = world.now + 6 * lateMs + HOUR;
  while (world.now < until && (await statusOf(world, crawl)) === "running")
    repairs += (await queue.minute()).repaired.length;
  expect(await statusOf(world, crawl)).toBe("completed");
  expect(world.fetched).toHaveLength(31);
  expect(repairs).toBeLessThanOrEqual(8);
  // 31 URLs are at least 7 messages.
  expect(queue.sent).toBeLessThanOrEqual(7 + repairs);
  await expectCountersExact(crawl);
});

test("patience doubles with each repair up to a day, and shrinks while commits settle URLs", async () => {
  const { ledger } = new World(() => ({ links: [] })).deps;
  const world = new World(() => ({ links: [] }), { copies: () => 0 });
  const crawl = await world.start([SEED]);
  const links = Array.from({ length: 30 }, (_, i) => `${SEED}${i}`);
  await ledger.commit([{ ...emptyCommit(crawl), discoveries: links.map((url) => discovered(url)) }], world.now);
  const repairedAt: number[] = [];
  const startedAt = world.now;
  while (world.now < startedAt + HOUR) {
    world.now += MINUTE;
    if ((await heartbeat(world.deps)).repaired.length > 0) repairedAt.push((world.now - startedAt) / MINUTE);
  }
  expect(repairedAt).toEqual([2, 6, 14, 30]);
  expect(await patienceOf(crawl)).toBe(32 * MINUTE);

  const settle = (url: string | undefined) =>
    ledger.commit([{ ...emptyCommit(crawl), outcomes: url === undefined ? [] : [settled(url)] }], world.now);
  // A long silence before a commit says nothing about the queue's speed.
  await settle(links[0]);
  expect(await patienceOf(crawl)).toBe(30 * MINUTE);
  await settle(undefined);
  for (const url of links.slice(1, 6)) {
    world.now += MINUTE;
    await settle(url);
  }
  expect(await patienceOf(crawl)).toBe(25 * MINUTE);
  expect((await ledger.crawl(crawl))?.wakeAt).toBe(startedAt + HOUR + 32 * MINUTE);

  await env.LEDGER.prepare("UPDATE crawls SET patience_ms = ?2, wake_at = 0 WHERE id = ?1")
    .bind(crawl, 13 * HOUR)
    .run();
  await ledger.repair(crawl, world.now);
  expect(await patienceOf(crawl)).toBe(24 * HOUR);
  await ledger.resume(crawl, world.now);
  expect(await patienceOf(crawl)).toBe(STALL_AFTER_MS);
  expect((await ledger.crawl(crawl))?.wakeAt).toBe(world.now + STALL_AFTER_MS);
});

describe("a crawl with rows that are due later", () => {
  /** The first answer of each of these URLs asks for a long wait. */
  const busy =
    (waits: Record<string, number>): Web =>
    (url, attempt) =>
      attempt === 0 && waits[url] !== undefined ? { status: 503, retryAfterMs: waits[url] } : { links: [] };

  /** Beats each minute for this long. Returns all repairs. */
  async function beat(world: World, ms: number): Promise<string[]> {
    const repaired: string[] = [];
    for (const until = world.now + ms; world.now < until; ) {
      world.now += MINUTE;
      repaired.push(...(await heartbeat(world.deps)).repaired);
      while (world.inMotion > 0) await world.turn();
    }
    return repaired;
  }

  test("is not repaired after an early resume", async () => {
    const world = new World(busy({ [SEED]: 5 * HOUR }));
    const crawl = await world.start([SEED]);
    await world.turn();
    await world.deps.ledger.pause(crawl, world.now);
    await resumeCrawl(crawl, world.deps);
    expect(await beat(world, 4.9 * HOUR)).toEqual([]);
    expect(await beat(world, HOUR)).toEqual([]);
    expect(await statusOf(world, crawl)).toBe("completed");
  });

  test("is repaired at most once before they are due", async () => {
    const other = "https://b.test/";
    const world = new World(busy({ [SEED]: 5 * HOUR, [other]: 10 * HOUR }));
    const crawl = await world.start([SEED, other]);
    await world.turn();
    // As if a commit had set it after the row of the other URL was stored.
    await env.LEDGER.prepare("UPDATE crawls SET wake_at = ?2 WHERE id = ?1").bind(crawl, world.now).run();
    expect(await beat(world, 4.9 * HOUR)).toEqual([crawl]);
    expect((await beat(world, 6 * HOUR)).length).toBeLessThanOrEqual(1);
    expect(await statusOf(world, crawl)).toBe("completed");
    expect(world.fetched).toHaveLength(4);
  });

  test.each(["resume", "repair"] as const)("sends a row once when it is due at a %s", async (how) => {
    const world = new World(busy({ [SEED]: 2 * HOUR }), {
      sitemaps: (_, attempt) => (attempt === 0 ? { status: 503, retryAfterMs: 2 * HOUR } : { pages: [] }),
    });
    const crawl = await world.start([SEED], { source: "all" });
    while (world.inMotion > 0) await world.turn();
    const due = () =>
      env.LEDGER.prepare(
        "SELECT count(*) AS n FROM (SELECT due_at FROM urls WHERE crawl = ?1 UNION ALL SELECT due_at FROM sitemaps WHERE crawl = ?1) WHERE due_at IS NOT NULL",
      )
        .bind(crawl)
        .first("n");
    expect(await due()).toBe(2);
    if (how === "resume") await world.deps.ledger.pause(crawl, world.now);
    world.now += 3 * HOUR;
    if (how === "resume") await resumeCrawl(crawl, world.deps);
    const report = await heartbeat(world.deps);
    expect(report).toMatchObject({ due: 0, repaired: how === "repair" ? [crawl] : [] });
    expect([world.inMotion, await due()]).toEqual([2, 0]);
    await world.runToEnd(crawl);
    expect(await statusOf(world, crawl)).toBe("completed");
  });
});

test("a row that is settled is due no more", async () => {
  const world = new World(() => ({ links: [] }), { copies: () => 0 });
  const crawl = await world.start([SEED]);
  await world.deps.waits.postpone([{ crawl, url: SEED, sitemap: false, failures: 0, dueAt: world.now + HOUR }]);
  await world.deps.ledger.commit([{ ...emptyCommit(crawl), outcomes: [settled(SEED)] }], world.now);
  expect(await env.LEDGER.prepare("SELECT due_at FROM urls WHERE crawl = ?1").bind(crawl).first("due_at")).toBeNull();
});
