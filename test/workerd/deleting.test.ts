import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { deletionUsd } from "../../src/crawl/bounds/deletion-cost.ts";
import { DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import { settleDeadLetters } from "../../src/frontier/batch/dead-letter.ts";
import { deleteCrawl } from "../../src/lifecycle/delete-crawl.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { DELETION_CHUNK, Deletions, IN_FLIGHT_MS } from "../../src/store/installation/deletions.ts";
import { Ledger } from "../../src/store/ledger/ledger.ts";
import { Mirror } from "../../src/store/mirror/mirror.ts";
import { mirrorKey } from "../../src/store/mirror/mirror-key.ts";
import { Faults, faultyBucket, faultyDatabase } from "./faulty.ts";
import { expectIndexSound } from "./ledger-invariant.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { type Web, World, type WorldOptions } from "./world.ts";

/** Deleting a crawl removes all of it, even after interruptions, and changes no other crawl. */

const SEED = "https://a.test/p/1";
const DAY = 86_400_000;
const TABLES = [
  "urls",
  "backlog",
  "promotions",
  "sitemaps",
  "refusals",
  "variants",
  "packs",
  "answers",
  "cookies",
  "webhooks",
  "deliveries",
  "versions",
  "changes",
  "templates",
  "same_pages",
  "endless_hosts",
  "withheld_urls",
  "render_memory",
  "signals",
  "watch_hosts",
  "told_troubles",
  "answer_marks",
  "page_troubles",
  "search_pages",
  "marks",
  "waiting_documents",
  "document_claims",
  "document_hangs",
  "document_turns",
  "passes",
  "finished",
  "contents",
  "lowered",
  "topics",
  "model_answers",
  "extraction_sections",
  "shard_parts",
  "shard_outbox",
  "shard_intents",
];

useModelLedger();

/** A chain of pages of one pattern, each with a link that is out of scope. */
const web: Web = (url) => {
  const n = Number(url.split("/").at(-1));
  return { links: n < 8 ? [`https://a.test/p/${n + 1}`, "https://b.test/"] : [], text: `Page ${n} 第${n}页` };
};

function newWorld(options: WorldOptions = {}): World {
  return new World(web, { sitemaps: () => ({ pages: [{ url: "https://a.test/p/5", lastmod: null }] }), ...options });
}

async function runCrawl(world: World, changes = {}): Promise<string> {
  const crawl = await world.start([SEED], { source: "all", search: true, ...changes });
  await world.runToEnd(crawl);
  return crawl;
}

/** The number of rows that a crawl has in each table, and of its objects. */
async function countHoldings(crawl: string): Promise<Record<string, number>> {
  const counts = await env.LEDGER.batch<{ n: number }>([
    ...TABLES.map((table) => env.LEDGER.prepare(`SELECT count(*) AS n FROM ${table} WHERE crawl = ?1`).bind(crawl)),
    env.LEDGER.prepare("SELECT count(*) AS n FROM crawls WHERE id = ?1").bind(crawl),
  ]);
  const found = [...TABLES, "crawls"].map((table, i) => [table, counts[i]?.results[0]?.n ?? -1]);
  const { objects } = await env.MIRROR.list({ prefix: `${crawl}/` });
  return { ...Object.fromEntries(found), objects: objects.length };
}

const NO_HOLDINGS = {
  urls: 0,
  backlog: 0,
  promotions: 0,
  sitemaps: 0,
  refusals: 0,
  variants: 0,
  packs: 0,
  answers: 0,
  cookies: 0,
  webhooks: 0,
  deliveries: 0,
  versions: 0,
  changes: 0,
  templates: 0,
  same_pages: 0,
  endless_hosts: 0,
  withheld_urls: 0,
  render_memory: 0,
  signals: 0,
  watch_hosts: 0,
  told_troubles: 0,
  answer_marks: 0,
  page_troubles: 0,
  finished: 0,
  contents: 0,
  lowered: 0,
  model_answers: 0,
  extraction_sections: 0,
  shard_parts: 0,
  shard_outbox: 0,
  shard_intents: 0,
  search_pages: 0,
  marks: 0,
  waiting_documents: 0,
  document_claims: 0,
  document_hangs: 0,
  document_turns: 0,
  passes: 0,
  topics: 0,
  crawls: 0,
  objects: 0,
};

/**
 * Adds completed pages and `others` rows to the other tables. Every thousandth page has an object, every tenth is
 * indexed.
 */
async function addRows(crawl: string, rows: number, others = 0): Promise<void> {
  const numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)";
  const insert = (sql: string, most: number) => env.LEDGER.prepare(`${numbers} ${sql}`).bind(crawl, most).run();
  await insert(
    `INSERT INTO urls (crawl, url, status, depth, priority, seq, sha256)
     SELECT ?1, 'https://a.test/' || substr('00000' || i, -5), 'completed', 1, 0, i, hex(i) FROM n`,
    rows,
  );
  await insert(
    `INSERT INTO search_pages (crawl, url, unspaced, title, text)
     SELECT ?1, 'https://a.test/' || substr('00000' || i, -5), 1, 'Title ' || i, 'Body 正文' || i FROM n WHERE i % 10 = 0`,
    rows,
  );
  const added = "SELECT id, title, text FROM search_pages WHERE crawl = ?1 AND title LIKE 'Title %'";
  for (const index of ["search_words", "search_trigrams"])
    await env.LEDGER.prepare(`INSERT INTO ${index} (rowid, title, text) ${added}`).bind(crawl).run();
  if (others > 0) {
    await insert("INSERT INTO variants (crawl, pattern, count) SELECT ?1, 'pattern ' || i, 1 FROM n", others);
    await insert("INSERT INTO cookies (crawl, host, jar) SELECT ?1, i || '.test', '[]' FROM n", others);
    await insert(
      `INSERT INTO sitemaps (crawl, url, status, host, guessed, depth, seq)
       SELECT ?1, 'https://a.test/' || i || '.xml', 'completed', 'a.test', 0, 0, i + 9 FROM n`,
      others,
    );
    await insert(
      "INSERT INTO backlog (crawl, priority, depth, seq, count, urls) SELECT ?1, i % 5, 1, i * 100, 1, '[]' FROM n",
      others,
    );
  }
  for (let i = 1_000; i <= rows; i += 1_000) {
    await env.MIRROR.put(mirrorKey(crawl, `https://a.test/${String(i).padStart(5, "0")}`), "body");
  }
}

