import { expect, test } from "vitest";
import { expectCountersExact } from "./ledger-invariant.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { HOUR_MS, SEED, type SiteAnswer, WatchedWorld } from "./watched-world.ts";

/** The assets of a watch are visited when a page that shows them has changed. */

useModelLedger();

const STYLE = "https://a.test/s.css";
const FONT = "https://a.test/f.woff2";
const LOGO = "https://cdn.test/logo.png";
const NEW_LOGO = "https://cdn.test/new.png";

async function watchSite() {
  const site: Record<string, SiteAnswer> = {
    [SEED]: { text: "home", assets: [STYLE, LOGO], links: ["https://a.test/b"] },
    "https://a.test/b": { text: "b", assets: [STYLE] },
    [STYLE]: { text: "style", type: "text/css", assets: [FONT] },
    [FONT]: { text: "font", type: "font/woff2" },
    [LOGO]: { text: "logo", type: "image/png" },
    [NEW_LOGO]: { text: "new logo", type: "image/png" },
  };
  const world = new WatchedWorld((url) => site[url] ?? { status: 404 });
  const id = await world.watch(4 * HOUR_MS, { assets: true });
  world.fetched.length = 0;
  return { world, id, site };
}

const fetchedAssets = ({ fetched }: WatchedWorld) => fetched.filter((url) => /\.(css|png|woff2)$/.test(url));
const timesOf = async ({ deps }: WatchedWorld, id: string, url: string) =>
  (await deps.mementos.list(id, url, { from: 0, limit: 10 })).map(({ kind }) => kind);

test("no asset is visited while its pages say what they said", async () => {
  const { world, id } = await watchSite();
  await world.pass(24 * HOUR_MS);
  expect(world.fetched).not.toEqual([]);
  expect(fetchedAssets(world)).toEqual([]);
  expect((await world.crawl(id)).assets.completed).toBe(3);
});

test("a page that changed brings its assets, new and known, which get versions and are not told", async () => {
  const { world, id, site } = await watchSite();
  site[SEED] = { text: "another home", assets: [STYLE, NEW_LOGO], links: ["https://a.test/b"] };
  site[STYLE] = { text: "another style", type: "text/css", assets: [FONT] };
  site[LOGO] = { text: "another logo", type: "image/png" };
  await world.pass(24 * HOUR_MS);
  // The font's style sheet has changed. Nothing shows the old logo.
  expect(fetchedAssets(world).toSorted()).toEqual([FONT, STYLE, NEW_LOGO].toSorted());
  expect(await timesOf(world, id, STYLE)).toEqual(["asset", "asset"]);
  expect(await timesOf(world, id, FONT)).toEqual(["asset"]);
  expect(await timesOf(world, id, LOGO)).toEqual(["asset"]);
  expect(await world.told(id)).toEqual(["changed /"]);
  expect((await world.crawl(id)).assets.completed).toBe(4);
  await expectCountersExact(id);
});

test("an asset that is gone stays as it was until a later change of its page finds it gone again", async () => {
  const { world, id, site } = await watchSite();
  site[LOGO] = { status: 404 };
  for (const text of ["second", "third", "fourth"]) {
    site[SEED] = { text, assets: [STYLE, LOGO], links: ["https://a.test/b"] };
    await world.pass(24 * HOUR_MS);
    await expectCountersExact(id);
  }
  expect(await world.told(id)).toEqual(["changed /", "changed /", "changed /"]);
  expect((await world.deps.records.get(id, LOGO))?.reason).toBe("gone");
  expect(await timesOf(world, id, LOGO)).toEqual(["asset"]);
  expect((await world.crawl(id)).assets.completed).toBe(2);
});
