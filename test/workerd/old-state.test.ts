import { applyD1Migrations, env } from "cloudflare:test";
import { gunzipSync } from "node:zlib";
import { unzipSync } from "fflate";
import { afterAll, expect, test } from "vitest";
import { readRecord } from "../../src/archive/read-warc-record.ts";
import { sha256Of } from "../../src/archive/sha256.ts";
import { requestRecord, resourceRecord, responseRecord, warcinfoRecord } from "../../src/archive/warc-record.ts";
import type { Crawl } from "../../src/crawl/crawl.ts";
import { DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import type { PageFetched } from "../../src/crawl/page/outcome.ts";
import { ASSET_PRIORITY } from "../../src/crawl/page/url-kind.ts";
import { resumeCrawl } from "../../src/lifecycle/start.ts";
import { exportWacz } from "../../src/reading/exports/export-archive.ts";
import { documentKey } from "../../src/store/mirror/documents.ts";
import { readStoredContent, readStoredPage } from "../../src/store/mirror/read-mirror.ts";
import { gzipMembers } from "../gzip-members.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { exportRecords } from "./read-warc.ts";
import { World } from "./world.ts";

/** A crawl that an earlier version stored continues under this version. */

const SEED = "https://a.test/";

async function dropTables(): Promise<void> {
  const { results } = await env.LEDGER.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'search_*_*'",
  ).all<{ name: string }>();
  const virtual = ["search_trigram_terms", "search_word_terms", "search_words", "search_trigrams", "search_pages"];
  const names = [...virtual, ...results.map(({ name }) => name).filter((name) => !virtual.includes(name))];
  for (const name of names) await env.LEDGER.prepare(`DROP TABLE IF EXISTS "${name}"`).run();
}

/** Migrates the database up to `last`. */
async function migrateTo(last: string): Promise<void> {
  await dropTables();
  const names = env.TEST_MIGRATIONS.map(({ name }) => name);
  await applyD1Migrations(env.LEDGER, env.TEST_MIGRATIONS.slice(0, names.indexOf(last) + 1));
}

afterAll(async () => {
  await dropTables();
  await applyD1Migrations(env.LEDGER, env.TEST_MIGRATIONS);
});

test("assets with the priority from before migration 0010 still go before pages, and count as assets", async () => {
  await migrateTo("0009_assets.sql");
  const options = { ...DEFAULT_OPTIONS, urls: [SEED], userAgent: "Test/1", assets: true, source: "links", limit: 2 };
  const rows = [
    { url: SEED, status: "completed", priority: 1, asset: 0 },
    { url: `${SEED}page-1`, status: "pending", priority: 0, asset: 0 },
    { url: `${SEED}page-2`, status: "pending", priority: 0, asset: 0 },
    { url: `${SEED}image-1`, status: "pending", priority: 2, asset: 1 },
    { url: `${SEED}image-2`, status: "pending", priority: 2, asset: 1 },
  ];
  await env.LEDGER.batch([
    env.LEDGER.prepare(
      `INSERT INTO crawls (id, status, options, hosts, created_at, updated_at, wake_at, page_limit, max_queued,
         discovered, pending, completed, assets_pending)
       VALUES ('old', 'paused', ?1, '["a.test"]', 1, 1, 1, 2, 100, 5, 4, 1, 2)`,
    ).bind(JSON.stringify(options)),
    ...rows.map(({ url, status, priority, asset }, seq) =>
      env.LEDGER.prepare(
        "INSERT INTO urls (crawl, url, status, depth, priority, seq, asset) VALUES ('old', ?1, ?2, 1, ?3, ?4, ?5)",
      ).bind(url, status, priority, seq, asset),
    ),
  ]);

  await applyD1Migrations(env.LEDGER, env.TEST_MIGRATIONS);
  await expectCountersExact("old", env.LEDGER, 1);
  const { results } = await env.LEDGER.prepare(
    "SELECT kind, priority FROM urls WHERE status = 'pending' ORDER BY url",
  ).all();
  const [asset, page] = [
    { kind: "asset", priority: ASSET_PRIORITY },
    { kind: "page", priority: 0 },
  ];
  expect(results).toEqual([asset, asset, page, page]);

  const world = new World((url) => (url.includes("image") ? { links: [], type: "image/png" } : { links: [] }));
  await resumeCrawl("old", world.deps);
  await world.runToEnd("old");
  await expectCountersExact("old", env.LEDGER, 1);
  expect(await world.deps.ledger.crawl("old")).toMatchObject({
    status: "completed",
    counters: { completed: 4, skipped: 1 },
    assets: { pending: 0, completed: 2 },
  });
  expect(world.fetched).toHaveLength(3);
});

