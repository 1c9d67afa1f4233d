import { beforeEach, expect, test } from "vitest";
import { reasonsOf, SAVE, shop } from "./saved-shop.ts";
import { DAY_MS, removeWatches, SEED } from "./watched-world.ts";

/** A watch that saves some of its pages, and reads the others for their links alone. */

beforeEach(removeWatches);

test("a watch visits them too: it finds what they lead to, and tells of none of them", async () => {
  const { site, world } = shop();
  const id = await world.watch(DAY_MS, SAVE);
  site[`${SEED}list`] = { text: "longer list", links: [`${SEED}p/3`] };
  site[`${SEED}p/3`] = { text: "three" };
  await world.pass(3 * DAY_MS);
  expect(await reasonsOf(world, id)).toMatchObject({ "": "not-saved", list: "not-saved", "p/3": "completed" });
  expect(await world.told(id)).toEqual(["added /p/3"]);
});
