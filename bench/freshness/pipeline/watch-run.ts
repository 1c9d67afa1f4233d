/** One watch over years, inside workerd: the real pipeline with virtual time. run-pipeline.ts starts it. */
import { createExecutionContext, env } from "cloudflare:test";
import { test } from "vitest";
import { DAY_MS } from "../../../src/core/clock.ts";
import { DEFAULT_POLITENESS } from "../../../src/crawl/crawl-options.ts";
import { addUsage, RESOURCES, type Usage } from "../../../src/crawl/bounds/usage.ts";
import type { Secrets } from "../../../src/fetch/answer/answer.ts";
import { PageFetcher } from "../../../src/fetch/page-fetcher.ts";
import { heartbeat } from "../../../src/lifecycle/heartbeat.ts";
import { packNameAt } from "../../../src/store/mirror/packs.ts";
import { ModelBucket } from "../../../test/workerd/platform/bucket.ts";
import { ModelDatabase } from "../../../test/workerd/platform/database.ts";
import { Faults, NO_FAULTS } from "../../../test/workerd/platform/faults.ts";
import { Random } from "../../../test/workerd/platform/random.ts";
import { withStorage } from "../../../test/workerd/platform/storage.ts";
import { VirtualTime } from "../../../test/workerd/platform/time.ts";
import { WATCH } from "../../../test/workerd/rows.ts";
import { World } from "../../../test/workerd/world.ts";
import { StatementCounts } from "./count-statements.ts";
import { measureLargeBeats } from "./large-beats.ts";
import type { Held, ToldChange, WatchOrder, WatchRun } from "./order.ts";

/** Heartbeats in a mean interval. A real one comes each minute, and looks at a page a hundred times in an interval. */
const BEATS = 100;

/**
 * Worker invocations of a batch, as on Cloudflare:
 * https://developers.cloudflare.com/workers/runtime-apis/bindings/service-bindings/#limits
 */
const INVOCATIONS = 32;

const NOTHING_HELD: Held = {
  ...{ packs: 0, packBytes: 0, records: 0, oldPacks: 0, oldRecords: 0, versions: 0, changes: 0 },
  ...{ databaseBytes: 0, rowBytes: { version: 0, change: 0, pack: 0 }, removed: null },
};

const order = JSON.parse((env as unknown as { ORDER: string }).ORDER) as WatchOrder;

/** A world whose pages the page fetcher fetches from a real server, which gets the virtual time with each request. */
class ServedWorld extends World {
  constructor(bindings: Pick<Env, "LEDGER" | "MIRROR">) {
    super(
      () => {
        throw new Error("the page fetcher fetches");
      },
      {
        bindings,
        invocations: INVOCATIONS,
        named: order.hasSitemap ? { [order.origin]: [`${order.origin}/sitemap.xml`] } : {},
      },
    );
    this.now = order.beginMs;
    const { deps } = this;
    const timed = (secrets: Secrets): Secrets => ({ ...secrets, "x-virtual-time": String(this.now) });
    deps.fetchPage = (request, secrets, gateway, copy) =>
      this.#fetcher().fetchPage(request, timed(secrets), gateway, copy);
    deps.readPage = (stored, request) => this.#fetcher().readPage(stored, request);
    deps.fetchSitemap = (request, secrets) => this.#fetcher().fetchSitemap(request, timed(secrets));
    deps.readVersion = (stored, request) => this.#fetcher().readVersion(stored, request);
  }

  #fetcher(): PageFetcher {
    const clock = `${new Date(this.now).toISOString()} 1 ${new Date().toISOString()}`;
    return new PageFetcher(createExecutionContext(), { ...env, CLOCK: clock } as unknown as Env);
  }
}

test("a watch of years", () => withStorage(watchYears));