test("a crawl from before migration 0012 goes on: pages that wait go before pages of a growing pattern", async () => {
  await migrateTo("0010_kinds.sql");
  const options = { ...DEFAULT_OPTIONS, urls: [SEED], userAgent: "Test/1", source: "links", limit: 100 };
  const waiting = Array.from({ length: 60 }, (_, i) => `${SEED}waiting/${i}`);
  const rows = [
    { url: SEED, status: "completed", priority: 1, chain: 0 },
    // A URL of a pattern, as earlier versions stored it.
    { url: `${SEED}facet?c=1`, status: "queued", priority: 0, chain: 1 },
    ...waiting.map((url, i) => ({ url, status: "pending", priority: i === 59 ? 1 : 0, chain: 0 })),
  ];
  await env.LEDGER.batch([
    env.LEDGER.prepare(
      `INSERT INTO crawls (id, status, options, hosts, created_at, updated_at, wake_at, page_limit, max_queued,
         discovered, pending, queued, completed)
       VALUES ('older', 'paused', ?1, '["a.test"]', 1, 1, 1, 100, 20, 62, 60, 1, 1)`,
    ).bind(JSON.stringify(options)),
    ...rows.map(({ url, status, priority, chain }, seq) =>
      env.LEDGER.prepare(
        "INSERT INTO urls (crawl, url, status, depth, priority, seq, chain) VALUES ('older', ?1, ?2, 1, ?3, ?4, ?5)",
      ).bind(url, status, priority, seq, chain),
    ),
  ]);
  await applyD1Migrations(env.LEDGER, env.TEST_MIGRATIONS);
  await expectCountersExact("older", env.LEDGER, 1);

  const world = new World((url) => {
    const n = Number(/c=(\d+)/.exec(url)?.[1] ?? Number.NaN);
    return { links: Number.isNaN(n) ? [] : [1, 2, 3, 4, 5].map((k) => `${SEED}facet?c=${5 * n + k}`) };
  });
  await resumeCrawl("older", world.deps);
  // The queue has places for twenty, and the best go there first.
  const best = "SELECT status FROM urls WHERE crawl = 'older' AND url = ?1";
  expect(await env.LEDGER.prepare(best).bind(waiting[59]).first()).toEqual({ status: "queued" });
  await world.runToEnd("older");
  await expectCountersExact("older", env.LEDGER, 1);
  const isWaiting = world.fetched.map((url) => url.includes("waiting"));
  expect(isWaiting.lastIndexOf(true)).toBe(60);
  expect(world.fetched.filter((url) => url.includes("waiting"))).toHaveLength(60);
  expect(world.fetched).toHaveLength(99);
});

test("a dry run from before migration 0011 counts the pages that it would fetch, and no other skipped ones", async () => {
  await migrateTo("0010_kinds.sql");
  const options = { ...DEFAULT_OPTIONS, urls: [SEED], userAgent: "Test/1", dryRun: true, source: "links", limit: 3 };
  const rows = [
    { url: SEED, status: "skipped", reason: "dry-run" },
    { url: `${SEED}old-1`, status: "skipped", reason: "not-modified" },
    { url: `${SEED}old-2`, status: "skipped", reason: "not-modified" },
    ...[1, 2, 3].map((n) => ({ url: `${SEED}page-${n}`, status: "pending", reason: null })),
  ];
  await env.LEDGER.batch([
    env.LEDGER.prepare(
      `INSERT INTO crawls (id, status, options, hosts, created_at, updated_at, wake_at, page_limit, max_queued, dry_run,
         discovered, pending, skipped)
       VALUES ('old', 'paused', ?1, '["a.test"]', 1, 1, 1, 3, 100, 1, 6, 3, 3)`,
    ).bind(JSON.stringify(options)),
    ...rows.map(({ url, status, reason }, seq) =>
      env.LEDGER.prepare(
        "INSERT INTO urls (crawl, url, status, reason, depth, priority, seq) VALUES ('old', ?1, ?2, ?3, 1, 0, ?4)",
      ).bind(url, status, reason, seq),
    ),
  ]);

  await applyD1Migrations(env.LEDGER, env.TEST_MIGRATIONS);
  const world = new World(() => ({ links: [] }));
  await resumeCrawl("old", world.deps);
  await world.runToEnd("old");
  await expectCountersExact("old", env.LEDGER, 3);
  const { results } = await env.LEDGER.prepare(
    "SELECT reason, count(*) AS n FROM urls GROUP BY reason ORDER BY 1",
  ).all();
  expect(results).toEqual([
    { reason: "dry-run", n: 3 },
    { reason: "limit", n: 1 },
    { reason: "not-modified", n: 2 },
  ]);
});

