import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { NOTICES } from "../../src/api/changes/notice-schemas.ts";
import type { NewWebhook, NoticeEvent } from "../../src/crawl/watch/notice.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { cancelCrawl, resumeCrawl } from "../../src/lifecycle/start.ts";
import { watchCrawl } from "../../src/lifecycle/watch.ts";
import { Meter, meteredDatabase } from "../../src/store/installation/metered.ts";
import { Ledger } from "../../src/store/ledger/ledger.ts";
import { emptyCommit, planCommit } from "../../src/store/ledger/ledger-commit.ts";
import { Faults, faultyDatabase } from "./faulty.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { settled, visited } from "./rows.ts";
import { DAY_MS, HOUR_MS, SEED, type SiteAnswer, WatchedWorld, watchOf } from "./watched-world.ts";

/** What webhooks are told of a watch: its first end, its changes, and hosts in trouble. */

const MINUTE_MS = 60_000;
const LOST = "D1_ERROR: Network connection lost.";
const pageUrl = (n: number) => `${SEED}${n}`;

useModelLedger();

function webhook(events: NoticeEvent[] | null = null): NewWebhook {
  return { id: crypto.randomUUID(), url: "https://receiver.test/hook", events, secret: "whsec_x" };
}

interface Told {
  id: string;
  webhook: string;
  event: string;
  status: string;
  message: { type: string; timestamp: string; data: Record<string, unknown> };
}

async function outbox(event?: NoticeEvent): Promise<Told[]> {
  const { results } = await env.LEDGER.prepare(
    "SELECT id, webhook, event, status, body FROM deliveries WHERE event = coalesce(?1, event) ORDER BY made_at, id",
  )
    .bind(event ?? null)
    .all<Told & { body: string }>();
  return results.map(({ body, ...told }) => ({ ...told, message: messageOf(body) }));
}

/** The body of a notice, which is as the description of the API says. */
function messageOf(body: string): Told["message"] {
  const message = JSON.parse(body);
  const shape = Object.values(NOTICES).find(({ shape: { type } }) => type.safeParse(message.type).success);
  shape?.parse(message);
  expect(shape, message.type).toBeDefined();
  return message;
}
const eventsTold = async () => (await outbox()).map(({ event }) => event);

interface ChangeData {
  seq: number;
  kind: string;
  url: string;
}
const changesOf = ({ message }: Told) => message.data.changes as ChangeData[];

/** A watch of this number of pages beside its seed, whose answers a test changes. */
async function watchPages(pages: number, { hook = webhook() as NewWebhook | null, everyMs = HOUR_MS } = {}) {
  const instead = new Map<string, SiteAnswer>();
  const urls = Array.from({ length: pages }, (_, n) => pageUrl(n));
  const world = new WatchedWorld(
    (url) => instead.get(url) ?? { text: `This is ${url}`, links: url === SEED ? urls : [] },
  );
  const id = await world.watch(everyMs, { webhook: hook });
  return { world, id, instead };
}

/** Settles changes of these pages, in one transaction each, as visits do. */
async function change(id: string, numbers: readonly number[], now: number, ledger = new Ledger(env.LEDGER)) {
  const { results } = await env.LEDGER.prepare(
    "SELECT url, visits FROM urls WHERE crawl = ?1 AND url IN (SELECT value FROM json_each(?2))",
  )
    .bind(id, JSON.stringify(numbers.map(pageUrl)))
    .all<{ url: string; visits: number }>();
  const visits = results.map(({ url, visits: visit }) =>
    visited(url, { visit, result: "changed", change: "changed", detail: "it says more", outcome: settled(url) }),
  );
  await ledger.commit([{ ...emptyCommit(id), visits }], now);
}

