import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { costUsd } from "../../src/crawl/bounds/usage.ts";
import { deleteCrawl } from "../../src/lifecycle/delete-crawl.ts";
import { retryCrawl } from "../../src/lifecycle/retry.ts";
import { cancelCrawl } from "../../src/lifecycle/start.ts";
import { watchCrawl } from "../../src/lifecycle/watch.ts";
import { IN_FLIGHT_MS } from "../../src/store/installation/deletions.ts";
import { readStoredPage } from "../../src/store/mirror/read-mirror.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { exportRecords } from "./read-warc.ts";
import { DAY_MS, HOUR_MS, SEED, type SiteAnswer, WatchedWorld, watchOf } from "./watched-world.ts";

/** What a watch keeps, for how long, and within which limits. */

useModelLedger();

const EVERY_MS = DAY_MS;

const count = async (sql: string, id: string) =>
  (await env.LEDGER.prepare(`SELECT count(*) AS n FROM ${sql}`).bind(id).first<{ n: number }>())?.n ?? 0;
const versionsOf = (id: string) => count("versions WHERE crawl = ?1", id);
const packsOf = (id: string) => count("packs WHERE crawl = ?1", id);
const objectsOf = async (id: string) => (await env.MIRROR.list({ prefix: `${id}/packs/` })).objects.length;

test("the cost limit of a watch is one of each month, and the watch goes on by itself on the first", async () => {
  const pages = Array.from({ length: 20 }, (_, i) => `${SEED}${i}`);
  let noise = 0;
  const world = new WatchedWorld((url) => ({ text: url, noise: String(noise++), links: url === SEED ? pages : [] }));
  const id = await world.watch(EVERY_MS);
  const first = costUsd((await world.crawl(id)).usage);
  await world.deps.ledger.amend(id, { maxCostUsd: first * 20 }, world.now);
  await world.pass(29 * DAY_MS, 2 * HOUR_MS);
  const paused = await world.crawl(id);
  expect(paused).toMatchObject({
    status: "paused",
    waitingFor: expect.stringMatching(/this month, which is its limit$/),
  });
  expect(costUsd(paused.usage)).toBeLessThan(first * 22);
  // The installation pays for heartbeats.
  world.deps.meter.take();
  await world.pass(2 * DAY_MS + 2 * HOUR_MS);
  const resumed = await world.crawl(id);
  expect(resumed.status).toBe("watching");
  expect(costUsd(resumed.usage)).toBeGreaterThan(costUsd(paused.usage));
  // Nobody else's pause ends by itself.
  await world.deps.ledger.pause(id, world.now);
  await world.pass(33 * DAY_MS, 2 * HOUR_MS);
  expect((await world.crawl(id)).status).toBe("paused");
});

test("the time limit is one of the first crawl, and a watch has no end that a retention could count from", async () => {
  let text = "one";
  const world = new WatchedWorld((url) => (url === SEED ? { text, links: [`${SEED}a`] } : { status: 500 }));
  const id = await world.watch(EVERY_MS, { maxDurationS: 3_600 * 20, retentionDays: 1, maxAttempts: 1 });
  await world.pass(3 * DAY_MS);
  text = "two";
  // A retry sets a watch running again, without a time limit.
  await retryCrawl(await world.crawl(id), { status: "errored", reason: null, limit: null }, world.deps);
  const { deadline_at } =
    (await env.LEDGER.prepare("SELECT deadline_at FROM crawls WHERE id = ?1").bind(id).first()) ?? {};
  expect(deadline_at).toBeNull();
  await world.pass(3 * DAY_MS);
  expect(await world.crawl(id)).toMatchObject({ status: "watching", finishedAt: null, changes: 1 });
  await cancelCrawl(id, "cancelled_by_user", world.deps);
  await world.pass(2 * DAY_MS);
  expect(await world.deps.ledger.crawl(id)).toBeNull();
});

