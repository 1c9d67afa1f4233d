import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import "./silence-log.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { watchPage } from "./watched-page.ts";
import { DAY_MS, HOUR_MS, SEED, WatchedWorld, watchOf } from "./watched-world.ts";

/** What days of visits make of a page that is other without another text, or whose server does not say the truth. */

useModelLedger();

test("a mended link is stored with the next visit, and told only to whoever asks", async () => {
  const site = (day: number) => ({
    text: "It says the same.",
    noise: `${day}`,
    link: day >= 4 ? "/mended" : "/broken",
  });
  const { world, id, versions, body, pass } = await watchPage(site);
  await pass(3);
  expect([await versions(), (await body())[2]]).toEqual([0, "/broken"]);
  await pass(3);
  expect([await versions(), (await body())[2]]).toEqual([1, "/mended"]);
  expect(await world.told(id)).toEqual([]);
  expect((await world.crawl(id)).visits).not.toHaveProperty("changed");

  const asked = await watchPage(site, { watch: { ...watchOf(DAY_MS), tell: ["links"] } });
  await asked.pass(6);
  const { changes } = await asked.world.deps.changes.list(asked.id, { after: 0, at: 0, kinds: null, limit: 9 });
  expect(changes.map(({ kind, detail }) => `${kind}: ${detail}`)).toEqual([
    "changed: links: 1 added, 1 removed: /mended",
  ]);
});

test("a page that changes under its old tag is found out within four intervals, and then at each visit", async () => {
  const site = (day: number) => ({
    text: day >= 12 ? "Sold out." : day >= 6 ? "Two are left." : "In stock.",
    etag: '"1"',
  });
  const { world, id, body, pass } = await watchPage(site);
  await pass(6);
  expect(world.conditional.length).toBeGreaterThanOrEqual(4);
  await pass(4.5);
  expect([await world.told(id), (await body())[0]]).toEqual([["changed /"], "Two are left."]);
  const before = world.conditional.length;
  await pass(3);
  expect([await world.told(id), (await body())[0]]).toEqual([["changed /", "changed /"], "Sold out."]);
  expect(world.conditional.length).toBe(before);
});

test("an honest host is asked conditionally for good, and in full at least each fourth interval", async () => {
  const { world, id, pass } = await watchPage((day) => ({ text: `It is week ${Math.floor(day / 7)}.` }));
  await pass(27);
  const visits = await world.visits(id);
  expect(visits).toBeGreaterThanOrEqual(25);
  expect(world.conditional.length).toBeGreaterThanOrEqual(0.7 * visits);
  expect(await world.told(id)).toHaveLength(3);
});

test("maintenance every second night sends no page away", async () => {
  const world: WatchedWorld = new WatchedWorld(() => {
    const hours = Math.floor(world.now / HOUR_MS);
    const isNight = Math.floor(hours / 24) % 2 === 0 && hours % 24 < 6;
    return isNight && hours > START_HOURS + 12 ? { redirect: "https://a.test/maintenance" } : { text: "It is here." };
  });
  const START_HOURS = Math.floor(world.now / HOUR_MS);
  const id = await world.watch(4 * HOUR_MS);
  await world.pass(10 * DAY_MS);
  expect(await world.told(id)).toEqual([]);
  const { results } = await env.LEDGER.prepare("SELECT url, status FROM urls WHERE crawl = ?1").bind(id).all();
  expect(results).toEqual([{ url: SEED, status: "completed" }]);
  expect((await world.crawl(id)).visits).toMatchObject({ missing: expect.any(Number) });
});

test("a page that was too old for its crawl is stored once it has changed", async () => {
  const since = Date.UTC(2030, 0, 1);
  let dated = since - DAY_MS;
  const world: WatchedWorld = new WatchedWorld((url) =>
    url === SEED ? { text: "Home.", links: [`${SEED}old`] } : { text: "It is old.", lastModified: dated, etag: null },
  );
  const id = await world.watch(DAY_MS, { modifiedSince: since / 1_000 });
  await world.pass(3 * DAY_MS, 2 * HOUR_MS);
  expect(await world.told(id)).toEqual([]);
  dated = since + DAY_MS;
  await world.pass(3 * DAY_MS, 2 * HOUR_MS);
  expect(await world.told(id)).toEqual(["added /old"]);
});
