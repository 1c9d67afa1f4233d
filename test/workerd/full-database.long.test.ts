import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import { deliver } from "../../src/frontier/batch/deliver.ts";
import type { FrontierMessage } from "../../src/frontier/batch/message.ts";
import { NoRoom } from "../../src/frontier/batch/require-room.ts";
import { deleteCrawl } from "../../src/lifecycle/delete-crawl.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { retryCrawl } from "../../src/lifecycle/retry.ts";
import { resumeCrawl } from "../../src/lifecycle/start.ts";
import { watchCrawl } from "../../src/lifecycle/watch.ts";
import { makeSecret } from "../../src/notices/notice-signature.ts";
import { IN_FLIGHT_MS } from "../../src/store/installation/deletions.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { ModelDatabase } from "./platform/database.ts";
import { quietSurroundings } from "./platform/network.ts";
import { Random } from "./platform/random.ts";
import { clear, withStorage } from "./platform/storage.ts";
import { World } from "./world.ts";

/**
 * A database that fills up: nothing is fetched in vain, deletion works at any moment, and a crawl goes on afterwards.
 */

const PAGES = 80;
const PER_PAGE = 10;

/** A tree of pages with some text. */
function newWorld(database: ModelDatabase): World {
  const world = new World(
    (url) => {
      const { origin, pathname } = new URL(url);
      const n = Number(pathname.slice(1));
      const links = Array.from({ length: PER_PAGE }, (_, i) => PER_PAGE * n + i + 1).filter((to) => to < PAGES);
      return {
        links: links.map((to) => `${origin}/${to}`),
        text: `Page ${n} says ${"many different things ".repeat(10)}${n}`,
      };
    },
    { bindings: { LEDGER: database.bindingOf(null), MIRROR: env.MIRROR } },
  );
  return world;
}

interface Full {
  world: World;
  database: ModelDatabase;
  /** The size of the database now. */
  size(): number;
  /** What the program takes for the limit; the database itself has one of its own. */
  believe(bytes: number): void;
}

async function inDatabase(run: (full: Full) => Promise<void>): Promise<void> {
  await withStorage(async (storage) => {
    clear(storage);
    const database = new ModelDatabase(storage, quietSurroundings(1));
    const world = newWorld(database);
    // As after the migration.
    await world.deps.roomNotes.keepReserve();
    const believe = (bytes: number) => {
      world.deps.databaseLimit = async () => ({ limitBytes: bytes, diskFreeBytes: null });
    };
    await run({ world, database, size: () => storage.sql.databaseSize, believe });
  });
}

const start = (world: World, host: string, options: Partial<CrawlOptions> = {}) =>
  world.start([`https://${host}/0`], { search: true, webhook: null, ...options });

/** Turns until the crawl does not run any more, or for so long that all retries would have been made. */
async function runOn(world: World, crawl: string): Promise<string> {
  for (let turn = 0; turn < 600; turn++) {
    const state = await world.deps.ledger.crawl(crawl);
    if (state?.status !== "running") return state?.status ?? "gone";
    await world.turn();
  }
  return "running";
}

async function deleteWhole(world: World, crawl: string): Promise<void> {
  const begun = await deleteCrawl(crawl, true, world.deps);
  expect(begun.kind).toBe("deleting");
  world.now += 2 * IN_FLIGHT_MS;
  for (let call = 0; call < 20; call++) {
    const deletion = await deleteCrawl(crawl, true, world.deps);
    if (deletion.kind === "none" || (deletion.kind === "deleting" && deletion.done)) return;
  }
  throw new Error("the deletion did not end");
}

const timesFetched = (world: World, host: string) =>
  [...Map.groupBy(world.fetched, (url) => url)]
    .filter(([url]) => url.includes(`//${host}/`))
    .map(([, all]) => all.length);

const completedOf = async (world: World, crawl: string) => (await world.deps.ledger.crawl(crawl))?.counters.completed;

