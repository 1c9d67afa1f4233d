import { beforeEach, describe, expect, test } from "vitest";
import type { Crawl } from "../../src/crawl/crawl.ts";
import { ledgerOf } from "../../src/crawl/crawl-id.ts";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import { isOpenStatus } from "../../src/crawl/page/status.ts";
import { ledgerOfUrl, partsOf, type Shards } from "../../src/crawl/shards/shards.ts";
import { homeOf, SilentLedger } from "../../src/frontier/ledgers.ts";
import { readParts } from "../../src/frontier/shards/settle-shards.ts";
import { deleteCrawl } from "../../src/lifecycle/delete-crawl.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { retryCrawl } from "../../src/lifecycle/retry.ts";
import { amendCrawl, resumeCrawl } from "../../src/lifecycle/start.ts";
import { cancelByUser, pauseByUser } from "../../src/lifecycle/stop.ts";
import { readWhole } from "../../src/frontier/shards/whole-crawl.ts";
import { IN_FLIGHT_MS } from "../../src/store/installation/deletions.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import {
  bindingsOf,
  databaseIn,
  failing,
  openThreeLedgers,
  type ThreeLedgers,
  withoutPatience,
} from "./several-ledgers.ts";
import { type Answer, type Web, World, type WorldOptions } from "./world.ts";

/** A crawl over three ledgers: it has what a crawl in one ledger has, each URL once, in the ledger of its host. */

const HOSTS = 30;
const PAGES = 6;

/** Pages of a host are a chain; each also links to pages of three other hosts. */
const web: Web = (url): Answer => {
  const { hostname, pathname } = new URL(url);
  const host = Number(/^h(\d+)\.test$/.exec(hostname)?.[1]);
  const page = Number(/^\/(\d*)$/.exec(pathname)?.[1] ?? Number.NaN);
  if (!(host < HOSTS && page < PAGES)) return { status: 404 };
  if (page === 4 && host % 5 === 0) return { redirect: `https://h${(host + 1) % HOSTS}.test/5` };
  const others = [1, 7, 11].map((step) => `https://h${(host + step) % HOSTS}.test/${(page + step) % (PAGES + 1)}`);
  return { links: [`https://${hostname}/${page + 1}`, ...others], body: url };
};

let ledgers: ThreeLedgers;

beforeEach(async () => {
  ledgers = await openThreeLedgers();
});

const worldOf = (options: WorldOptions = {}, site = web) =>
  new World(site, { bindings: bindingsOf(ledgers), ...options });
const SEEDS = ["https://h0.test/", "https://h1.test/0"];
const ALL = { includeExternalLinks: true } satisfies Partial<CrawlOptions>;

async function shardsOf(world: World, id: string): Promise<Shards> {
  const shards = (await homeOf(world.deps, id).ledger.crawl(id))?.shards;
  if (!shards) throw new Error("it is in one ledger");
  return shards;
}

/** Every row of a crawl, of all its parts. */
async function rowsOf(parts: readonly string[]): Promise<string[]> {
  const all = await Promise.all(
    parts.map((part) =>
      databaseIn(ledgers, ledgerOf(part))
        .prepare("SELECT url, status, reason FROM urls WHERE crawl = ?1")
        .bind(part)
        .all<{ url: string; status: string; reason: string | null }>(),
    ),
  );
  return all.flatMap(({ results }) => results.map((row) => `${row.url} ${row.status} ${row.reason}`)).toSorted();
}

async function runToEnd(world: World, shards: Shards): Promise<void> {
  for (let turn = 0; turn < 3_000; turn++) {
    const crawls = await Promise.all(partsOf(shards).map((part) => homeOf(world.deps, part).ledger.crawl(part)));
    const isDone = crawls.every(
      (crawl) => crawl !== null && !isOpenStatus(crawl.status) && crawl.counters.queued + crawl.counters.pending === 0,
    );
    if (isDone) return;
    await world.turn();
  }
  throw new Error(`the crawl did not end: ${JSON.stringify(await readParts(shards, world.deps))}`);
}

/**
 * All counters are exact, each URL is where its host is, and nothing is left on its way: but a crawl that was cancelled
 * keeps it for a retry.
 */
