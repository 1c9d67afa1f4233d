import { beforeEach, expect, test } from "vitest";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import { explain } from "../../src/reading/explain/explain.ts";
import { DAY_MS, removeWatches, SEED, type SiteAnswer, WatchedWorld } from "./watched-world.ts";

/** Crawls that save some of their pages, and read the others for their links alone. */

const SAVE: Partial<CrawlOptions> = { savePatterns: ["/p/**"] };

beforeEach(removeWatches);

function shop(): { site: Record<string, SiteAnswer>; world: WatchedWorld } {
  const site: Record<string, SiteAnswer> = {
    [SEED]: { text: "home", links: [`${SEED}list`], assets: [`${SEED}home.png`] },
    [`${SEED}list`]: { text: "list", links: [`${SEED}p/1`, `${SEED}p/2`], noindex: "meta: noindex" },
    [`${SEED}p/1`]: { text: "one", links: [`${SEED}about`], assets: [`${SEED}one.png`] },
    [`${SEED}p/2`]: { text: "two", noindex: "meta: noindex" },
  };
  return { site, world: new WatchedWorld((url) => site[url] ?? { text: url, type: "image/png" }) };
}

async function reasonsOf(world: WatchedWorld, id: string) {
  const rows = await world.deps.records.list(id, { cursor: "", limit: 100 });
  return Object.fromEntries(rows.map(({ url, status, reason }) => [url.slice(SEED.length), reason ?? status]));
}

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

test("a watch visits them too: it finds what they lead to, and tells of none of them", async () => {
  const { site, world } = shop();
  const id = await world.watch(DAY_MS, SAVE);
  site[`${SEED}list`] = { text: "longer list", links: [`${SEED}p/3`] };
  site[`${SEED}p/3`] = { text: "three" };
  await world.pass(3 * DAY_MS);
  expect(await reasonsOf(world, id)).toMatchObject({ "": "not-saved", list: "not-saved", "p/3": "completed" });
  expect(await world.told(id)).toEqual(["added /p/3"]);
});
