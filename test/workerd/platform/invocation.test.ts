import { expect, test } from "vitest";
import { Invocation } from "./invocation.ts";
import { Isolates } from "./isolates.ts";
import { Network, quietSurroundings } from "./network.ts";
import { Random } from "./random.ts";

/** Invocations and isolates: what ends with them, and what goes on. */

test("a killed invocation stops where it is: no later call takes effect, and nothing settles", async () => {
  const around = quietSurroundings();
  const network = new Network(around);
  const isolates = new Isolates(new Random(1));
  const invocation = new Invocation(isolates.assign());
  const effects: string[] = [];
  const call = (name: string) => network.call(invocation, { name, latencyMs: 10, effect: () => effects.push(name) });
  const run = invocation.run(async () => {
    try {
      await call("first");
      around.time.after(1, () => invocation.kill());
      await call("under way");
      await call("never");
    } finally {
      effects.push("cleanup");
    }
  });
  expect(await around.time.until(run)).toBe(false);
  await around.time.until(around.time.sleep(1_000));
  // What was sent still arrives. What would follow does not happen, cleanup included.
  expect(effects).toEqual(["first", "under way"]);
});

test("a sleep of a killed invocation never ends", async () => {
  const { time } = quietSurroundings();
  const invocation = new Invocation(new Isolates(new Random(1)).assign());
  let isAwake = false;
  void invocation
    .clockOf(time)
    .sleep(10)
    .then(() => {
      isAwake = true;
    });
  invocation.kill();
  await time.until(time.sleep(1_000));
  expect(isAwake).toBe(false);
});

test("an invocation that returns, throws or is killed says so", async () => {
  const { time } = quietSurroundings();
  const isolates = new Isolates(new Random(1));
  const invoke = (code: () => Promise<void>) => time.until(new Invocation(isolates.assign()).run(code));
  expect(await invoke(async () => undefined)).toBe(true);
  await expect(invoke(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
});

test("an isolate ends with all of its invocations, and its memory with it", () => {
  const isolates = new Isolates(new Random(1));
  const isolate = isolates.assign();
  const both = [new Invocation(isolate), new Invocation(isolate)];
  isolates.end(isolate);
  expect(both.map(({ isKilled }) => isKilled)).toEqual([true, true]);
  for (let i = 0; i < 20; i++) expect(isolates.assign()).not.toBe(isolate);
});

test("after a deploy, new invocations run the new version, and the old ones go on", () => {
  const isolates = new Isolates(new Random(1));
  const old = new Invocation(isolates.assign());
  isolates.deploy();
  expect(isolates.assign().version).toBe(2);
  expect([old.isolate.version, old.isKilled]).toEqual([1, false]);
});

test("the 33rd Worker of a request is an error: /workers/runtime-apis/bindings/service-bindings/#limits", () => {
  const invocation = new Invocation(new Isolates(new Random(1)).assign());
  for (let i = 0; i < 32; i++) invocation.startWorker();
  expect(() => invocation.startWorker()).toThrow("too many Worker invocations");
});