async function expectSound(shards: Shards, isCancelled = false): Promise<void> {
  for (const part of partsOf(shards)) {
    const db = databaseIn(ledgers, ledgerOf(part));
    await expectCountersExact(part, db);
    const { results } = await db.prepare("SELECT url FROM urls WHERE crawl = ?1").bind(part).all<{ url: string }>();
    for (const { url } of results) expect([url, ledgerOfUrl(url, shards)]).toEqual([url, ledgerOf(part)]);
    if (!isCancelled) expect(await db.prepare("SELECT count(*) AS n FROM shard_outbox").first("n")).toBe(0);
    expect((await db.prepare("SELECT * FROM shard_intents WHERE is_done = 0").all()).results).toEqual([]);
  }
}

describe("a crawl over three ledgers", () => {
  test("has the URLs and outcomes of a crawl in one, each once", async () => {
    const alone = worldOf();
    const one = await alone.start(SEEDS, ALL);
    await alone.runToEnd(one);
    const expected = await rowsOf([one]);
    expect(expected.length).toBeGreaterThan(HOSTS * PAGES);
    const world = worldOf();
    const id = await world.start(SEEDS, { ...ALL, shards: 3 });
    const shards = await shardsOf(world, id);
    expect(shards.ledgers.toSorted()).toEqual([0, 1, 2]);
    await runToEnd(world, shards);
    expect(await rowsOf(partsOf(shards))).toEqual(expected);
    for (const part of partsOf(shards)) {
      const crawl = await homeOf(world.deps, part).ledger.crawl(part);
      expect(crawl?.status).toBe("completed");
      expect(crawl?.counters.completed).toBeGreaterThan(20);
    }
    await expectSound(shards);
    expect(world.fetched.toSorted()).toEqual(alone.fetched.toSorted());
  });
});

/** A site whose hosts are all seeds, so that each part has pages from the start. */
const EVERYWHERE = Array.from({ length: HOSTS }, (_, i) => `https://h${i}.test/`);

async function completedOf(world: World, shards: Shards): Promise<number> {
  const parts = await readParts(shards, world.deps);
  return (parts ?? []).reduce((sum, { grant }) => sum + grant.taken, 0);
}

async function statusesOf(world: World, shards: Shards): Promise<string[]> {
  const crawls = await Promise.all(partsOf(shards).map((part) => homeOf(world.deps, part).ledger.crawl(part)));
  return crawls.map((crawl) => crawl?.status ?? "gone");
}

describe("what is interrupted between two ledgers", () => {
  test("a list that is not taken, or taken and not removed, comes again by the heartbeat", async () => {
    const alone = worldOf();
    const one = await alone.start(SEEDS, ALL);
    await alone.runToEnd(one);
    for (const kind of ["take", "remove"] as const) {
      ledgers = await openThreeLedgers();
      const world = worldOf();
      const { mend } = failing(world, kind);
      const id = await world.start(SEEDS, { ...ALL, shards: 3 });
      const shards = await shardsOf(world, id);
      for (let turn = 0; turn < 40; turn++) await world.turn();
      // A part with a list for another one is not idle, so the crawl has not ended.
      expect(await statusesOf(world, shards)).toEqual(["running", "running", "running"]);
      mend();
      await runToEnd(world, shards);
      await expectSound(shards);
      const rows = await rowsOf(partsOf(shards));
      expect(rows.map((row) => row.split(" ")[0])).toHaveLength(new Set(rows).size);
      expect(rows.length).toBeGreaterThan(HOSTS * PAGES);
    }
  });

  test("a ledger that never answers holds up no batch, and has its list later", async () => {
    const world = worldOf();
    const { mend } = failing(world, "take", Number.POSITIVE_INFINITY, () => new Promise(() => undefined));
    const spy = withoutPatience(0);
    const id = await world.start(SEEDS, { ...ALL, shards: 3 });
    const shards = await shardsOf(world, id);
    for (let turn = 0; turn < 40; turn++) await world.turn();
    expect(world.fetched.length).toBeGreaterThan(PAGES);
    expect(await statusesOf(world, shards)).toEqual(["running", "running", "running"]);
    spy.mockRestore();
    mend();
    await runToEnd(world, shards);
    await expectSound(shards);
    expect((await rowsOf(partsOf(shards))).length).toBeGreaterThan(HOSTS * PAGES);
  });

  test("a part that is not made is made by the heartbeat, with its seeds", async () => {
    const world = worldOf();
    const { mend } = failing(world, "state");
    const id = await world.start(EVERYWHERE, { shards: 3 });
    mend();
    const shards = await shardsOf(world, id);
    expect(await statusesOf(world, shards)).toEqual(["running", "gone", "gone"]);
    await runToEnd(world, shards);
    expect(await statusesOf(world, shards)).toEqual(["completed", "completed", "completed"]);
    await expectSound(shards);
    expect((await rowsOf(partsOf(shards))).filter((row) => row.startsWith("https://h7.test/ "))).toHaveLength(1);
  });

  test("an intent that a part has not applied is applied by the heartbeat, once", async () => {
    const world = worldOf();
    const id = await world.start(EVERYWHERE, { shards: 3 });
    const shards = await shardsOf(world, id);
    const crawl = await homeOf(world.deps, id).ledger.crawl(id);
    const { mend } = failing(world, "apply", 2);
    await cancelByUser(crawl as Crawl, homeOf(world.deps, id)).catch(() => undefined);
    mend();
    expect(await statusesOf(world, shards)).toContain("running");
    await runToEnd(world, shards);
    expect(await statusesOf(world, shards)).toEqual(Array.from({ length: 3 }, () => "cancelled_by_user"));
    await expectSound(shards, true);
  });
});