test("a deletion removes the rows of every table, and other crawls stay", async () => {
  const world = newWorld();
  const crawl = await runCrawl(world, { store: "warc", search: true });
  const other = await runCrawl(world, { store: "warc", search: true });
  for (const [tx, id] of [crawl, other].entries()) {
    await env.LEDGER.batch([
      env.LEDGER.prepare(
        "INSERT INTO backlog (crawl, priority, depth, seq, count, urls) VALUES (?1, 0, 1, 100, 1, '[\"https://a.test/\"]')",
      ).bind(id),
      env.LEDGER.prepare("INSERT INTO promotions VALUES (1, ?2, ?1, 0, 0, 0, 0, 0, 0, '[]')").bind(id, tx),
      env.LEDGER.prepare("INSERT INTO cookies (crawl, host, jar) VALUES (?1, 'a.test', '[]')").bind(id),
      env.LEDGER.prepare(
        "INSERT INTO webhooks (crawl, id, url, receiver, secret, made_at) VALUES (?1, 'w', 'https://r.test/', 'https://r.test', 's', 1)",
      ).bind(id),
      env.LEDGER.prepare(
        `INSERT INTO deliveries (crawl, id, webhook, receiver, event, body, status, made_at, give_up_at)
         VALUES (?1, 'msg_1', 'w', 'https://r.test', 'crawl.paused', '{}', 'delivered', 1, 2)`,
      ).bind(id),
      env.LEDGER.prepare("INSERT INTO versions (crawl, url, fetched_at) VALUES (?1, 'https://a.test/', 1)").bind(id),
      env.LEDGER.prepare("INSERT INTO changes (crawl, seq, url, kind, at) VALUES (?1, 1, 'u', 'added', 1)").bind(id),
      env.LEDGER.prepare("INSERT INTO templates (crawl, host, template) VALUES (?1, 'a.test', '{}')").bind(id),
      env.LEDGER.prepare(
        "INSERT INTO render_memory (crawl, host, learned, version) VALUES (?1, 'a.test', '{}', 1)",
      ).bind(id),
      env.LEDGER.prepare(
        "INSERT INTO endless_hosts (crawl, host, learned, version) VALUES (?1, 'a.test', '{}', 1)",
      ).bind(id),
      env.LEDGER.prepare(
        "INSERT INTO same_pages (crawl, host, learned, version) VALUES (?1, 'a.test', '{\"rules\":{}}', 1)",
      ).bind(id),
      env.LEDGER.prepare(
        "INSERT INTO withheld_urls (crawl, host, rule, seq, total, count, links, urls) VALUES (?1, 'a.test', 'r', 0, 1, 1, 1, '[]')",
      ).bind(id),
      env.LEDGER.prepare("INSERT INTO signals VALUES (?1, 'a.test', 1, 1, 1, 1)").bind(id),
      env.LEDGER.prepare(
        "INSERT INTO watch_hosts (crawl, host, day, visits, lost) VALUES (?1, 'a.test', 1, 1, 1)",
      ).bind(id),
      env.LEDGER.prepare("INSERT INTO told_troubles VALUES (?1, 'a.test', 1)").bind(id),
      env.LEDGER.prepare("INSERT INTO answer_marks VALUES (?1, 'a.test', 'https://a.test/', '[]', 1)").bind(id),
      env.LEDGER.prepare("INSERT INTO page_troubles VALUES (?1, 'https://a.test/', 1, 'why')").bind(id),
      env.LEDGER.prepare(
        "INSERT INTO waiting_documents (crawl, url, answer) VALUES (?1, 'https://a.test/', '{}')",
      ).bind(id),
      env.LEDGER.prepare("INSERT INTO document_claims VALUES (?1, 'https://a.test/', -1, NULL, NULL, 0, 0, 1, 0)").bind(
        id,
      ),
      env.LEDGER.prepare("INSERT INTO document_hangs VALUES (?1, 'a.test', 1)").bind(id),
      env.LEDGER.prepare("INSERT INTO document_turns VALUES (?1, 'a.test', 1)").bind(id),
      env.LEDGER.prepare("INSERT INTO contents (crawl, prefix, pages) VALUES (?1, 'a', '')").bind(id),
      env.LEDGER.prepare("INSERT INTO lowered (crawl, url) VALUES (?1, 'https://a.test/')").bind(id),
      env.LEDGER.prepare("INSERT INTO topics (crawl, learned, version) VALUES (?1, '{}', 1)").bind(id),
      env.LEDGER.prepare(
        "INSERT INTO marks (crawl, url, label, marked_at) VALUES (?1, 'https://a.test/', 'right', 1)",
      ).bind(id),
      env.LEDGER.prepare("UPDATE crawls SET notes = json_set(notes, '$.shards', json('{}')) WHERE id = ?1").bind(id),
      env.LEDGER.prepare("INSERT INTO shard_parts (crawl, home) VALUES (?1, 'of another ledger')").bind(id),
      env.LEDGER.prepare("INSERT INTO shard_outbox (crawl, body) VALUES (?1, '{}')").bind(id),
      env.LEDGER.prepare("INSERT INTO shard_intents (crawl, number, body) VALUES (?1, 0, '{}')").bind(id),
      env.LEDGER.prepare("INSERT INTO model_answers (crawl, key, reply) VALUES (?1, 'k', '{}')").bind(id),
      env.LEDGER.prepare("INSERT INTO extraction_sections (crawl, section, state) VALUES (?1, 's', '{}')").bind(id),
      env.LEDGER.prepare(
        "INSERT INTO passes (crawl, id, stage, changes, created_at, progress_at) VALUES (?1, 'p', 'Started', 0, 1, 1)",
      ).bind(id),
    ]);
  }
  const before = await countHoldings(other);
  expect(Object.values(await countHoldings(crawl)).every((n) => n > 0)).toBe(true);
  world.now += IN_FLIGHT_MS;
  expect(await deleteCrawl(crawl, false, world.deps)).toEqual({ kind: "deleting", done: true, waitsUntil: null });
  expect(await countHoldings(crawl)).toEqual(NO_HOLDINGS);
  expect(await countHoldings(other)).toEqual(before);
  await expectIndexSound();
  expect(await deleteCrawl(crawl, false, world.deps)).toEqual({ kind: "none" });
});

