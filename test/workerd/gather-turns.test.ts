import { expect, test } from "vitest";
import { gatherAssets } from "../../src/frontier/commit/gather-assets.ts";
import { gatherPage } from "../../src/frontier/commit/gather-page.ts";

/** What one page brings, however much, lets the other work of its isolate have its turn. */

const MANY = Array.from({ length: 100_000 }, (_, i) => `https://a.test/${i}.png`);
/** One in 5,000 URLs at least. */
const TURNS = MANY.length / 5_000 - 1;

const dropped = { links: null, requisites: null };
const work = {
  row: { url: "https://a.test/", kind: "page", visit: null, depth: 0, chain: 0 },
  context: { crawl: { options: { source: "all", traps: {} } }, scope: {} },
};
const gathering = () => {
  const asked: string[] = [];
  const isRecent = (url: string) => asked.push(url) > 0;
  const nothing = () => undefined;
  return {
    ...{ asked, seen: { isRecent }, isKnown: isRecent, refuse: nothing, refuseSample: nothing },
    ...{ notes: new Map(), shown: new Set() },
  };
};

async function turnsOf(work: () => Promise<void>): Promise<number> {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 0);
  await work();
  clearInterval(timer);
  return turns;
}

test.each<[string, (into: never) => Promise<void>]>([
  [
    "assets",
    (into) => gatherAssets({ assets: MANY, embedded: [], dropped, redirect: null } as never, work as never, into),
  ],
  [
    "media",
    (into) => gatherAssets({ assets: [], embedded: MANY, dropped, redirect: null } as never, work as never, into),
  ],
  [
    "known links",
    (into) =>
      gatherPage(
        { links: MANY, alternates: [], dropped, redirect: null, outcome: {} } as never,
        work as never,
        into,
        true,
      ),
  ],
])("a page of 100,000 %s", async (_, gather) => {
  const into = gathering();
  expect(await turnsOf(() => gather(into as never))).toBeGreaterThanOrEqual(TURNS);
  expect(into.asked).toEqual(MANY);
});