describe("what somebody does to it", () => {
  const start = async (changes: Partial<CrawlOptions> = {}) => {
    const world = worldOf();
    const id = await world.start(EVERYWHERE, { ...ALL, shards: 3, ...changes });
    const shards = await shardsOf(world, id);
    const deps = homeOf(world.deps, id);
    const crawl = async () => (await deps.ledger.crawl(id)) as Crawl;
    return { world, id, shards, deps, crawl };
  };

  test("happens to all parts: pause, resume, cancel, retry", async () => {
    const { world, shards, deps, crawl } = await start();
    for (let turn = 0; turn < 6; turn++) await world.turn();
    expect(await pauseByUser(await crawl(), deps)).toBe(true);
    expect(await pauseByUser(await crawl(), deps)).toBe(false);
    expect(await statusesOf(world, shards)).toEqual(["paused", "paused", "paused"]);
    const before = await completedOf(world, shards);
    for (let turn = 0; turn < 20; turn++) await world.turn();
    expect(await completedOf(world, shards)).toBe(before);
    expect(await resumeCrawl(shards.home, deps)).toBe(true);
    for (let turn = 0; turn < 4; turn++) await world.turn();
    expect(await cancelByUser(await crawl(), deps)).toBe(true);
    await runToEnd(world, shards);
    expect(await statusesOf(world, shards)).toEqual(Array.from({ length: 3 }, () => "cancelled_by_user"));
    const cancelled = (await rowsOf(partsOf(shards))).filter((row) => row.includes(" cancelled "));
    expect(cancelled.length).toBeGreaterThan(0);
    const retry = { status: "cancelled", reason: null, limit: null } as const;
    for (let rounds = 0; rounds < 5; rounds++) {
      const answer = await retryCrawl(await crawl(), retry, deps);
      if (answer.kind === "retried" && answer.retried === 0) break;
      await runToEnd(world, shards);
    }
    expect(await statusesOf(world, shards)).toEqual(["completed", "completed", "completed"]);
    await expectSound(shards);
    const alone = worldOf();
    const one = await alone.start(EVERYWHERE, ALL);
    await alone.runToEnd(one);
    expect(await rowsOf(partsOf(shards))).toEqual(await rowsOf([one]));
  });

  test("is noted, and happens to the other parts at once, where the ledger of one never answers", async () => {
    const { world, shards, deps, crawl } = await start();
    await world.turn();
    const [, , silent] = shards.ledgers;
    const never = () => new Promise(() => undefined);
    const { mend } = failing(world, "state", Number.POSITIVE_INFINITY, never, [silent ?? 0]);
    const spy = withoutPatience(500);
    expect(await pauseByUser(await crawl(), deps)).toBe(true);
    expect(await statusesOf(world, shards)).toEqual(["paused", "paused", "running"]);
    await expect(readWhole(await crawl(), deps)).rejects.toThrow(SilentLedger);
    await expect(resumeCrawl(shards.home, deps)).rejects.toThrow(`Ledger ${silent} does not answer`);
    const retry = { status: "errored", reason: null, limit: null } as const;
    await expect(retryCrawl(await crawl(), retry, deps)).rejects.toThrow(SilentLedger);
    spy.mockRestore();
    mend();
    for (let turn = 0; turn < 20; turn++) await world.turn();
    expect(await statusesOf(world, shards)).toEqual(["paused", "paused", "paused"]);
    expect(await resumeCrawl(shards.home, deps)).toBe(true);
    await runToEnd(world, shards);
    await expectSound(shards);
  });

  test("a page limit is kept by all parts together, to the page, and a higher one is taken up", async () => {
    for (const limit of [1, 2, 20, 50]) {
      const { world, shards, deps, crawl } = await start({ limit });
      await runToEnd(world, shards);
      expect(await completedOf(world, shards)).toBe(limit);
      await expectSound(shards);
      const answer = await retryCrawl(await crawl(), { status: "skipped", reason: "limit", limit: limit + 30 }, deps);
      expect(answer.kind).toBe("retried");
      await runToEnd(world, shards);
      expect(await completedOf(world, shards)).toBe(limit + 30);
      await expectSound(shards);
    }
  });

  test("pages of hosts of one part alone fill the limit", async () => {
    const world = worldOf();
    const own = EVERYWHERE.filter((url) => ledgerOfUrl(url, { ledgers: [0, 1, 2] }) === 1);
    const id = await world.start(own, { shards: 3, limit: 20 });
    const shards = await shardsOf(world, id);
    await runToEnd(world, shards);
    expect(await completedOf(world, shards)).toBe(20);
    await expectSound(shards);
  });

  test("a limit is amended while it runs, and a time limit ends all parts", async () => {
    const { world, shards, deps, crawl } = await start({ limit: 30 });
    await world.turn();
    expect(await amendCrawl(await crawl(), { limit: 60 }, deps)).toBe(true);
    await runToEnd(world, shards);
    expect(await completedOf(world, shards)).toBe(60);
    expect(await amendCrawl(await crawl(), { limit: 70 }, deps)).toBe(false);
    await expectSound(shards);
    const slow = await start({ maxDurationS: 60 });
    await slow.world.turn();
    slow.world.now += 60_000;
    await heartbeat(slow.world.deps);
    await runToEnd(slow.world, slow.shards);
    expect(await statusesOf(slow.world, slow.shards)).toEqual(
      Array.from({ length: 3 }, () => "cancelled_due_to_timeout"),
    );
    await expectSound(slow.shards, true);
  });

  test("a size limit counts the bytes of all parts", async () => {
    const { world, shards } = await start({ maxBytes: 400 });
    for (let turn = 0; turn < 200; turn++) await world.turn();
    expect(await statusesOf(world, shards)).toEqual(["paused", "paused", "paused"]);
    const bytes = ((await readParts(shards, world.deps)) ?? []).reduce((sum, part) => sum + part.bytes, 0);
    expect(bytes).toBeGreaterThanOrEqual(400);
  });

  test("a deletion removes all parts, though a ledger fails at first", async () => {
    const { world, shards, deps } = await start();
    for (let turn = 0; turn < 6; turn++) await world.turn();
    const at = homeOf(world.deps, partsOf(shards)[2] ?? "");
    const mark = at.deletions.mark.bind(at.deletions);
    at.deletions.mark = async () => {
      throw new Error("its ledger is down");
    };
    expect(await deleteCrawl(shards.home, true, deps)).toMatchObject({ kind: "deleting" });
    world.now += IN_FLIGHT_MS;
    for (let beats = 0; beats < 3; beats++) await heartbeat(world.deps);
    // The row of the home leads to the part that is left.
    expect(await deps.shardParts.homesToDelete()).toHaveLength(1);
    at.deletions.mark = mark;
    for (let beats = 0; beats < 6; beats++) {
      world.now += IN_FLIGHT_MS;
      await heartbeat(world.deps);
    }
    for (const part of partsOf(shards)) {
      const db = databaseIn(ledgers, ledgerOf(part));
      for (const table of ["urls", "shard_parts", "shard_outbox", "shard_intents"])
        expect(await db.prepare(`SELECT count(*) AS n FROM ${table} WHERE crawl = ?1`).bind(part).first("n")).toBe(0);
      expect(await db.prepare("SELECT 1 FROM crawls WHERE id = ?1").bind(part).first()).toBeNull();
    }
  });
});
