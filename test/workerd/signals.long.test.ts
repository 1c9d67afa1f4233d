import { describe, expect, test } from "vitest";
import { expectCountersExact } from "./ledger-invariant.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { DATE, HOUR, listOf, pass, SITEMAP, startWatch } from "./signalled-watch.ts";
import type { Sitemaps, World } from "./world.ts";

/** Hours of dates in sitemaps that say what is not so. */

useModelLedger();

describe("signals that lie", () => {
  const lying =
    (now: () => number): Sitemaps =>
    (url) =>
      url === SITEMAP ? { pages: listOf(40, now()) } : { status: 404 };

  test("do not use up the budget, and honest ones are trusted", async () => {
    let world: World | undefined;
    let clock = () => DATE;
    const started = await startWatch(lying(() => clock()));
    world = started.world;
    const { crawl } = started;
    clock = () => world?.now ?? DATE;
    await pass(world, 2 * HOUR);
    const { crawl: id } = started;
    const counts = await world.deps.signals.counts(id, ["site.test"]);
    expect(counts.get("site.test")).toMatchObject({ proved: 0 });
    const visits = world.fetched.length;
    await pass(world, 4 * HOUR);
    // 41 pages an hour; a tenth more is what trials may cost.
    expect(world.fetched.length - visits).toBeLessThan(4 * 41 * 1.1);
    await expectCountersExact(crawl);
  });
});
