import { expect, test } from "vitest";
import { Connections } from "./connections.ts";
import { VirtualTime } from "./time.ts";

/** https://developers.cloudflare.com/workers/platform/limits/#simultaneous-open-connections */

test("six are open at once, and the next ones get their places in order", async () => {
  const time = new VirtualTime();
  const connections = new Connections();
  const got: number[] = [];
  for (let i = 0; i < 8; i++) void connections.take().then(() => got.push(i));
  await time.until(time.sleep(1));
  expect(got).toEqual([0, 1, 2, 3, 4, 5]);
  connections.release();
  connections.release();
  await time.until(time.sleep(1));
  expect(got).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  for (let i = 0; i < 6; i++) connections.release();
  await connections.take();
});