describe("at 90% of the limit", () => {
  test("a crawl pauses with a reason that says what to delete, nothing more is fetched, and none may start", async () => {
    await inDatabase(async ({ world, database, size, believe }) => {
      const old = await start(world, "old.test");
      await world.runToEnd(old);
      believe(Math.ceil((size() + 25_000) / 0.9));
      const webhook = { id: crypto.randomUUID(), url: "https://hook.test/", events: null, secret: "whsec_x" };
      const crawl = await start(world, "new.test", { webhook });
      expect(await runOn(world, crawl)).toBe("paused");
      const paused = await world.deps.ledger.crawl(crawl);
      expect(paused?.counters.completed).toBeGreaterThan(0);
      expect(paused?.counters.completed).toBeLessThan(PAGES);
      expect(paused?.waitingFor).toMatch(/^the database has .* \(9\d%\), and crawls pause at 90%\. Delete crawls/);
      expect(paused?.waitingFor).toContain(`such as ${old} (about `);
      const { fetched } = world;
      const before = fetched.length;
      for (let turn = 0; turn < 20; turn++) await world.turn();
      expect(fetched.length).toBe(before);
      const events = database.rows("SELECT event, body FROM deliveries");
      expect(events.map(({ event }) => event)).toEqual(["crawl.paused"]);
      expect(JSON.parse(String(events[0]?.body))).toMatchObject({
        data: { reason: expect.stringContaining("crawls pause at 90%"), resumesAt: null },
      });

      await expect(start(world, "third.test")).rejects.toThrow(NoRoom);
      await expect(resumeCrawl(crawl, world.deps)).rejects.toThrow(/^The database has .*"orbweaver delete ID"\.$/);
      const ended = await world.deps.ledger.crawl(old);
      const retry = { status: "skipped", reason: null, limit: null } as const;
      if (ended !== null) await expect(retryCrawl(ended, retry, world.deps)).rejects.toThrow(NoRoom);

      await deleteWhole(world, old);
      expect(await resumeCrawl(crawl, world.deps)).toBe(true);
      expect(await runOn(world, crawl)).toBe("completed");
      expect(await completedOf(world, crawl)).toBe(PAGES);
      // The epoch of the pause drops what other messages would fetch again.
      expect(Math.max(...timesFetched(world, "new.test"))).toBeLessThanOrEqual(2);
      await expectCountersExact(crawl, database.bindingOf(null));
    });
  });

  test("a schedule's run is skipped and told, and the next one starts when there is room", async () => {
    await inDatabase(async ({ world, size, believe }) => {
      const crawl = await start(world, "a.test");
      await world.runToEnd(crawl);
      const options = (await world.deps.ledger.crawl(crawl))?.options;
      if (options === undefined) throw new Error("there is no crawl");
      const id = crypto.randomUUID();
      const times = { createdAt: world.now, nextAt: world.now };
      await world.deps.schedules.add({ id, cron: "0 * * * *", options, modifiedWithinS: null, ...times });
      believe(size());
      expect(await heartbeat(world.deps)).toMatchObject({
        skipped: [id],
        started: [],
        failed: [],
        room: { level: "full" },
      });
      believe(10 * size());
      world.now += 3_600_000;
      const report = await heartbeat(world.deps);
      expect(report.started).toHaveLength(1);
      expect(report.skipped).toEqual([]);
    });
  });

  test("the heartbeat pauses crawls that no batch is working on", async () => {
    await inDatabase(async ({ world, size, believe }) => {
      const crawl = await start(world, "a.test");
      believe(Math.ceil(size() / 0.92));
      expect((await heartbeat(world.deps)).room).toMatchObject({ level: "filling", paused: [crawl] });
      expect((await heartbeat(world.deps)).room?.paused).toEqual([]);
      expect(world.fetched).toEqual([]);
    });
  });
});