test("a crawl with a time limit that becomes a watch later is not cancelled by it", async () => {
  const links: string[] = [];
  const world = new WatchedWorld((url) => ({ text: `${url} ${links.length}`, links }));
  const id = await world.start([SEED], { maxDurationS: 3_600 });
  await world.runToEnd(id);
  world.now += 10 * DAY_MS;
  expect(await watchCrawl(id, watchOf(EVERY_MS), world.deps)).toBe(true);
  links.push(`${SEED}a`, `${SEED}b`);
  await world.pass(2.5 * DAY_MS);
  expect(await world.crawl(id)).toMatchObject({ status: "watching", counters: { completed: 3 } });
  expect((await world.told(id)).toSorted()).toEqual(["added /a", "added /b", "changed /"]);
});

test("a removed page frees its place under the limit", async () => {
  const site = new Map<string, SiteAnswer>([
    [SEED, { text: "home", links: [`${SEED}a`] }],
    [`${SEED}a`, { text: "a" }],
    [`${SEED}b`, { text: "b" }],
    [`${SEED}c`, { text: "c" }],
  ]);
  const world = new WatchedWorld((url) => site.get(url) ?? { status: 404 });
  const id = await world.watch(EVERY_MS, { limit: 2 });
  site.delete(`${SEED}a`);
  await world.pass(3 * DAY_MS);
  expect(await world.told(id)).toEqual(["removed /a"]);
  site.set(SEED, { text: "home again", links: [`${SEED}b`, `${SEED}c`] });
  await world.pass(3 * DAY_MS);
  expect((await world.told(id)).slice(1).map((line) => line.split(" ")[0])).toEqual(["changed", "added"]);
  expect((await world.crawl(id)).counters).toMatchObject({ completed: 2, skipped: 1, errored: 1 });
});

test("versions that were replaced longer ago go with their packs, and the newest stays", {
  timeout: 180_000,
}, async () => {
  let day = 0;
  const site = (url: string): SiteAnswer => {
    if (url === SEED) return { text: `day ${day}`, links: [`${SEED}still`, `${SEED}gone`, `${SEED}copy`] };
    if (url === `${SEED}gone`) return day < 10 ? { text: "it is there" } : { status: 404 };
    // Its content lies with the first version of the seed.
    return { text: url === `${SEED}copy` ? "day 0" : "it never changes" };
  };
  const world = new WatchedWorld(site);
  const id = await world.watch(EVERY_MS, { watch: watchOf(EVERY_MS, 7) });
  for (; day < 40; day++) await world.pass(DAY_MS, 2 * HOUR_MS);
  const versions = await versionsOf(id);
  // Those of the last seven days and of a rest between two laps, that of the page that is gone, and the copied one.
  expect(versions).toBeGreaterThan(5);
  expect(versions).toBeLessThan(14);
  const { changes, removed } = await world.crawl(id);
  expect((await world.told(id)).length + (removed?.changes ?? 0)).toBe(changes);
  expect(removed?.changes).toBeGreaterThan(20);
  expect(changes).toBeGreaterThan(30);
  const packs = await packsOf(id);
  expect(packs).toBeLessThan(25);
  expect(await objectsOf(id)).toBe(packs);
  const { results } = await env.LEDGER.prepare("SELECT url, fetched_at, pack, sha256 FROM versions WHERE crawl = ?1")
    .bind(id)
    .all();
  expect(results.map(({ url }) => url)).toContain(`${SEED}gone`);
  const crawl = await world.crawl(id);
  for (const path of ["", "still", "copy"]) {
    const stored = await readStoredPage(crawl, `${SEED}${path}`, world.deps);
    expect(new TextDecoder().decode(stored?.body)).toMatch(/^(day|it)/);
  }
  const names = new Set(
    (await env.LEDGER.prepare("SELECT name FROM packs WHERE crawl = ?1").bind(id).all()).results.map(
      ({ name }) => name,
    ),
  );
  for (const { pack } of results) expect(names).toContain(pack);

  await deleteCrawl(id, true, world.deps);
  world.now += IN_FLIGHT_MS;
  await world.pass(10 * 60_000, 60_000);
  for (const table of ["versions", "changes", "packs", "urls", "watch_hosts"])
    expect([table, await count(`${table} WHERE crawl = ?1`, id)]).toEqual([table, 0]);
  expect(await objectsOf(id)).toBe(0);
});

