import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { viewCrawl } from "../../src/api/crawls/crawl-schemas.ts";
import type { Deps } from "../../src/frontier/deps.ts";
import { Deeds } from "../../src/lifecycle/deed.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { removeOldVersions } from "../../src/lifecycle/keep-versions.ts";
import { OldVersions } from "../../src/store/watches/old-versions.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { DAY_MS, HOUR_MS, SEED, WatchedWorld, watchOf } from "./watched-world.ts";

/** What a watch that keeps some days removes beside versions, and what it says of that. */

useModelLedger();

interface Kept {
  versions: number;
  changes: number;
  packs: number;
  visits: number;
  bytes: number;
}

async function keptBy(id: string): Promise<Kept> {
  const kept = await env.LEDGER.prepare(
    `SELECT (SELECT count(*) FROM versions WHERE crawl = ?1) AS versions, (SELECT count(*) FROM changes WHERE crawl = ?1) AS changes,
       count(*) AS packs, sum(visits) AS visits, sum(bytes) AS bytes FROM packs WHERE crawl = ?1`,
  )
    .bind(id)
    .first<Kept>();
  return kept as Kept;
}

const outbox = async () =>
  (
    await env.LEDGER.prepare("SELECT body FROM deliveries WHERE event = 'pages.changed' ORDER BY made_at, id").all<{
      body: string;
    }>()
  ).results.flatMap(({ body }) => (JSON.parse(body).data.changes as { seq: number }[]).map(({ seq }) => seq));

test("a watch says what it has removed, and removes changes and records of visits", { timeout: 120_000 }, async () => {
  let day = 0;
  const world = new WatchedWorld((url) =>
    url === SEED ? { text: `day ${day}`, links: [`${SEED}still`] } : { text: "it never changes" },
  );
  const id = await world.watch(DAY_MS, { watch: watchOf(DAY_MS, 7) });
  const { forgetPacks } = OldVersions.prototype;
  const forgotten: string[] = [];
  world.deps.oldVersions.forgetPacks = async (crawl, names, cutoff) => {
    forgotten.push(...names);
    return forgetPacks.call(world.deps.oldVersions, crawl, names, cutoff);
  };
  for (; day < 30; day++) await world.pass(DAY_MS, 2 * HOUR_MS);
  const crawl = await world.crawl(id);
  const kept = await keptBy(id);
  const { removed } = viewCrawl(crawl).watching ?? {};
  expect(kept.changes).toBeLessThan(14);
  expect(removed).toMatchObject({ changes: crawl.changes - kept.changes });
  expect(crawl.removed?.packs).toBe(forgotten.length);
  expect(removed?.versions).toBeGreaterThan(10);
  expect(removed?.visits).toBeGreaterThan(5);
  expect(removed?.bytes).toBeGreaterThan(1_000);
  expect(Date.parse(removed?.until ?? "")).toBeGreaterThan(world.now - 12 * DAY_MS);
  expect(Date.parse(removed?.until ?? "")).toBeLessThan(world.now - 7 * DAY_MS + 1);
  // Without a gap: a cursor of a change that is there reads on, an earlier one has expired.
  const { changes } = world.deps;
  const first = crawl.changes - kept.changes;
  expect(await changes.hasAllAfter(id, first)).toBe(true);
  expect(await changes.hasAllAfter(id, first - 1)).toBe(false);
  expect(await changes.hasAllAfter(id, crawl.changes)).toBe(true);
});

test("changes that a webhook or a digest waits for stay until they are told", async () => {
  let text = "one";
  const world = new WatchedWorld(() => ({ text }));
  const hook = { id: "hook", url: "https://receiver.test/hook", events: null, secret: "whsec_x" };
  const id = await world.watch(DAY_MS, { watch: watchOf(DAY_MS, 7), webhook: hook });
  await env.LEDGER.prepare("UPDATE webhooks SET digest_at = ?1")
    .bind(world.now + 100 * DAY_MS)
    .run();
  const { toldChanges, oldVersions } = world.deps;
  const { digestsDue } = toldChanges;
  toldChanges.digestsDue = async () => [];
  for (const next of ["two", "three"]) {
    text = next;
    await world.pass(2 * DAY_MS, 2 * HOUR_MS);
  }
  expect(await oldVersions.removeChanges(id, world.now + DAY_MS, 100)).toBe(0);
  await env.LEDGER.prepare("UPDATE webhooks SET digest_at = NULL, changes_at = 1").run();
  expect(await oldVersions.removeChanges(id, world.now + DAY_MS, 100)).toBe(0);
  toldChanges.digestsDue = digestsDue;
  await heartbeat(world.deps);
  expect(await outbox()).toEqual([1, 2]);
  expect(await oldVersions.removeChanges(id, world.now + DAY_MS, 1)).toBe(1);
  expect(await oldVersions.removeChanges(id, world.now + DAY_MS, 100)).toBe(1);
});

test("a pack that has the list of a sitemap stays", async () => {
  const oldVersions = new OldVersions(env.LEDGER);
  await env.LEDGER.batch([
    env.LEDGER.prepare("INSERT INTO packs (crawl, name, bytes) VALUES ('c', 'a', 1), ('c', 'b', 1)"),
    env.LEDGER.prepare(
      `INSERT INTO sitemaps (crawl, url, status, host, guessed, depth, seq, redirects, links_pack)
       VALUES ('c', 'https://a.test/sitemap.xml', 'completed', 'a.test', 0, 0, 1, 0, 'a')`,
    ),
  ]);
  expect(await oldVersions.unneededPacks("c", "", "z", 10)).toEqual({ names: ["b"], last: null });
});

test("packs go in portions that one call of R2 takes", async () => {
  const names = Array.from({ length: 2_500 }, (_, i) => String(i).padStart(4, "0"));
  const removed: number[] = [];
  const forgotten: string[] = [];
  const place = { url: "", fetchedAt: 0, pack: "", endedAt: 0 };
  const oldVersions = {
    watches: async () => [{ id: "w", keepDays: 7, place }],
    unneededPacks: async () => ({ names, last: null }),
    forgetPacks: async (_: string, portion: string[]) => void forgotten.push(...portion),
    notePlace: async () => undefined,
  };
  const packs = { remove: async (_: string, portion: string[]) => void removed.push(portion.length) };
  const deps = { oldVersions, packs, clock: { now: () => 100 * DAY_MS } } as unknown as Deps;
  expect(await removeOldVersions(deps, new Deeds())).toMatchObject({ packs: 2_500 });
  expect([removed, forgotten]).toEqual([[1_000, 1_000, 500], names]);
});