test("this test knows every table with rows of crawls", async () => {
  const { results } = await env.LEDGER.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%crawl TEXT NOT NULL%'",
  ).all<{ name: string }>();
  expect(results.map(({ name }) => name).toSorted()).toEqual(TABLES.toSorted());
});

test("a marked crawl is not shown any more, and its schedule does not name it", async () => {
  const world = newWorld();
  const id = crypto.randomUUID();
  const crawl = await runCrawl(world);
  const options = { ...DEFAULT_OPTIONS, urls: [SEED], userAgent: "Test/1" };
  await world.deps.schedules.add({ id, cron: "0 0 1 1 *", options, modifiedWithinS: null, createdAt: 0, nextAt: 1e15 });
  await env.LEDGER.prepare("UPDATE schedules SET last_crawl_id = ?1 WHERE id = ?2").bind(crawl, id).run();
  await world.deps.deletions.mark(crawl, false, world.now);
  expect(await world.deps.ledger.crawl(crawl)).toBeNull();
  expect((await world.deps.ledger.crawls(1_000)).map((one) => one.id)).not.toContain(crawl);
  expect((await world.deps.schedules.list()).find((one) => one.id === id)?.lastCrawlId).toBeNull();
  await world.deps.schedules.remove(id);
});

describe("a crawl with pages in flight", () => {
  test("is deleted only with force", async () => {
    const world = newWorld();
    const crawl = await world.start([SEED]);
    expect(await deleteCrawl(crawl, false, world.deps)).toEqual({ kind: "running" });
    expect((await world.deps.ledger.crawl(crawl))?.status).toBe("running");
    const waitsUntil = world.now + IN_FLIGHT_MS;
    expect(await deleteCrawl(crawl, true, world.deps)).toEqual({ kind: "deleting", done: false, waitsUntil });
  });

  test.each(["paused", "cancelled"])("is deleted without force after it was %s", async (how) => {
    const world = newWorld();
    const crawl = await world.start([SEED]);
    if (how === "paused") await world.deps.ledger.pause(crawl, world.now);
    else await world.deps.ledger.cancel(crawl, "cancelled_by_user", world.now);
    world.now += IN_FLIGHT_MS - 1;
    expect(await deleteCrawl(crawl, false, world.deps)).toMatchObject({ done: false, waitsUntil: world.now + 1 });
    world.now += 1;
    expect((await heartbeat(world.deps)).deleted).toEqual([crawl]);
    expect(await countHoldings(crawl)).toEqual(NO_HOLDINGS);
  });

  test("is deleted at once where nothing is in flight", async () => {
    const world = newWorld();
    const crawl = await world.start([SEED]);
    expect(await deleteCrawl(crawl, true, world.deps, () => true)).toMatchObject({ done: true, waitsUntil: null });
    expect(await countHoldings(crawl)).toEqual(NO_HOLDINGS);
  });

  test("loses its messages", async () => {
    const world = newWorld();
    const crawl = await world.start([SEED]);
    await world.turn();
    expect(world.inMotion).toBeGreaterThan(0);
    await deleteCrawl(crawl, true, world.deps);
    const fetched = world.fetched.length;
    while (world.inMotion > 0) await world.turn();
    expect(world.fetched).toHaveLength(fetched);
  });

  test("loses its dead letters", async () => {
    const world = newWorld();
    const crawl = await world.start([SEED]);
    await deleteCrawl(crawl, true, world.deps);
    await settleDeadLetters([{ crawl, url: SEED, epoch: 1, sitemap: false, visit: null, failures: 0 }], world.deps);
    expect((await world.deps.records.get(crawl, SEED))?.status).toBe("queued");
  });

  /** The crawl is marked during a fetch, and heartbeats run until the batch ends. */
  test.each([
    ["its batch commits", () => undefined],
    [
      "its batch fails",
      () => {
        throw new Error("D1 is away");
      },
    ],
  ])("leaves nothing of a page in flight if %s", async (_, onCommit) => {
    let deleted = false;
    const world = newWorld({ beforeCommit: () => (deleted ? onCommit() : undefined) });
    const crawl = await world.start([SEED], { source: "all", search: true });
    await world.turn();
    const { fetchPage } = world.deps;
    world.deps.fetchPage = async (request, secrets) => {
      const result = await fetchPage(request, secrets);
      if (!deleted) await deleteCrawl(crawl, true, world.deps);
      deleted = true;
      await heartbeat(world.deps);
      return result;
    };
    while (world.inMotion > 0) await world.turn();
    expect(deleted).toBe(true);
    // Its pages, and a pack with what its sitemap lists.
    expect((await countHoldings(crawl)).objects).toBe(world.fetched.length + 1);
    world.now += IN_FLIGHT_MS;
    expect((await heartbeat(world.deps)).deleted).toEqual([crawl]);
    expect(await countHoldings(crawl)).toEqual(NO_HOLDINGS);
  });

  test("gets no row from a commit after its deletion", async () => {
    const world = newWorld();
    const crawl = await world.start([SEED], { source: "all", search: true });
    await world.turn();
    const { commit } = world.deps.ledger;
    let late = false;
    // The batch outlives its invocation. This test does not check its objects in the mirror.
    world.deps.ledger.commit = async (commits, now) => {
      late = true;
      await deleteCrawl(crawl, true, world.deps, () => true);
      return commit(commits, now);
    };
    while (!late) await world.turn();
    expect(await countHoldings(crawl)).toMatchObject({ ...NO_HOLDINGS, objects: expect.any(Number) });
  });

  test("ends a sweep of its open URLs that is under way", async () => {
    const world = newWorld();
    const crawl = await world.start([SEED]);
    await world.deps.ledger.cancel(crawl, "cancelled_by_user", world.now);
    await world.deps.deletions.mark(crawl, false, world.now);
    await env.LEDGER.prepare("DELETE FROM urls WHERE crawl = ?1").bind(crawl).run();
    const patience = new Faults(10, "before");
    await new Ledger(faultyDatabase(env.LEDGER, patience)).retireOpen(crawl, world.now);
  });
});