test("without keepDays all versions and packs stay", async () => {
  let day = 0;
  const world = new WatchedWorld(() => ({ text: `day ${day}` }));
  const id = await world.watch(EVERY_MS);
  for (; day < 12; day++) await world.pass(DAY_MS);
  expect(await versionsOf(id)).toBe((await world.crawl(id)).changes);
  expect(await objectsOf(id)).toBe(await packsOf(id));
});

test("an unchanged visit has a revisit record, which names the answer that is stored", async () => {
  const world = new WatchedWorld((url) => ({
    text: url,
    links: url === SEED ? [`${SEED}plain`, `${SEED}noisy`] : [],
    etag: url === SEED ? undefined : null,
    noise: url.endsWith("noisy") ? String(world.now) : "",
  }));
  const id = await world.watch(EVERY_MS);
  await world.pass(2 * DAY_MS + HOUR_MS);
  const records = await exportRecords(id, world.deps);
  const stored = new Map(records.filter(({ type }) => type === "response").map((record) => [record.url, record]));
  const visits = records.filter(({ type }) => type === "revisit");
  const { visits: counted } = await world.crawl(id);
  const profileOf = (name: string) => `http://netpreserve.org/warc/1.1/revisit/${name}`;
  const ofProfile = (name: string) => visits.filter(({ fields }) => fields.get("warc-profile") === profileOf(name));
  expect(ofProfile("server-not-modified").length).toBe(counted["not-modified"]);
  expect(new Set(ofProfile("server-not-modified").map(({ url }) => url))).toEqual(new Set([SEED]));
  expect(new Set(ofProfile("identical-payload-digest").map(({ url }) => url))).toEqual(new Set([`${SEED}plain`]));
  for (const { url, fields, block } of visits) {
    const original = stored.get(url);
    expect(fields.get("warc-refers-to-target-uri")).toBe(url);
    expect(fields.get("warc-refers-to-date")).toBe(original?.fields.get("warc-date"));
    expect(fields.get("warc-payload-digest")).toBe(original?.fields.get("warc-payload-digest"));
    expect(new TextDecoder().decode(block)).toMatch(/^HTTP\/1\.1 (304|200) OK\r\n/);
    expect(
      records.filter((record) => record.fields.get("warc-concurrent-to") === fields.get("warc-record-id")),
    ).toHaveLength(2);
  }
  // The index has the answers that rows name; a visit without a change has no row.
  const indexed: string[] = [];
  for await (const { url } of world.deps.archiveIndex.records(id)) indexed.push(url);
  expect(indexed.filter((url) => !url.endsWith("robots.txt")).toSorted()).toEqual([
    SEED,
    `${SEED}noisy`,
    `${SEED}plain`,
  ]);
});

test("a 304 for the tag of an answer that was not stored adds no revisit record of the one that was", async () => {
  let noise = "stored";
  const world = new WatchedWorld(() => ({ text: "It says the same.", noise }));
  const id = await world.watch(EVERY_MS);
  const revisits = async () => (await exportRecords(id, world.deps)).filter(({ type }) => type === "revisit").length;
  await world.pass(2 * DAY_MS);
  const before = await revisits();
  expect(before).toBeGreaterThan(0);
  noise = "new";
  await world.pass(3 * DAY_MS);
  expect((await world.crawl(id)).visits).toMatchObject({ same: 1 });
  expect((await world.crawl(id)).visits["not-modified"]).toBeGreaterThan(before);
  expect(await revisits()).toBe(before);
  // An answer with the stored bytes brings back their tag.
  noise = "stored";
  await world.pass(3 * DAY_MS);
  expect(await revisits()).toBeGreaterThan(before + 1);
});