describe("a watch", () => {
  const watch = {
    everyS: 3_600,
    fixed: true,
    tell: [],
    ignore: { urls: [], selectors: [], patterns: [], leastShare: 0 },
  };

  test("goes on by itself in its first crawl, too", async () => {
    await inDatabase(async ({ world, size, believe }) => {
      const id = await start(world, "a.test", { limit: 5, watch });
      believe(Math.ceil(size() / 0.92));
      expect((await heartbeat(world.deps)).room?.paused).toEqual([id]);
      world.now += 60_000;
      expect((await heartbeat(world.deps)).resumed).toEqual([]);
      believe(Math.ceil(size() / 0.8));
      expect((await heartbeat(world.deps)).resumed).toEqual([id]);
      expect(await runOn(world, id)).toBe("watching");
    });
  });

  test("goes on by itself if it became one while it had no room, and a crawl that is none does not", async () => {
    await inDatabase(async ({ world, size, believe }) => {
      const [id, other] = [await start(world, "a.test", { limit: 5 }), await start(world, "b.test", { limit: 5 })];
      believe(Math.ceil(size() / 0.92));
      expect((await heartbeat(world.deps)).room?.paused.toSorted()).toEqual([id, other].toSorted());
      expect(await watchCrawl(id, watch, world.deps)).toBe(true);
      world.now += 60_000;
      believe(Math.ceil(size() / 0.8));
      expect((await heartbeat(world.deps)).resumed).toEqual([id]);
      expect(await runOn(world, id)).toBe("watching");
      expect((await world.deps.ledger.crawl(other))?.status).toBe("paused");
    });
  });

  test("visits at 90% and pauses at 95%, and goes on by itself when there is room", async () => {
    await inDatabase(async ({ world, size, believe }) => {
      const id = await start(world, "a.test", { limit: 5, watch });
      for (let turn = 0; turn < 50 && (await world.deps.ledger.crawl(id))?.status === "running"; turn++)
        await world.turn();
      const statusOf = async () => (await world.deps.ledger.crawl(id))?.status;
      expect(await statusOf()).toBe("watching");
      believe(Math.ceil(size() / 0.92));
      expect((await heartbeat(world.deps)).room?.paused).toEqual([]);
      expect(await statusOf()).toBe("watching");
      believe(Math.ceil(size() / 0.96));

      expect((await heartbeat(world.deps)).room?.paused).toEqual([id]);
      expect(await statusOf()).toBe("paused");
      expect((await world.deps.ledger.crawl(id))?.waitingFor).toContain("visits pause at 95%");
      world.now += 60_000;
      believe(Math.ceil(size() / 0.91));
      expect((await heartbeat(world.deps)).resumed).toEqual([]);
      believe(Math.ceil(size() / 0.8));
      expect((await heartbeat(world.deps)).resumed).toEqual([id]);
      for (let turn = 0; turn < 20; turn++) await world.turn();
      expect(await statusOf()).toBe("watching");
    });
  });
});

describe("the operator's alarm", () => {
  test("comes once at each threshold and when it is over, with an id that stays while it is not delivered", async () => {
    await inDatabase(async ({ world, size, believe }) => {
      const crawl = await start(world, "a.test");
      await world.runToEnd(crawl);
      const posts: { id: string; level: string; text: string }[] = [];
      let isUp = true;
      world.deps.alarm = { url: "https://alarm.test/", secret: makeSecret() };
      world.deps.postNotice = async ({ headers, body }) => {
        const { text, data } = JSON.parse(body) as { text: string; data: { level: string } };
        posts.push({ id: headers["webhook-id"] ?? "", level: data.level, text });
        expect(headers["webhook-signature"]).toMatch(/^v1,/);
        return { status: isUp ? 200 : 503, retryAfterMs: null, detail: isUp ? null : "it answered 503" };
      };
      const levels: string[] = [];
      const beatAt = async (share: number) => {
        believe(Math.ceil(size() / share));
        world.now += 60_000;
        const { failed } = await heartbeat(world.deps);
        levels.push(posts.splice(0).map(({ level }) => level)[0] ?? "-");
        return failed;
      };
      for (const share of [0.5, 0.91, 0.92, 0.89, 0.91, 0.96, 0.97, 0.92, 0.5]) expect(await beatAt(share)).toEqual([]);
      expect(levels).toEqual(["-", "filling", "-", "-", "-", "full", "-", "filling", "room"]);
      isUp = false;
      const ids: string[] = [];
      for (let beat = 0; beat < 3; beat++) {
        believe(Math.ceil(size() / 0.93));
        expect((await heartbeat(world.deps)).failed).toEqual([{ deed: "alarm", id: null }]);
        ids.push(...posts.splice(0).map(({ id }) => id));
      }
      expect(new Set(ids).size).toBe(1);
      isUp = true;
      await heartbeat(world.deps);
      expect(posts).toMatchObject([
        { id: ids[0], text: expect.stringMatching(/^Orbweaver: the database has .*\(9\d%\).*such as /) },
      ]);
    });
  });
});