describe("an interruption", () => {
  const ROWS = 2 * DELETION_CHUNK + 100;

  test.each(["before", "after"] as const)("%s any call of a deletion: the next deletion finishes it", async (when) => {
    for (let at = 1; ; at++) {
      const world = newWorld();
      const crawl = await runCrawl(world);
      await addRows(crawl, ROWS);
      world.now += IN_FLIGHT_MS;
      const faults = new Faults(at, when);
      const faulty = {
        ...world.deps,
        deletions: new Deletions(faultyDatabase(env.LEDGER, faults)),
        mirror: new Mirror(faultyBucket(env.MIRROR, faults)),
      };
      const [end] = await Promise.allSettled([deleteCrawl(crawl, false, faulty)]);
      // The caller learns of the failure, and sends the request again.
      if (end?.status === "rejected") await deleteCrawl(crawl, false, world.deps);
      await heartbeat(world.deps);
      expect([at, await countHoldings(crawl)]).toEqual([at, NO_HOLDINGS]);
      await expectIndexSound();
      if (end?.status === "fulfilled") {
        expect(at).toBe(faults.calls + 1);
        // One call marks the crawl. Three chunks take three calls each.
        expect(at).toBeGreaterThan(1 + 3 * 3);
        return;
      }
    }
  });

  test.each(["before", "after"] as const)(
    "%s any call of a heartbeat: the next heartbeat finishes the deletion",
    async (when) => {
      for (let at = 1; ; at++) {
        const world = newWorld();
        const crawl = await runCrawl(world, { retentionDays: 1 });
        await addRows(crawl, ROWS);
        world.now += DAY;
        const faults = new Faults(at, when);
        const faulty = {
          ...world.deps,
          deletions: new Deletions(faultyDatabase(env.LEDGER, faults)),
          mirror: new Mirror(faultyBucket(env.MIRROR, faults)),
        };
        const [end] = await Promise.allSettled([heartbeat(faulty)]);
        await heartbeat(world.deps);
        expect([at, await countHoldings(crawl)]).toEqual([at, NO_HOLDINGS]);
        await expectIndexSound();
        if (end?.status === "fulfilled") return;
      }
    },
  );

  test("objects are removed before the rows that name them", async () => {
    const world = newWorld();
    const crawl = await runCrawl(world);
    await addRows(crawl, ROWS);
    world.now += IN_FLIGHT_MS;
    const { removeRows } = world.deps.deletions;
    world.deps.deletions.removeRows = async (id, urls) => {
      for (const url of urls) expect(await env.MIRROR.head(mirrorKey(id, url))).toBeNull();
      return removeRows.call(world.deps.deletions, id, urls);
    };
    await deleteCrawl(crawl, false, world.deps);
  });
});

