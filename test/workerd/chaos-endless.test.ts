import { expect, test } from "vitest";
import { endlessKey } from "../../src/scope/endless-groups.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { FIRST_SEED, RUNS } from "./platform/chaos-runs.ts";
import { endsOf, expectFewRequests, expectPolite } from "./platform/checks.ts";
import { finish } from "./platform/deeds.ts";
import { disturbedPlan, politenessOf } from "./platform/disturbed-plan.ts";
import { drawEndlessSite } from "./platform/endless-site.ts";
import { Platform } from "./platform/platform.ts";
import { Random } from "./platform/random.ts";
import { clear, withStorage } from "./platform/storage.ts";

/** Sites that lead to ever more pages of one pattern, with faults, kills and redeliveries. */

const DELAY_MS = 100;
/** One for 12 runs of `CHAOS_RUNS`, as the drawn sites of chaos-same-pages.long.test.ts. */
const DRAWN = Array.from({ length: Math.ceil(RUNS / 12) }, (_, i) => FIRST_SEED + i);
/** Each of up to three isolates, and each that follows one that was killed, learns anew which patterns are large. */
const MAX_TRAP_PAGES = 800;

test.each(DRAWN)(
  "seed %i: on a drawn site, a trap gives way, and what says something of its own comes",
  { timeout: 120_000 },
  async (seed) => {
    await withStorage(async (storage) => {
      clear(storage);
      const { web, isTrap, honest } = drawEndlessSite(new Random(seed));
      const platform = new Platform(storage, disturbedPlan(seed, web, 0.02));
      await platform.run(async () => {
        const options = { source: "links", store: "warc", maxAttempts: 200, limit: 2_000 } as const;
        const id = await platform.start(["https://h0.test/"], { ...options, politeness: politenessOf(DELAY_MS) });
        await finish(platform, id, null);
        const crawl = await platform.reader.ledger.crawl(id);
        expect(crawl?.status).toBe("completed");
        const ends = new Map((await endsOf(platform, id)).map((end) => end.split(" ") as [string, string]));
        expect(honest.filter((url) => ends.get(url) !== "completed")).toEqual([]);
        const fetched = crawl?.counters.completed ?? 0;
        if (isTrap) expect(fetched - honest.length).toBeLessThan(MAX_TRAP_PAGES);
        // Nothing is both listed as held back and fetched.
        for (const { group } of await platform.reader.endlessHosts.slowed(id)) {
          const held = await platform.reader.withheldUrls.rowsOf(id, "h0.test", endlessKey(group));
          const listed = held.flatMap(({ urls }) => urls.map(({ url }) => url));
          expect(listed.filter((url) => ends.get(url) === "completed")).toEqual([]);
        }
        await expectCountersExact(id, platform.database.bindingOf(null));
      });
      expectPolite(platform, { delayMs: DELAY_MS });
      expectFewRequests(platform, 2, 0);
    });
  },
);