describe("a database that refuses to grow", () => {
  test("pauses the crawl after one batch, settles nothing as errored, and deletion makes room", async () => {
    await inDatabase(async ({ world, database, size }) => {
      const old = await start(world, "old.test");
      await world.runToEnd(old);
      // The program takes it for a larger one.
      database.limitBytes = size() + 25_000;
      const crawl = await start(world, "new.test");
      expect(await runOn(world, crawl)).toBe("paused");
      const paused = await world.deps.ledger.crawl(crawl);
      expect(paused?.waitingFor).toMatch(/^the database refused to grow, at /);
      expect(paused?.counters.errored).toBe(0);
      await expectCountersExact(crawl, database.bindingOf(null));
      const before = world.fetched.length;
      for (let turn = 0; turn < 40; turn++) await world.turn();
      expect(world.fetched.length).toBe(before);
      await deleteWhole(world, old);
      expect(await resumeCrawl(crawl, world.deps)).toBe(true);
      expect(await runOn(world, crawl)).toBe("completed");
      expect(await completedOf(world, crawl)).toBe(PAGES);
      expect(Math.max(...timesFetched(world, "new.test"))).toBeLessThanOrEqual(2);
      await expectCountersExact(crawl, database.bindingOf(null));
    });
  });

  test("takes no dead letters: they are dropped, and their rows stay queued", async () => {
    await inDatabase(async ({ world }) => {
      const { deps } = world;
      const crawl = await start(world, "a.test");
      const { rows } = await deps.motion.pages(crawl, "", 1, world.now);
      const urls = rows.map(({ url }) => url);
      const commit = deps.ledger.commit.bind(deps.ledger);
      let retries = 0;
      const retry = () => {
        retries += 1;
      };
      const messages = [{ body: { v: 2, crawl, epoch: 1, urls }, attempts: 1, retry }];
      const deliverDead = async () => {
        await deliver({ messages: messages as unknown as Message<FrontierMessage>[] }, "deadLetter", deps, "all");
        return (await deps.ledger.crawl(crawl))?.counters;
      };
      deps.ledger.commit = () => Promise.reject(new Error("D1_ERROR: Exceeded maximum DB size"));
      expect(await deliverDead()).toMatchObject({ queued: 1, errored: 0 });
      expect(retries).toBe(0);
      deps.ledger.commit = () => Promise.reject(new Error("D1_ERROR: no such table"));
      expect(await deliverDead()).toMatchObject({ queued: 1, errored: 0 });
      expect(retries).toBe(1);
      deps.ledger.commit = commit;
      expect(await deliverDead()).toMatchObject({ queued: 0, errored: 1 });
    });
  });

  test("takes a pause and a whole deletion at whatever size it is full", async () => {
    await inDatabase(async ({ world, database, size }) => {
      for (let round = 0; round < 4; round++) {
        database.limitBytes = Number.MAX_SAFE_INTEGER;
        await world.deps.roomNotes.keepReserve();
        const crawl = await start(world, `h${round}.test`, { search: round % 2 === 0 });
        for (let turn = 0; turn < 1 + 2 * round; turn++) await world.turn();
        database.limitBytes = size();
        await deleteWhole(world, crawl);
        expect(database.rows("SELECT count(*) AS n FROM urls")).toEqual([{ n: 0 }]);
        expect(database.rows("SELECT count(*) AS n FROM search_pages")).toEqual([{ n: 0 }]);
      }
    });
  });
});

test("at whatever limit, a crawl that is resumed after each deletion ends with the same set", async () => {
  const random = new Random(7);
  for (let run = 0; run < 3; run++) {
    await inDatabase(async ({ world, database, size, believe }) => {
      const old = await start(world, "old.test", { limit: random.between(20, 100) });
      await world.runToEnd(old);
      const limit = size() + random.between(1_000, 200_000);
      // What the program believes may be true, too small or too large.
      database.limitBytes = limit;
      believe(Math.round(limit * random.oneOf([0.9, 1, 1, 1.2, 20])));
      let crawl: string | null = null;
      for (let step = 0; crawl === null; step++) {
        crawl = await start(world, "new.test").catch(() => null);
        if (crawl === null && step === 0) await deleteWhole(world, old);
        if (step === 3) {
          database.limitBytes *= 4;
          believe(database.limitBytes);
        }
      }
      for (let step = 0; (await runOn(world, crawl)) !== "completed"; step++) {
        expect(step).toBeLessThan(12);
        expect((await world.deps.ledger.crawl(crawl))?.counters.errored).toBe(0);
        if (step === 0 && (await world.deps.ledger.crawl(old)) !== null) await deleteWhole(world, old);
        // The crawl alone is too large: the operator moves to a larger plan.
        if (step >= 1) {
          database.limitBytes *= 2;
          believe(database.limitBytes);
        }
        await resumeCrawl(crawl, world.deps).catch(() => undefined);
      }
      expect(await completedOf(world, crawl)).toBe(PAGES);
      expect(Math.max(...timesFetched(world, "new.test"))).toBeLessThanOrEqual(6);
      await expectCountersExact(crawl, database.bindingOf(null));
    });
  }
});
