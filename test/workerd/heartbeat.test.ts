import { env } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import { DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import type { FrontierMessage } from "../../src/frontier/batch/message.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { installationMeter } from "../../src/lifecycle/installation-bill.ts";
import { IN_FLIGHT_MS } from "../../src/store/installation/deletions.ts";
import { STALL_AFTER_MS } from "../../src/store/ledger/ledger.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { World } from "./world.ts";

useModelLedger();

const HOUR = 3_600_000;
const options = { ...DEFAULT_OPTIONS, urls: ["https://a.test/"], userAgent: "Test/1" };

function newWorld(): World {
  return new World(() => ({ links: [] }));
}

async function addSchedule(world: World): Promise<string> {
  const id = crypto.randomUUID();
  await world.deps.schedules.add({
    id,
    cron: "0 * * * *",
    options,
    modifiedWithinS: null,
    createdAt: world.now,
    nextAt: HOUR,
  });
  return id;
}

const lastCrawlOf = async (world: World, id: string) =>
  (await world.deps.schedules.list()).find((one) => one.id === id)?.lastCrawlId ?? "";

test("starts a due schedule once, even if several heartbeats run at the same time", async () => {
  const world = newWorld();
  const id = await addSchedule(world);
  world.now = HOUR - 1;
  expect((await heartbeat(world.deps)).started).toEqual([]);
  world.now = HOUR;
  const reports = await Promise.all([heartbeat(world.deps), heartbeat(world.deps), heartbeat(world.deps)]);
  expect(reports.flatMap(({ started }) => started)).toEqual([await lastCrawlOf(world, id)]);
  await world.deps.schedules.remove(id);
});

test("one crawl makes up for all missed runs of a schedule", async () => {
  const world = newWorld();
  const id = await addSchedule(world);
  world.now = 5.5 * HOUR;
  expect((await heartbeat(world.deps)).started).toHaveLength(1);
  await world.runToEnd(await lastCrawlOf(world, id));
  expect((await heartbeat(world.deps)).started).toHaveLength(0);
  world.now = 6 * HOUR;
  expect((await heartbeat(world.deps)).started).toHaveLength(1);
  await world.deps.schedules.remove(id);
});

test("a schedule is skipped while its last crawl still runs", async () => {
  const world = newWorld();
  const id = await addSchedule(world);
  world.now = HOUR;
  await heartbeat(world.deps);
  const first = await lastCrawlOf(world, id);
  await world.deps.ledger.pause(first, world.now);
  world.now = 2 * HOUR;
  expect((await heartbeat(world.deps)).started).toEqual([]);
  await world.deps.ledger.cancel(first, "cancelled_by_user", world.now);
  expect((await heartbeat(world.deps)).started).toEqual([]);
  world.now = 3 * HOUR;
  expect((await heartbeat(world.deps)).started).toHaveLength(1);
  await world.deps.schedules.remove(id);
});

test("a schedule's crawls store what changed within its period before each of them", async () => {
  const world = newWorld();
  const id = crypto.randomUUID();
  const schedule = { id, cron: "0 * * * *", options, modifiedWithinS: 600, createdAt: world.now, nextAt: HOUR };
  await world.deps.schedules.add(schedule);
  for (const hour of [1, 2]) {
    world.now = hour * HOUR;
    await heartbeat(world.deps);
    const crawl = await lastCrawlOf(world, id);
    expect((await world.deps.ledger.crawl(crawl))?.options.modifiedSince).toBe(hour * 3_600 - 600);
    await world.deps.ledger.cancel(crawl, "cancelled_by_user", world.now);
  }
  await world.deps.schedules.remove(id);
});

test("a stalled crawl is repaired once, and ends", async () => {
  let lost = true;
  const world = new World(() => ({ links: [] }), { copies: () => (lost ? 0 : 1) });
  const crawl = await world.start(["https://a.test/"]);
  lost = false;
  world.now += STALL_AFTER_MS - 1;
  expect((await heartbeat(world.deps)).repaired).toEqual([]);
  world.now += 1;
  const reports = await Promise.all([heartbeat(world.deps), heartbeat(world.deps)]);
  expect(reports.flatMap(({ repaired }) => repaired)).toEqual([crawl]);
  await world.runToEnd(crawl);
  expect(world.fetched).toEqual(["https://a.test/"]);
});

test("a crawl that lost its messages before the clock was set back by days is repaired", async () => {
  let lost = true;
  const world = new World(() => ({ links: [] }), { copies: () => (lost ? 0 : 1) });
  world.now += 10 * 86_400_000;
  const crawl = await world.start(["https://a.test/"]);
  lost = false;
  world.now -= 5 * 86_400_000;
  expect((await heartbeat(world.deps)).repaired).toEqual([crawl]);
  await world.runToEnd(crawl);
  expect(world.fetched).toEqual(["https://a.test/"]);
});

test("on a faster clock a crawl is stalled after the same real time", async () => {
  const world = new World(() => ({ links: [] }), { copies: () => 0 });
  const crawl = await world.start(["https://a.test/"]);
  world.deps.clock = { ...world.deps.clock, speed: 10 };
  world.now += 10 * STALL_AFTER_MS - 1;
  expect((await heartbeat(world.deps)).repaired).toEqual([]);
  world.now += 1;
  expect((await heartbeat(world.deps)).repaired).toEqual([crawl]);
});

test("on a faster clock, what a transaction noted for its own retries stays for the same real time", async () => {
  const world = newWorld();
  world.deps.clock = { ...world.deps.clock, speed: 10 };
  const promoted = env.LEDGER.prepare("INSERT INTO promotions VALUES (?1, 7, 'none', 0, 0, 0, 0, 0, 0, '[]')");
  await promoted.bind(world.now).run();
  const count = () => env.LEDGER.prepare("SELECT count(*) AS n FROM promotions WHERE tx = 7").first("n");
  world.now += 10 * IN_FLIGHT_MS;
  await heartbeat(world.deps);
  expect(await count()).toBe(1);
  world.now += 1;
  await heartbeat(world.deps);
  expect(await count()).toBe(0);
});

test("the heartbeat ends the open URLs of a cancelled crawl after an interruption", async () => {
  const world = newWorld();
  const crawl = await world.start(["https://a.test/"]);
  await world.deps.ledger.cancel(crawl, "cancelled_by_user", world.now);
  await heartbeat(world.deps);
  const { results } = await env.LEDGER.prepare("SELECT status, reason FROM urls WHERE crawl = ?1").bind(crawl).all();
  expect(results).toEqual([{ status: "cancelled", reason: "cancelled" }]);
});

/** A world whose queue refuses the messages of these crawls. */
function worldThatRefuses(bad: Set<string>): World {
  const world = newWorld();
  const { frontier } = world.deps;
  world.deps.frontier = {
    sendBatch: async (messages: MessageSendRequest<FrontierMessage>[]) => {
      if (messages.some(({ body }) => bad.has(body.crawl))) throw new Error("the message is too large");
      await frontier.sendBatch(messages);
    },
  } as unknown as Queue<FrontierMessage>;
  return world;
}

test("a crawl that cannot be repaired, and one that cannot be sent, leave the others alone and are reported", async () => {
  await env.LEDGER.prepare("DELETE FROM crawls").run();
  const bad = new Set<string>();
  const world = worldThatRefuses(bad);
  const error = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const [stalled, stalledToo, due, dueToo] = [
    await world.start(["https://a.test/"]),
    await world.start(["https://b.test/"]),
    await world.start(["https://c.test/"]),
    await world.start(["https://d.test/"]),
  ];
  const schedule = await addSchedule(world);
  world.now = HOUR;
  for (const [crawl, url] of [
    [due, "https://c.test/"],
    [dueToo, "https://d.test/"],
  ] as const) {
    await world.deps.waits.postpone([{ crawl, url, sitemap: false, failures: 0, dueAt: world.now }]);
    await world.deps.ledger.expectProgress(crawl, world.now + HOUR);
  }
  bad.add(stalled).add(due);
  const report = await heartbeat(world.deps);
  expect(report).toMatchObject({ repaired: [stalledToo], due: 1, started: [await lastCrawlOf(world, schedule)] });
  expect(report.failed).toEqual([
    { deed: "repair", id: stalled },
    { deed: "send", id: due },
  ]);
  expect((await world.deps.heartbeats.last())?.report).toEqual(report);
  const lines = error.mock.calls.map(([line]) => JSON.parse(String(line)));
  expect(lines).toMatchObject([
    { event: "heartbeat-failed", deed: "repair", id: stalled, error: "the message is too large" },
    { event: "heartbeat-failed", deed: "send", id: due, error: "the message is too large" },
  ]);
  error.mockRestore();

  // What failed is done later.
  bad.clear();
  for (const crawl of [stalled, stalledToo, due, dueToo]) await world.runToEnd(crawl);
  expect(new Set(world.fetched)).toEqual(new Set(["a", "b", "c", "d"].map((host) => `https://${host}.test/`)));
  await world.deps.schedules.remove(schedule);
});

test("a schedule that cannot start leaves the others alone and is reported", async () => {
  const world = newWorld();
  const wrong = crypto.randomUUID();
  await world.deps.schedules.add({
    id: wrong,
    cron: "no cron",
    options,
    modifiedWithinS: null,
    createdAt: 1,
    nextAt: 2,
  });
  const id = await addSchedule(world);
  world.now = HOUR;
  const report = await heartbeat(world.deps);
  expect(report.started).toEqual([await lastCrawlOf(world, id)]);
  expect(report.failed).toEqual([{ deed: "start", id: wrong }]);
  await world.deps.schedules.remove(wrong);
  await world.deps.schedules.remove(id);
});

type Breaking = (deps: World["deps"]) => { mockRejectedValue(error: Error): unknown };
test.each<[string, Breaking]>([
  ["find", ({ ledger }) => vi.spyOn(ledger, "overdue")],
  ["expire", ({ ledger }) => vi.spyOn(ledger, "cancel")],
  ["sweep", ({ ledger }) => vi.spyOn(ledger, "retireOpen")],
  ["repair", ({ ledger }) => vi.spyOn(ledger, "repair")],
  ["send", ({ waits }) => vi.spyOn(waits, "takeDue")],
  ["start", ({ schedules }) => vi.spyOn(schedules, "due")],
  ["tell", ({ deliveries }) => vi.spyOn(deliveries, "due")],
  ["delete", ({ deletions }) => vi.spyOn(deletions, "removeRows")],
  ["report", ({ heartbeats }) => vi.spyOn(heartbeats, "note")],
  ["bill", ({ installationUsage }) => vi.spyOn(installationUsage, "add")],
])("if the heartbeat cannot %s, it does the rest", async (broken, breaking) => {
  for (const table of ["crawls", "heartbeats"]) await env.LEDGER.prepare(`DELETE FROM ${table}`).run();
  const world = newWorld();
  const begin = async (host: string, maxDurationS = 0) => world.start([`https://${host}.test/`], { maxDurationS });
  const [expired, unswept, stalled, due, deleted] = [
    await begin("a", 60),
    await begin("b"),
    await begin("c"),
    await begin("d"),
    await begin("e"),
  ];
  const schedule = await addSchedule(world);
  await world.deps.ledger.cancel(unswept, "cancelled_by_user", world.now);
  await world.deps.deletions.mark(deleted, true, world.now);
  world.now = 2 * HOUR;
  await world.deps.waits.postpone([
    { crawl: due, url: "https://d.test/", sitemap: false, failures: 0, dueAt: world.now },
  ]);
  await world.deps.ledger.expectProgress(due, world.now + HOUR);
  installationMeter.add({ workerRequests: 1_000_000 });

  breaking(world.deps).mockRejectedValue(new Error("away"));
  const report = await heartbeat(world.deps);
  // A crawl that expires is swept, too.
  const failed = broken === "sweep" ? ["expire", "sweep"] : [broken];
  expect(new Set(report.failed.map(({ deed }) => deed))).toEqual(new Set(failed));
  const isBroken = (...deeds: string[]) => deeds.includes(broken);
  expect(report).toMatchObject({
    expired: isBroken("find", "expire", "sweep") ? [] : [expired],
    // A crawl that could not expire is stalled, too.
    repaired: isBroken("find", "repair") ? [] : broken === "expire" ? expect.arrayContaining([stalled]) : [stalled],
    due: isBroken("send") ? 0 : 1,
    deleted: isBroken("delete") ? [] : [deleted],
  });
  expect(report.started).toHaveLength(isBroken("start") ? 0 : 1);
  const last = await world.deps.heartbeats.last();
  // It is stored before the bill is settled.
  if (isBroken("report")) expect(last).toBeNull();
  else expect(last?.report).toEqual(isBroken("bill") ? { ...report, failed: [] } : report);
  vi.restoreAllMocks();
  await world.deps.schedules.remove(schedule);
});

test("one heartbeat in three is noted, and each that failed in something or follows one that did", async () => {
  const { heartbeats } = new World(() => ({ links: [] })).deps;
  const noted: (string | undefined)[] = [];
  const beats = [[], [], [], [], ["send"], [], []];
  for (const [minute, failed] of beats.entries()) {
    await heartbeats.note({ failed, minute }, minute * 60_000);
    noted.push((await heartbeats.last())?.at.slice(14, 16));
  }
  expect(noted).toEqual(["00", "00", "00", "03", "04", "05", "05"]);
});
