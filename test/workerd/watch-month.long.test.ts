import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { viewMonth } from "../../src/api/changes/month-schemas.ts";
import type { MonthView } from "../../src/api/views.ts";
import { readWatchMonth } from "../../src/reading/watch/watch-month.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { DAY_MS, HOUR_MS, SEED, type SiteAnswer, WatchedWorld } from "./watched-world.ts";

/** The last thirty days of a watch: what changed, what was in trouble, and what was held back. */

const STEP_MS = 2.4 * HOUR_MS;

useModelLedger();

async function month(id: string, world: WatchedWorld): Promise<MonthView> {
  return viewMonth(await readWatchMonth(await world.crawl(id), world.deps));
}

test("it counts changes by day and page, keeps a trouble that is over, and forgets what is older", async () => {
  const urls = ["a", "b", "c", "d", "e", "f"].map((name) => `${SEED}${name}`);
  const instead = new Map<string, SiteAnswer>();
  const world = new WatchedWorld((url) => instead.get(url) ?? { text: `It is ${url}`, links: urls });
  const id = await world.watch(DAY_MS);
  const [a = "", b = ""] = urls;
  instead.set(b, { text: "Said long ago" });
  await world.pass(2 * DAY_MS, STEP_MS);
  expect((await month(id, world)).changedPages).toBe(1);
  await env.LEDGER.prepare("UPDATE changes SET at = at - ?1")
    .bind(31 * DAY_MS)
    .run();
  expect((await month(id, world)).changedPages).toBe(0);

  const began = world.now;
  for (const day of [1, 2, 3]) {
    instead.set(a, { text: `The price is ${day} today` });
    await world.pass(2 * DAY_MS, STEP_MS);
  }
  const { days, pages, changedPages, troubledHosts, from, to } = await month(id, world);
  expect(days).toHaveLength(30);
  expect([Date.parse(from) % DAY_MS, Date.parse(to)]).toEqual([0, world.now]);
  expect(days.at(-1)?.day).toBe(new Date(world.now).toISOString().slice(0, 10));
  expect(days.flatMap(({ changes }) => Object.entries(changes))).toEqual([1, 2, 3].map(() => ["changed", 1]));
  expect(changedPages).toBe(1);
  expect(pages).toMatchObject([{ url: a, changes: 3, kind: "changed", detail: expect.stringContaining("3 today") }]);
  expect(Date.parse(pages[0]?.at ?? "")).toBeGreaterThan(began);
  expect(troubledHosts).toEqual([]);

  for (const url of urls) instead.set(url, { status: 503 });
  await world.pass(2 * DAY_MS, STEP_MS);
  expect((await month(id, world)).troubledHosts).toMatchObject([{ host: "a.test", isNow: true }]);
  instead.clear();
  await world.pass(4 * DAY_MS, STEP_MS);
  expect((await month(id, world)).troubledHosts).toMatchObject([{ host: "a.test", isNow: false }]);
});

test("what was held back comes from the tables of the hosts", async () => {
  const world = new WatchedWorld((url) => ({ text: `It is ${url}` }));
  const id = await world.watch(DAY_MS);
  const at = world.now - HOUR_MS;
  const noise = { "n:x": { at, url: SEED, texts: ["Visitor 1", "Visitor 2"], pages: ["p"] } };
  const round = { at, seen: at, pages: ["p", "q"], others: 0, had: null, share: 1, text: "Sale", isShared: true };
  const template = { pages: 2, versions: 2, blocks: {}, noise, rounds: { "+y": round } };
  await world.deps.templates.write(id, "a.test", JSON.stringify(template));
  const { heldBack, isHeldBackCut } = await month(id, world);
  expect(heldBack).toMatchObject([
    { host: "a.test", why: "everywhere", place: "a new text", pages: 2, url: null, before: null, after: "Sale" },
    { host: "a.test", why: "noise", place: "numbers of a text", url: SEED, before: "Visitor 1", after: "Visitor 2" },
  ]);
  expect(isHeldBackCut).toBe(false);
});
