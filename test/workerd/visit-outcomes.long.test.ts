import { expect, test } from "vitest";
import "./silence-log.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { watchPage } from "./watched-page.ts";

/** What weeks of visits store of a page that is other without another text. */

useModelLedger();

test("a token that is another at each visit has nothing stored, and a random link few versions", async () => {
  const token = await watchPage((day) => ({ text: "It says the same.", noise: `${day}`, link: "/to" }));
  await token.pass(20);
  expect(await token.versions()).toBe(0);
  const random = await watchPage((day) => ({ text: "It says the same.", link: `/${day}` }));
  await random.pass(40);
  expect(await random.versions()).toBeLessThanOrEqual(8);
  expect(await random.world.told(random.id)).toEqual([]);
});
