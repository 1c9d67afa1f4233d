import { env, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import type { Gate } from "../../src/host/gate-protocol.ts";
import { FRESH_HOST } from "../../src/host/host-state.ts";

/** What a gate keeps in the storage of its Durable Object, and for how long. */

const DAY = 86_400_000;
const policy = {
  minDelayMs: 0,
  maxDelayMs: 0,
  delayFactor: 0,
  concurrency: 1,
  timeoutMs: 5_000,
  userAgent: "Test/1",
};

const stubOf = (host: string) => env.HOST_GATE.get(env.HOST_GATE.idFromName(host));

/** Lets the gate store its state, which sets its alarm. */
async function use(host: string): Promise<void> {
  const report = { token: "", nextAt: 0, lastDurationMs: 5, answered: true, failure: null, crawlDelayMs: null };
  await (stubOf(host) as unknown as Gate).settle({ ...report, sending: [], policy });
}

const keysOf = (host: string) =>
  runInDurableObject(stubOf(host), (_, { storage }) => Array.from(storage.kv.list(), ([key]) => key));
const alarmOf = (host: string) => runInDurableObject(stubOf(host), (_, { storage }) => storage.getAlarm());

test("a gate that nobody has needed for a month forgets everything, and sets no alarm", async () => {
  await use("old.test");
  expect(await alarmOf("old.test")).toBeGreaterThan(Date.now() + 29 * DAY);
  await runInDurableObject(stubOf("old.test"), (_, { storage }) => {
    storage.kv.put("host", { ...FRESH_HOST, asOf: Date.now() - 31 * DAY });
  });
  expect(await runDurableObjectAlarm(stubOf("old.test"))).toBe(true);
  expect(await keysOf("old.test")).toEqual([]);
  expect(await alarmOf("old.test")).toBeNull();
  await use("old.test");
  expect(await alarmOf("old.test")).not.toBeNull();
});

test("a gate that is needed forgets the robots.txt of origins that are not, and looks again in a month", async () => {
  await use("used.test");
  const files = {
    "robots:https://used.test": { state: "allow-all", fetchedAt: Date.now() - 2 * DAY },
    "robots:http://used.test": { state: "allow-all", fetchedAt: Date.now() - 31 * DAY },
    "robots:http://used.test:81": { state: "silent", detail: "503", firstAt: 1, failures: 1, retryAt: 10_000 },
  };
  await runInDurableObject(stubOf("used.test"), (_, { storage }) => {
    for (const [key, file] of Object.entries(files)) storage.kv.put(key, file);
  });
  await runDurableObjectAlarm(stubOf("used.test"));
  expect((await keysOf("used.test")).toSorted()).toEqual(["host", "robots:https://used.test"]);
  expect(await alarmOf("used.test")).toBeGreaterThan(Date.now() + 29 * DAY);
});