test("a crawl with a sitemap from before migration 0011 that no message can hold goes on, and ends", async () => {
  await migrateTo("0010_kinds.sql");
  const options = { ...DEFAULT_OPTIONS, urls: [SEED], userAgent: "Test/1" };
  await env.LEDGER.batch([
    env.LEDGER.prepare(
      `INSERT INTO crawls (id, status, options, hosts, created_at, updated_at, wake_at, page_limit, max_queued, discovered, queued)
       VALUES ('old', 'running', ?1, '["a.test"]', 1, 1, 1, 100, 100, 1, 1)`,
    ).bind(JSON.stringify(options)),
    env.LEDGER.prepare(
      "INSERT INTO urls (crawl, url, status, depth, priority, seq) VALUES ('old', ?1, 'queued', 0, 1, 1)",
    ).bind(SEED),
    ...["queued", "pending"].map((status, seq) =>
      env.LEDGER.prepare(
        "INSERT INTO sitemaps (crawl, url, status, host, guessed, depth, seq) VALUES ('old', ?1, ?2, 'a.test', 0, 0, ?3)",
      ).bind(`${SEED}${status}${"x".repeat(130_000)}.xml`, status, seq),
    ),
  ]);

  await applyD1Migrations(env.LEDGER, env.TEST_MIGRATIONS);
  const world = new World(() => ({ links: [] }));
  await world.runToEnd("old");
  expect((await world.deps.ledger.crawl("old"))?.status).toBe("completed");
  expect((await world.deps.sitemaps.report("old", 5)).problems.map(({ reason }) => reason)).toEqual([
    "bad-sitemap",
    "bad-sitemap",
  ]);
});

test("a pack from before migration 0014 is exported whole, and its page can be read", async () => {
  await migrateTo("0013_backlog.sql");
  const options = { ...DEFAULT_OPTIONS, urls: [SEED], userAgent: "Test/1", store: "warc" };
  const payload = new TextEncoder().encode("<h1>Old</h1>");
  const [date, sha256] = [1_000, sha256Of(payload)];
  const content = new TextEncoder().encode('{"markdown":"# Old"}');
  const made = { url: `urn:content:${SEED}`, date, payload: content, sha256: sha256Of(content) };
  const { bytes, places } = gzipMembers([
    warcinfoRecord({ date, filename: "p.warc.gz", fields: [["software", "Orbweaver/0.1"]] }),
    responseRecord({ url: SEED, date, status: 200, statusText: "OK", headers: [["a", "b"]], payload, sha256 }),
    requestRecord({ url: SEED, date, method: "GET", headers: [] }),
    resourceRecord({ ...made, contentType: "application/json" }),
  ]);
  await env.MIRROR.put("old/packs/p.warc.gz", bytes);
  const [, page, , text] = places;
  await env.LEDGER.batch([
    env.LEDGER.prepare(
      `INSERT INTO crawls (id, status, options, hosts, created_at, updated_at, wake_at, page_limit, max_queued, discovered, completed)
       VALUES ('old', 'completed', ?1, '["a.test"]', 1, 1, 1, 100, 100, 1, 1)`,
    ).bind(JSON.stringify(options)),
    env.LEDGER.prepare(
      `INSERT INTO urls (crawl, url, status, depth, priority, seq, http_status, content_type, sha256, fetched_at, pack, pack_offset,
         pack_length, content_offset, content_length)
       VALUES ('old', ?1, 'completed', 0, 1, 1, 200, 'text/html', ?2, ?3, 'p', ?4, ?5, ?6, ?7)`,
    ).bind(SEED, sha256, date, page?.offset, page?.length, text?.offset, text?.length),
    env.LEDGER.prepare("INSERT INTO packs (crawl, name, bytes) VALUES ('old', 'p', ?1)").bind(bytes.byteLength),
  ]);

  await applyD1Migrations(env.LEDGER, env.TEST_MIGRATIONS);
  const { deps } = new World(() => ({ links: [] }));
  const crawl = (await deps.ledger.crawl("old")) as Crawl;
  expect((await readStoredPage(crawl, SEED, deps))?.body).toEqual(payload);
  const row = await deps.records.packed("old", SEED);
  expect(await readStoredContent(crawl, SEED, ["markdown"], deps, row)).toEqual({ markdown: "# Old" });
  const types = (await exportRecords("old", deps)).map(({ type }) => type);
  expect(types).toEqual(["warcinfo", "warcinfo", "response", "request", "resource"]);

  const { open } = await exportWacz(crawl, deps.archiveIndex, deps);
  const files = unzipSync(new Uint8Array(await new Response(open(0)).arrayBuffer()));
  const [line = ""] = new TextDecoder()
    .decode(gunzipSync(files["indexes/index.cdx.gz"] ?? new Uint8Array()))
    .split("\n");
  const { offset, length } = JSON.parse(line.slice(line.indexOf("{"))) as Record<string, string>;
  const member = files["archive/data.warc.gz"]?.slice(Number(offset), Number(offset) + Number(length));
  expect((await readRecord(member ?? new Uint8Array())).payload).toEqual(payload);
});