describe("the end of a first crawl", () => {
  test("is told once, and what is read later ends nothing", async () => {
    const { world, id, instead } = await watchPages(2);
    expect(await outbox()).toMatchObject([
      {
        event: "crawl.completed",
        message: { data: { crawl: id, status: "watching", total: 3, counts: { completed: 3 } } },
      },
    ]);
    instead.set(pageUrl(0), { text: "A page with a link", links: [`${SEED}new`] });
    await world.pass(3 * HOUR_MS, MINUTE_MS * 5);
    expect(await world.told(id)).toEqual(expect.arrayContaining(["changed /0", "added /new"]));
    expect((await world.crawl(id)).status).toBe("watching");
    expect((await eventsTold()).filter((event) => event.startsWith("crawl."))).toEqual(["crawl.completed"]);
  });

  test("is not told again of a completed crawl that becomes a watch", async () => {
    const world = new WatchedWorld(() => ({ text: "one" }));
    const id = await world.start([SEED], { webhook: webhook() });
    await world.runToEnd(id);
    expect(await watchCrawl(id, watchOf(HOUR_MS), world.deps)).toBe(true);
    await world.pass(3 * HOUR_MS, MINUTE_MS * 5);
    expect(await eventsTold()).toEqual(["crawl.completed"]);
  });

  test("that stored nothing is told as failed", async () => {
    const world = new WatchedWorld(() => ({ status: 404 }));
    await world.watch(HOUR_MS, { webhook: webhook() });
    expect(await outbox()).toMatchObject([{ event: "crawl.failed", message: { data: { status: "errored" } } }]);
  });

  test("that is retried after a transient error is told once", async () => {
    const { id } = await watchPages(1, { hook: null });
    await env.LEDGER.prepare("UPDATE crawls SET status = 'running', watching_since = NULL WHERE id = ?1")
      .bind(id)
      .run();
    const { deps, now } = new WatchedWorld(() => ({ text: "one" }));
    await deps.webhooks.add(id, webhook(), now);
    const db = faultyDatabase(env.LEDGER, new Faults(1, "after", LOST));
    const ledger = new Ledger(meteredDatabase(db, new Meter(), { sleep: async () => undefined }));
    await ledger.commit([emptyCommit(id)], now);
    expect(await eventsTold()).toEqual(["crawl.completed"]);
  });
});

test("a watch that is cancelled is told as failed", async () => {
  const { world, id } = await watchPages(1);
  world.now += 1;
  await cancelCrawl(id, "cancelled_by_user", world.deps);
  const told = await outbox();
  expect(told.map(({ event }) => event)).toEqual(["crawl.completed", "crawl.failed"]);
  expect(told.at(-1)?.message.data).toMatchObject({ crawl: id, status: "cancelled_by_user" });
});

test("a watch at its cost of the month is told as paused, with the time when it goes on by itself", async () => {
  const { world, id } = await watchPages(1);
  await env.LEDGER.prepare("UPDATE crawls SET options = json_set(options, '$.maxCostUsd', 0.000001) WHERE id = ?1")
    .bind(id)
    .run();
  await world.pass(2 * HOUR_MS, MINUTE_MS * 5);
  const [paused, ...others] = await outbox("crawl.paused");
  expect(others).toEqual([]);
  expect(paused?.message.data).toMatchObject({
    crawl: id,
    status: "paused",
    reason: expect.stringMatching(/^it has cost about .* USD this month/),
    resumesAt: "2031-02-01T00:00:00.000Z",
  });
  expect((await world.crawl(id)).status).toBe("paused");
});

test("a pause by a user says that nothing resumes it", async () => {
  const { world, id } = await watchPages(1);
  await world.deps.ledger.pause(id, world.now);
  expect((await outbox("crawl.paused"))[0]?.message.data).toMatchObject({ reason: null, resumesAt: null });
});