test("heartbeats at the same time finish a deletion together, and one of them reports it", async () => {
  const world = newWorld();
  const crawl = await runCrawl(world);
  await addRows(crawl, 4 * DELETION_CHUNK, 10);
  await world.deps.deletions.mark(crawl, false, world.now);
  world.now += IN_FLIGHT_MS;
  const reports = await Promise.all([1, 2, 3].map(() => heartbeat(world.deps)));
  expect(reports.flatMap(({ deleted }) => deleted)).toEqual([crawl]);
  expect(await countHoldings(crawl)).toEqual(NO_HOLDINGS);
});

test("a crawl is deleted when its retention ends, unless it has not ended", async () => {
  const world = newWorld();
  const crawl = await runCrawl(world, { retentionDays: 2 });
  const unlimited = await runCrawl(world);
  const paused = await world.start([SEED], { retentionDays: 1 });
  await world.deps.ledger.pause(paused, world.now);
  const { finishedAt } = (await world.deps.ledger.crawl(crawl)) as { finishedAt: number };
  world.now = finishedAt + 2 * DAY - 1;
  expect(await heartbeat(world.deps)).toMatchObject({ outdated: [], deleted: [] });
  world.now += 1;
  const reports = await Promise.all([heartbeat(world.deps), heartbeat(world.deps)]);
  expect(reports.flatMap(({ outdated }) => outdated)).toEqual([crawl]);
  expect(reports.flatMap(({ deleted }) => deleted)).toEqual([crawl]);
  expect(await countHoldings(crawl)).toEqual(NO_HOLDINGS);
  expect((await world.deps.ledger.crawl(unlimited))?.status).toBe("completed");
  expect((await world.deps.ledger.crawl(paused))?.status).toBe("paused");
});