async function watchYears(storage: DurableObjectStorage): Promise<void> {
  const startedAt = performance.now();
  const random = new Random(1);
  const around = { time: new VirtualTime(), random, faults: new Faults(NO_FAULTS, random), trace: null };
  const [database, bucket] = [new ModelDatabase(storage, around), new ModelBucket(around)];
  const statements = new StatementCounts();
  const emptyBytes = storage.sql.databaseSize;
  const world = new ServedWorld({
    LEDGER: statements.counted(database.bindingOf(null)),
    MIRROR: bucket.bindingOf(null),
  });
  const { deps } = world;
  const run: WatchRun = {
    ...{ fetched: [], visits: [], changes: [], usage: {}, beats: { count: 0, usage: {} }, seconds: 0 },
    ...{ firstUsage: {}, keepUsage: {}, largeBeats: null, held: NOTHING_HELD, statements: [] },
  };
  meterKeeping(deps, run);
  const commit = deps.ledger.commit.bind(deps.ledger);
  deps.ledger.commit = async (commits, now) => {
    for (const { outcomes, visits } of commits) {
      for (const { url, status, fetchedAt } of outcomes)
        if (status === "completed") run.fetched.push({ url, at: fetchedAt });
      for (const { url, visitedAt: at, result, change, outcome } of visits)
        run.visits.push({ url, at, result, change, isStored: outcome?.status === "completed" });
    }
    return commit(commits, now);
  };

  const watch = { ...WATCH, everyS: order.everyS, fixed: order.fixed, keepDays: order.keepDays };
  const { includePatterns } = order;
  const source = order.hasSitemap ? "all" : "links";
  const politeness = { ...DEFAULT_POLITENESS, minDelayMs: order.minDelayMs ?? 0 };
  const id = await world.start([`${order.origin}/`], { source, store: "warc", watch, includePatterns, politeness });
  const read = async () => {
    const crawl = await deps.ledger.crawl(id);
    if (crawl === null) throw new Error("the watch is gone");
    return crawl;
  };
  for (let status = ""; status !== "watching"; ) {
    await world.turn();
    ({ status } = await read());
    if (status !== "running" && status !== "watching") throw new Error(`the first crawl is ${status}`);
  }
  let before = (await read()).usage;
  run.firstUsage = before;
  statements.take();
  const stepMs = Math.round((order.everyS * 1000) / (order.beats ?? BEATS));
  const { countedFromMs = 0 } = order;
  let isCounted = false;
  for (let beatAt = world.now; beatAt < order.endMs; beatAt += stepMs) {
    if (!isCounted && beatAt >= countedFromMs) {
      isCounted = true;
      before = (await read()).usage;
      statements.take();
      Object.assign(run, { visits: [], beats: { count: 0, usage: {} }, keepUsage: {} });
    }
    world.now = Math.max(world.now, beatAt);
    deps.meter.take();
    await heartbeat(deps);
    run.beats.count += 1;
    addUsage(run.beats.usage, deps.meter.take());
    while (world.inMotion > 0) await world.turn();
  }
  run.usage = difference((await read()).usage, before);
  run.statements = statements.take();
  run.changes = await toldBy(deps, id);
  run.held = await heldBy(database.bindingOf(null), id, world.now);
  run.held = { ...run.held, databaseBytes: storage.sql.databaseSize - emptyBytes, removed: (await read()).removed };
  const { beatPages: largePages, everyS } = order;
  if (largePages !== undefined) {
    const keepUsage = { ...run.keepUsage };
    const db = database.bindingOf(null);
    run.largeBeats = await measureLargeBeats(world, db, { id, pages: run.fetched.length, largePages, everyS });
    run.keepUsage = keepUsage;
  }
  run.seconds = (performance.now() - startedAt) / 1000;
  await fetch(`${order.origin}/run`, { method: "POST", body: JSON.stringify(run) });
}

/** Counts what the removal of old versions uses by itself: it grows with visits, and not with heartbeats. */
function meterKeeping({ oldVersions, meter }: World["deps"], run: WatchRun): void {
  for (const name of ["removeChanges", "removeOld", "unneededPacks", "forgetPacks", "notePlace"] as const) {
    const call = oldVersions[name].bind(oldVersions) as (...given: unknown[]) => Promise<unknown>;
    const metered = async (...given: unknown[]) => {
      addUsage(run.beats.usage, meter.take());
      const result = await call(...given);
      addUsage(run.keepUsage, meter.take());
      return result;
    };
    Object.assign(oldVersions, { [name]: metered });
  }
}

async function heldBy(db: D1Database, id: string, now: number): Promise<Held> {
  const oldest = packNameAt(now - (order.keepDays ?? 0) * DAY_MS);
  const held = await db
    .prepare(
      `SELECT count(*) AS packs, sum(bytes) AS packBytes, sum(visits) AS records, count(*) FILTER (WHERE name < ?2) AS oldPacks,
         coalesce(sum(visits) FILTER (WHERE name < ?2), 0) AS oldRecords,
         (SELECT count(*) FROM versions WHERE crawl = ?1) AS versions, (SELECT count(*) FROM changes WHERE crawl = ?1) AS changes
       FROM packs WHERE crawl = ?1`,
    )
    .bind(id, oldest)
    .first<Omit<Held, "databaseBytes" | "rowBytes" | "removed">>();
  const rowBytes = {
    version: await bytesOf(
      db,
      "versions",
      ["crawl", "url", "title", "content_type", "sha256", "pack", "revisits"],
      0.7,
    ),
    change:
      (await bytesOf(db, "changes", ["crawl", "url", "kind", "detail", "fields"], 0.95)) +
      (await bytesOf(db, "changes", ["crawl", "url"], 0.7)),
    pack: await bytesOf(db, "packs", ["crawl", "name"], 0.95),
  };
  return { ...NOTHING_HELD, ...held, rowBytes };
}

async function bytesOf(db: D1Database, table: string, texts: readonly string[], used: number): Promise<number> {
  const lengths = texts.map((column) => `coalesce(length(${column}), 0)`).join(" + ");
  const mean = await db.prepare(`SELECT avg(${lengths}) AS n FROM ${table}`).first<number>("n");
  return Math.round(((mean ?? 0) + 40) / used);
}

async function toldBy({ changes }: World["deps"], id: string): Promise<ToldChange[]> {
  const told: ToldChange[] = [];
  for (let after = 0; ; ) {
    const part = await changes.list(id, { after, at: 0, kinds: null, limit: 1_000 });
    told.push(...part.changes.map(({ url, kind, at, detail }) => ({ url, kind, at, detail })));
    if (!part.hasMore) return told;
    after = part.cursor;
  }
}

function difference(after: Usage, before: Usage): Usage {
  return Object.fromEntries(RESOURCES.map((resource) => [resource, (after[resource] ?? 0) - (before[resource] ?? 0)]));
}