describe("changes", () => {
  test("are told with what the API says of them, after they were gathered for a minute", async () => {
    const { world, id, instead } = await watchPages(4, { everyMs: 12 * HOUR_MS });
    const beganAt = world.now;
    instead.set(pageUrl(0), { text: "Something else" });
    instead.set(pageUrl(1), { redirect: pageUrl(2) });
    instead.set(pageUrl(2), { text: "This is a page with a link", links: [`${SEED}new`] });
    instead.set(pageUrl(3), { status: 410 });
    await world.pass(40 * HOUR_MS);
    const told = await outbox("pages.changed");
    const changes = told.flatMap(changesOf);
    const listed = await world.deps.changes.newest(id, { before: 100, kinds: null, limit: 100 });
    expect(listed.length).toBeGreaterThanOrEqual(5);
    expect(changes).toEqual(
      listed.toReversed().map(({ at, ...rest }) => ({
        ...rest,
        at: new Date(at).toISOString(),
        target: rest.kind === "moved" ? pageUrl(2) : null,
      })),
    );
    expect(changes.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["changed", "moved", "added", "removed"]));
    for (const { id: message, message: body } of told) {
      expect(message).toMatch(/^msg_[0-9a-f]{28}$/);
      expect(body).toMatchObject({ type: "pages.changed", data: { crawl: id } });
      expect(Date.parse(body.timestamp)).toBeGreaterThan(beganAt);
    }
  });

  test("of a new design of a site are told a hundred at a time, in order", async () => {
    const { world, id } = await watchPages(350);
    for (let at = 0; at < 350; at += 25)
      await change(
        id,
        Array.from({ length: 25 }, (_, i) => at + i),
        world.now,
      );
    await heartbeat(world.deps);
    expect(await outbox("pages.changed")).toEqual([]);
    world.now += MINUTE_MS;
    await heartbeat(world.deps);
    await heartbeat(world.deps);
    const told = await outbox("pages.changed");
    expect(told.map((one) => changesOf(one).length)).toEqual([100, 100, 100, 50]);
    expect(told.flatMap(changesOf).map(({ seq }) => seq)).toEqual(Array.from({ length: 350 }, (_, i) => i + 1));
    expect(new Set(told.map(({ id: message }) => message)).size).toBe(4);
    expect(await env.LEDGER.prepare("SELECT told_seq, changes_at FROM webhooks").first()).toEqual({
      told_seq: 350,
      changes_at: null,
    });
  });

  test("that were removed since are waited for no more, and later ones are told", async () => {
    const { world, id } = await watchPages(3);
    await change(id, [0, 1], world.now);
    await env.LEDGER.prepare("DELETE FROM changes").run();
    world.now += MINUTE_MS;
    await heartbeat(world.deps);
    const standing = () => env.LEDGER.prepare("SELECT told_seq, changes_at FROM webhooks").first();
    expect(await standing()).toEqual({ told_seq: 2, changes_at: null });
    await change(id, [2], world.now);
    world.now += MINUTE_MS;
    await heartbeat(world.deps);
    expect((await outbox("pages.changed")).flatMap(changesOf).map(({ seq }) => seq)).toEqual([3]);
  });

  test("are told by two heartbeats at once, or by one whose calls fail after their effect, once each", async () => {
    const { world, id } = await watchPages(250);
    const all = Array.from({ length: 250 }, (_, i) => i);
    await change(id, all, world.now);
    world.now += MINUTE_MS;
    await Promise.all([heartbeat(world.deps), heartbeat(world.deps), heartbeat(world.deps)]);
    await change(id, all, world.now);
    world.now += MINUTE_MS;
    const { tell } = world.deps.toldChanges;
    let calls = 0;
    world.deps.toldChanges.tell = async (...args) => {
      await tell.apply(world.deps.toldChanges, args);
      calls += 1;
      throw new Error("killed after the transaction");
    };
    await heartbeat(world.deps);
    expect(calls).toBe(1);
    world.deps.toldChanges.tell = tell;
    await heartbeat(world.deps);
    expect((await outbox("pages.changed")).flatMap(changesOf).map(({ seq }) => seq)).toEqual(
      Array.from({ length: 500 }, (_, i) => i + 1),
    );
  });

  test("are told once where their own transaction is retried", async () => {
    const { world, id } = await watchPages(10);
    const db = faultyDatabase(env.LEDGER, new Faults(1, "after", LOST));
    const ledger = new Ledger(meteredDatabase(db, new Meter(), { sleep: async () => undefined }));
    await change(id, [1, 2, 3], world.now, ledger);
    world.now += MINUTE_MS;
    await heartbeat(world.deps);
    expect((await outbox("pages.changed")).flatMap(changesOf).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  test("that precede a webhook are not told to it, and each webhook is told those after it", async () => {
    const { world, id } = await watchPages(3);
    await change(id, [0], world.now);
    const [later, other] = [webhook(["pages.changed"]), webhook(["crawl.failed"])];
    for (const hook of [later, other]) await world.deps.webhooks.add(id, hook, world.now);
    await change(id, [1], world.now);
    world.now += MINUTE_MS;
    await heartbeat(world.deps);
    const told = Map.groupBy(await outbox("pages.changed"), ({ webhook: hook }) => hook);
    expect(told.size).toBe(2);
    expect(told.get(later.id)?.flatMap(changesOf)).toMatchObject([{ seq: 2, url: pageUrl(1) }]);
    expect(told.get(other.id)).toBeUndefined();
  });

  test("of a watch that was paused or cancelled meanwhile are told", async () => {
    for (const stop of ["pause", "cancel"] as const) {
      const { world, id } = await watchPages(2);
      await change(id, [0], world.now);
      if (stop === "pause") await world.deps.ledger.pause(id, world.now);
      else await cancelCrawl(id, "cancelled_by_user", world.deps);
      world.now += MINUTE_MS;
      await heartbeat(world.deps);
    }
    expect((await outbox("pages.changed")).flatMap(changesOf)).toHaveLength(2);
  });

  test("are told after a clock was set back, and those to a disabled webhook are given up visibly", async () => {
    const { world, id } = await watchPages(2);
    await change(id, [0], world.now);
    world.now -= 30 * DAY_MS;
    await env.LEDGER.prepare("UPDATE webhooks SET disabled_at = 1").run();
    await heartbeat(world.deps);
    expect(await outbox("pages.changed")).toMatchObject([{ status: "given-up" }]);
  });

  test("cost a watch without webhooks no row", async () => {
    const { id, world } = await watchPages(2, { hook: null });
    const visits = [
      visited(pageUrl(0), { visit: 0, result: "changed", change: "changed", outcome: settled(pageUrl(0)) }),
    ];
    const { statements } = planCommit(env.LEDGER, { ...emptyCommit(id), visits }, world.now, 1);
    const results = await env.LEDGER.batch(statements);
    expect(results.filter(({ meta }) => meta.rows_written > 0).length).toBeGreaterThan(2);
    expect(await env.LEDGER.prepare("SELECT count(*) AS n FROM deliveries").first("n")).toBe(0);
    const lost = [visited(pageUrl(1), { result: "failed" })];
    const writes = async () => {
      const plan = planCommit(env.LEDGER, { ...emptyCommit(id), visits: lost }, world.now, 1);
      return (await env.LEDGER.batch(plan.statements)).reduce((sum, { meta }) => sum + meta.rows_written, 0);
    };
    // The crawl, the host and the page.
    expect(await writes()).toBeLessThanOrEqual(5);
    world.now += MINUTE_MS;
    world.deps.meter.take();
    await world.deps.toldChanges.waiting(MINUTE_MS, 10, world.now);
    await world.deps.toldTroubles.ended(30_000, 10);
    const { ledgerRowsRead, ledgerRowsWritten = 0 } = world.deps.meter.take();
    expect([ledgerRowsWritten, ledgerRowsRead ?? 0]).toEqual([0, expect.any(Number)]);
    expect(ledgerRowsRead ?? 0).toBeLessThan(5);
  });
});

describe("a host in trouble", () => {
  const troubles = async () => (await outbox("watch.trouble")).map(({ message }) => message.data);

  /** Visits of all pages settle with this result. Then the heartbeat looks. */
  async function visitAll({ deps, now }: WatchedWorld, id: string, result: "failed" | "not-modified") {
    const { results } = await env.LEDGER.prepare("SELECT url, visits FROM urls WHERE crawl = ?1")
      .bind(id)
      .all<{ url: string; visits: number }>();
    const visits = results.map(({ url, visits: visit }) =>
      visited(url, { visit, result, visitAt: now + 1_000 * DAY_MS }),
    );
    await deps.ledger.commit([{ ...emptyCommit(id), visits }], now);
    await heartbeat(deps);
  }

  test("is told when its trouble begins and when it has ended, once each, with one time of its beginning", async () => {
    const { world, id } = await watchPages(20, { everyMs: 1_000 * DAY_MS });
    await visitAll(world, id, "not-modified");
    expect(await troubles()).toEqual([]);
    for (let day = 0; day < 3; day++) {
      world.now += DAY_MS;
      for (const _ of [1, 2]) await visitAll(world, id, "failed");
    }
    const [begun, ...none] = await troubles();
    expect(none).toEqual([]);
    const [troubled] = await world.deps.watchHosts.troubled(id, world.now, 10);
    expect(begun).toEqual({
      crawl: id,
      host: "a.test",
      url: null,
      why: null,
      state: "began",
      since: new Date(troubled?.since ?? 0).toISOString(),
      visits: 21,
      lost: 21,
    });
    const states = [];
    for (let day = 0; day < 4; day++) {
      world.now += DAY_MS;
      await visitAll(world, id, "not-modified");
      const isTroubled = (await world.deps.watchHosts.troubled(id, world.now, 10)).length > 0;
      states.push([isTroubled, (await troubles()).length]);
    }
    expect(states).toEqual([
      [true, 1],
      [false, 2],
      [false, 2],
      [false, 2],
    ]);
    expect((await troubles())[1]).toEqual({ ...begun, state: "ended", visits: null, lost: null });
    expect(await outbox("pages.changed")).toEqual([]);
    // A second trouble is another one.
    await visitAll(world, id, "failed");
    const again = (await troubles())[2];
    expect(again).toMatchObject({ host: "a.test", state: "began", since: new Date(world.now).toISOString() });
  });

  test("is told once where its transaction is retried, and each host in a message of its own", async () => {
    const { world, id } = await watchPages(30, { hook: webhook(["watch.trouble"]) });
    const other = Array.from({ length: 12 }, (_, n) => `https://b.test/${n}`);
    await env.LEDGER.batch(
      other.map((url) =>
        env.LEDGER.prepare(
          "INSERT INTO urls (crawl, url, status, depth, priority, seq, fetched_at) VALUES (?1, ?2, 'completed', 1, 0, 1000, 1)",
        ).bind(id, url),
      ),
    );
    const urls = [...Array.from({ length: 30 }, (_, n) => pageUrl(n)), ...other];
    const db = faultyDatabase(env.LEDGER, new Faults(1, "after", LOST));
    const ledger = new Ledger(meteredDatabase(db, new Meter(), { sleep: async () => undefined }));
    await ledger.commit(
      [{ ...emptyCommit(id), visits: urls.map((url) => visited(url, { result: "failed" })) }],
      world.now,
    );
    expect((await troubles()).map(({ host }) => host).toSorted()).toEqual(["a.test", "b.test"]);
    expect(new Set((await outbox()).map(({ id: message }) => message)).size).toBe(2);
  });

  test("is not told as well while its watch is paused", async () => {
    const { world, id } = await watchPages(20, { everyMs: 1_000 * DAY_MS });
    await visitAll(world, id, "failed");
    await world.deps.ledger.pause(id, world.now);
    world.now += 5 * DAY_MS;
    await heartbeat(world.deps);
    expect((await troubles()).map(({ state }) => state)).toEqual(["began"]);
    await resumeCrawl(id, world.deps);
    await heartbeat(world.deps);
    expect((await troubles()).map(({ state }) => state)).toEqual(["began", "ended"]);
  });

  test("that is in trouble again before the end of the last one is told gets both ends", async () => {
    const { world, id } = await watchPages(20, { everyMs: 1_000 * DAY_MS });
    await visitAll(world, id, "failed");
    // The machine sleeps.
    world.now += 30 * DAY_MS;
    await visitAll(world, id, "failed");
    world.now += 3 * DAY_MS;
    await heartbeat(world.deps);
    const told = await troubles();
    expect(told.map(({ state }) => state).toSorted()).toEqual(["began", "began", "ended", "ended"]);
    expect(new Set(told.filter(({ state }) => state === "ended").map(({ since }) => since)).size).toBe(2);
  });
});