test("a crawl from before migration 0046 goes on, with its messages, its waiting document and its notes", async () => {
  await migrateTo("0045_firecrawl_webhooks.sql");
  const limits = { depth: 3, limitPerHost: 50, limit: 100 };
  const options = { ...DEFAULT_OPTIONS, urls: [SEED], userAgent: "Test/1", source: "links", ...limits };
  const [sent, manual, waiting] = [`${SEED}sent`, `${SEED}manual.pdf`, [`${SEED}waiting-1`, `${SEED}waiting-2`]];
  const rows = [
    { url: SEED, status: "completed", depth: 0 },
    ...[sent, manual, ...waiting].map((url) => ({ url, status: "queued", depth: 1 })),
  ];
  await env.LEDGER.batch([
    env.LEDGER.prepare(
      `INSERT INTO crawls (id, status, options, hosts, created_at, updated_at, wake_at, page_limit, max_queued, epoch,
         discovered, queued, backlog, completed, last_url, last_failure, failed_at)
       VALUES ('old', 'running', ?1, '["a.test"]', 1, 1, 1, 100, 2, 3, 5, 4, 2, 1, ?2, 'the mirror could not be written', 5)`,
    ).bind(JSON.stringify(options), SEED),
    ...rows.map(({ url, status, depth }, i) =>
      env.LEDGER.prepare(
        "INSERT INTO urls (crawl, url, status, depth, priority, seq) VALUES ('old', ?1, ?2, ?3, 0, ?4)",
      ).bind(url, status, depth, i + 1),
    ),
    env.LEDGER.prepare(
      "INSERT INTO backlog (crawl, priority, depth, seq, count, urls) VALUES ('old', 0, 1, 4, 2, ?1)",
    ).bind(JSON.stringify(waiting)),
  ]);
  const body = new TextEncoder().encode("%PDF-1.4");
  await env.MIRROR.put(documentKey("old", manual, null), body);

  await applyD1Migrations(env.LEDGER, env.TEST_MIGRATIONS);
  await expectCountersExact("old", env.LEDGER, 1);
  const world = new World((url) => ({ links: url === sent ? [`${SEED}far`] : [] }));
  world.deps.readHeavyPage = async () => ({ ...PAGE, body, title: "The manual", links: [`${SEED}linked`] });
  expect(await world.deps.ledger.crawl("old")).toMatchObject({
    lastUrl: SEED,
    lastFailure: { what: "the mirror could not be written", at: 5 },
  });
  // As the version before sent them.
  const answer = {
    ...{ statusText: "OK", date: 1_000, headers: [], requestHeaders: [], contentType: "application/pdf" },
    ...{ httpStatus: 200, durationMs: 5, bodyBytes: body.byteLength },
  };
  const message = { v: 2 as const, crawl: "old", epoch: 3 };
  await world.deps.frontier.sendBatch([{ body: { ...message, urls: [sent] } }]);
  await world.deps.documentQueue.sendBatch([{ body: { ...message, urls: [manual], answer } }]);
  await world.runToEnd("old");
  await expectCountersExact("old", env.LEDGER, 1);
  expect(await world.deps.ledger.crawl("old")).toMatchObject({ status: "completed", counters: { completed: 7 } });
  expect(world.fetched.toSorted()).toEqual([`${SEED}far`, `${SEED}linked`, sent, ...waiting].toSorted());
  expect((await env.MIRROR.list({ prefix: "old/packs/documents/" })).objects).toEqual([]);
});

const PAGE: PageFetched = {
  ...{ kind: "page", httpStatus: 200, durationMs: 5, retryAfterMs: null, body: new Uint8Array(0), headers: [] },
  ...{ content: null, text: null, version: null, said: null, bytes: 8, capture: null, sha256: "d0c", truncated: null },
  ...{ contentType: "application/pdf", encoding: "", title: "", links: [], sitemaps: [], feeds: [], assets: [] },
  ...{ noindex: null, notModified: null, nofollow: { count: 0, examples: [] } },
  leftOut: { links: { count: 0, examples: [] }, requisites: { count: 0, examples: [] }, problem: null },
};
