import { expect, test } from "vitest";
import { type Kind, ONE_HOST, PACKED, useOf } from "./crawl-use.ts";
import { withStorage } from "./platform/storage.ts";
import { WATCH } from "./rows.ts";

/** What a watch uses of the platform, to the row. crawl-price.test.ts has the crawls, and says how they are counted. */

/** Visits of a round are spread over the interval. */
const DAILY = { ...WATCH, everyS: 86_400, fixed: true };
const ROUND: Kind = {
  ...ONE_HOST,
  options: { ...PACKED, watch: DAILY },
  use: {
    objects: 68,
    queue: 186,
    gateCalls: 126,
    gateRows: 127,
    rows: { crawls: 399, heartbeats: 520, packs: 62, room_reserve: 1, urls: 63 },
  },
};

test("a crawl uses as much as is written here: one round of a watch", async () => {
  await withStorage(async (storage) => expect(await useOf(ROUND, storage)).toEqual(ROUND.use));
});
