import { expect, test } from "vitest";
import { expectWholeIndex, Index, pageOf, worldOf } from "./chunk-index.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { DAY_MS, HOUR_MS, SEED, type SiteAnswer } from "./watched-world.ts";

/** Deltas of chunks: what became of them since a cursor, for a vector index that follows a watch. */

useModelLedger();

test("a delta has the chunks that were added, changed and removed, and no others", async () => {
  let page = pageOf([
    ["Oil", 1],
    ["Belt", 1],
    ["Chuck", 1],
  ]);
  const world = worldOf(() => page);
  const id = await world.watch(DAY_MS);
  const index = new Index();
  await index.follow(world, id);
  expect(index.lines).toEqual(["added Oil 1", "added Belt 1", "added Chuck 1"]);
  await index.follow(world, id);
  expect(index.lines).toEqual([]);
  page = pageOf([
    ["Oil", 1],
    ["Belt", 2],
    ["Lamp", 1],
  ]);
  await world.pass(1.5 * DAY_MS, 2 * HOUR_MS);
  await index.follow(world, id);
  expect(index.lines).toEqual(["changed Belt 1 > Belt 2", "added Lamp 1", "removed Chuck 1 > "]);
});

test("a page that is gone takes its chunks along, and one that comes back brings them", async () => {
  let page: SiteAnswer = pageOf([["Oil", 1]]);
  const world = worldOf((url) => (url === SEED ? { text: "Home / of it", links: [`${SEED}a`] } : page));
  const id = await world.watch(DAY_MS);
  const index = new Index();
  await index.follow(world, id);
  const all = index.content;
  page = { status: 410 };
  await world.pass(4 * DAY_MS, 2 * HOUR_MS);
  await index.follow(world, id);
  expect(index.lines).toEqual(["removed Oil 1 > "]);
  page = pageOf([["Oil", 1]]);
  await world.pass(4 * DAY_MS, 2 * HOUR_MS);
  await index.follow(world, id);
  expect(index.content).toEqual(all);
});

test("if the version that the index has is no longer kept, the page is cleared first", async () => {
  let page = pageOf([
    ["Oil", 1],
    ["Belt", 1],
  ]);
  const world = worldOf(() => page);
  const id = await world.watch(DAY_MS);
  const index = new Index();
  await index.follow(world, id);
  page = pageOf([
    ["Oil", 1],
    ["Belt", 2],
  ]);
  await world.pass(1.5 * DAY_MS, 2 * HOUR_MS);
  await world.deps.oldVersions.removeOld(id, { url: "", fetchedAt: 0 }, world.now + DAY_MS, 100);
  await index.follow(world, id);
  expect(index.lines).toEqual(["cleared /", "added Oil 1", "added Belt 2"]);
});

test("an index forgets what it read of a version that came while it was exported", async () => {
  const paths = [...Array.from({ length: 60 }, (_, i) => `a${i}`), "g"];
  let last = 1;
  const world = worldOf((url) =>
    url === SEED
      ? { text: "Home / of it", links: paths.map((path) => SEED + path) }
      : pageOf([[`Oil${url.slice(-1)}`, url.endsWith("g") ? last : 1]]),
  );
  const id = await world.watch(DAY_MS);
  const change = async () => {
    last += 1;
    await world.pass(1.5 * DAY_MS, 3 * HOUR_MS);
  };
  const index = new Index();
  // Pages are looked up fifty at a time, so the last one is read after its change, which the cursor does not have.
  await index.follow(world, id, async () => (last === 1 ? change() : null));
  expect(index.lines.at(-1)).toBe("added Oilg 2");
  await change();
  await index.follow(world, id);
  const full = new Index();
  await full.follow(world, id);
  expect(index.content).toEqual(full.content);
});

test("an index that follows has the chunks of a full export, whatever happens meanwhile: run 1", () =>
  expectWholeIndex(1));
