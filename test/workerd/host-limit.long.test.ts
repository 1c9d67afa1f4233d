import { expect, test } from "vitest";
import { expectCountersExact } from "./ledger-invariant.ts";
import { HOUR_MS, SEED, WatchedWorld, watchOf } from "./watched-world.ts";

/** The page limit of a host, in a watch. */

test("a visit of a page counts towards no limit", async () => {
  let text = "first";
  const world = new WatchedWorld((url) => ({
    text: `A page about ${url} and its host, the ${text} edition`,
    links: url === SEED ? [`${SEED}1`, `${SEED}2`, `${SEED}3`] : [],
  }));
  const watch = watchOf(HOUR_MS);
  const crawl = await world.start([SEED], { limitPerHost: 3, watch });
  await world.runToEnd(crawl);
  text = "second";
  const changes = async () => (await world.deps.ledger.crawl(crawl))?.changes ?? 0;
  for (let turn = 0; turn < 300 && (await changes()) < 3; turn++) await world.turn();
  const state = await world.deps.ledger.crawl(crawl);
  expect(state?.counters).toMatchObject({ completed: 3, skipped: 1 });
  expect(state?.changes).toBe(3);
  expect(await world.deps.ledger.hostPages(crawl, ["a.test"])).toEqual(new Map([["a.test", 3]]));
  await expectCountersExact(crawl);
});
