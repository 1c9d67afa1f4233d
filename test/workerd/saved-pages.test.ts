import { beforeEach, expect, test } from "vitest";
import { explain } from "../../src/reading/explain/explain.ts";
import { reasonsOf, SAVE, shop } from "./saved-shop.ts";
import { removeWatches, SEED } from "./watched-world.ts";

/** Crawls that save some of their pages, and read the others for their links alone. */

beforeEach(removeWatches);

test.each(["warc", "files"] as const)("the others are skipped, and lead on: store %s", async (store) => {
  const { world } = shop();
  // The limit counts what is saved.
  const id = await world.start([SEED], { ...SAVE, store, assets: true, search: true, limit: 2 });
  await world.runToEnd(id);
  expect(await reasonsOf(world, id)).toEqual({
    "": "not-saved",
    list: "not-saved",
    about: "not-saved",
    "p/1": "completed",
    "p/2": "noindex",
    "one.png": "completed",
  });
  const crawl = await world.deps.ledger.crawl(id);
  if (crawl === null) throw new Error("no crawl");
  expect(crawl.counters).toMatchObject({ discovered: 6, completed: 2, skipped: 4, pending: 0, queued: 0 });

  const stepOf = async (path: string) => {
    const about = await explain(`${SEED}${path}`, { crawl }, world.deps, "all");
    return [about.verdict, about.steps.find(({ step }) => step === "save")?.rule];
  };
  expect(await stepOf("list")).toEqual(["skipped", "not-saved"]);
  expect(await stepOf("p/1")).toEqual(["completed", "/p/**"]);
  expect(await stepOf("p/new")).toEqual(["would be fetched", "/p/**"]);
  expect(await stepOf("new")).toEqual(["would be fetched", "not-saved"]);
  expect(await stepOf("one.png")).toEqual(["completed", undefined]);
});

test("without patterns, all pages are saved, and nothing is said of it", async () => {
  const { world } = shop();
  const id = await world.start([SEED]);
  await world.runToEnd(id);
  expect((await reasonsOf(world, id))[""]).toBe("completed");
  const crawl = await world.deps.ledger.crawl(id);
  if (crawl === null) throw new Error("no crawl");
  const { steps } = await explain(SEED, { crawl }, world.deps, "all");
  expect(steps.map(({ step }) => step)).not.toContain("save");
});