test("a large crawl is deleted in bounded steps, and the cost is in proportion to its own rows", async () => {
  const ROWS = 12_500;
  const world = newWorld();
  const crawl = await runCrawl(world);
  const other = await runCrawl(world);
  await addRows(other, ROWS, 3_000);
  await addRows(crawl, ROWS, 3_000);
  await world.deps.deletions.mark(crawl, false, world.now);
  world.now += IN_FLIGHT_MS;

  const cost = { rows_read: 0, rows_written: 0 };
  const meteredDeletions = new Deletions({
    prepare: (sql: string) => env.LEDGER.prepare(sql),
    batch: async (statements: D1PreparedStatement[]) => {
      const results = await env.LEDGER.batch(statements);
      for (const { meta } of results) {
        cost.rows_read += meta.rows_read;
        cost.rows_written += meta.rows_written;
      }
      return results;
    },
  } as unknown as D1Database);
  const deps = { ...world.deps, deletions: meteredDeletions };
  const left: number[] = [];
  while ((await countHoldings(crawl)).crawls === 1) {
    await heartbeat(deps);
    left.push((await countHoldings(crawl)).urls ?? -1);
  }
  expect(left).toEqual([7_508, 2_508, 0]);
  expect(await countHoldings(crawl)).toEqual(NO_HOLDINGS);
  expect(await countHoldings(other)).toMatchObject({ urls: ROWS + 8, objects: 8 + 12 + 1 });
  // 12,500 URLs and 6,000 other rows, each with one or two index entries.
  expect(cost.rows_read).toBeLessThan(4 * 18_500);
  expect(cost.rows_written).toBeLessThan(3 * 18_500);
});

test.each([{}, { search: true }])("a deletion writes no more rows than its price says: %o", async (options) => {
  const world = newWorld();
  const crawl = await runCrawl(world, options);
  const state = await world.deps.ledger.crawl(crawl);
  if (state === null) throw new Error("there is no crawl");
  world.now += IN_FLIGHT_MS;
  world.deps.meter.take();
  await deleteCrawl(crawl, false, world.deps);
  const { ledgerRowsWritten = 0 } = world.deps.meter.take();
  // Besides its URLs: its own row and mark, a sitemap, and a row for what was refused.
  expect(ledgerRowsWritten).toBeLessThanOrEqual(deletionUsd(state) * 1_000_000 + 10);
  expect(ledgerRowsWritten).toBeGreaterThanOrEqual(state.counters.discovered);
});
