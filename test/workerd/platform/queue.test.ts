import { describe, expect, test } from "vitest";
import { quietSurroundings } from "./network.ts";
import { type Ending, ModelQueue, type QueueSettings } from "./queue.ts";

/**
 * The model of Queues, against https://developers.cloudflare.com/queues/configuration/batching-retries/ and
 * https://developers.cloudflare.com/queues/platform/limits/.
 */

const SETTINGS: QueueSettings = {
  name: "q",
  maxBatchSize: 3,
  maxBatchTimeoutMs: 0,
  maxConcurrency: 1,
  maxRetries: 2,
  retryDelayS: 0,
};

type Handle = (batch: MessageBatch<string>) => void;
const IGNORE: Handle = () => undefined;

function open(changes: Partial<QueueSettings> = {}, handle = IGNORE, ending: () => Ending = () => "returned") {
  const around = quietSurroundings();
  const dead = new ModelQueue<string>({ ...SETTINGS, name: "dead" }, around);
  const queue = new ModelQueue<string>({ ...SETTINGS, ...changes }, around, dead);
  const startedAt = around.time.now();
  const batches: { at: number; bodies: string[]; attempts: number[] }[] = [];
  queue.consume(async (batch) => {
    const { messages } = batch;
    const at = Math.floor((around.time.now() - startedAt) / 1_000);
    batches.push({ at, bodies: messages.map(({ body }) => body), attempts: messages.map(({ attempts }) => attempts) });
    handle(batch);
    return ending();
  });
  const deadBodies: string[] = [];
  dead.consume(async ({ messages }) => {
    deadBodies.push(...messages.map(({ body }) => body));
    return "returned";
  });
  const send = (...bodies: string[]) => queue.send(bodies.map((body) => ({ body })));
  const run = (ms = 1_000_000) => around.time.until(around.time.sleep(ms));
  return { queue, batches, deadBodies, send, run };
}

describe("batches", () => {
  test("hold up to max_batch_size messages", async () => {
    const { batches, send, run } = open();
    send("a", "b", "c", "d");
    await run();
    expect(batches.map(({ bodies }) => bodies.length)).toEqual([3, 1]);
  });

  test("wait up to max_batch_timeout to be full", async () => {
    const { batches, send, run } = open({ maxBatchTimeoutMs: 5_000 });
    send("a");
    await run(2_000);
    expect(batches).toEqual([]);
    send("b");
    await run();
    expect(batches).toEqual([{ at: 5, bodies: ["a", "b"], attempts: [1, 1] }]);
  });

  test("are worked on by at most max_concurrency consumers", async () => {
    for (const maxConcurrency of [1, 20, 250]) {
      const { queue, send, run } = open({ maxConcurrency, maxBatchSize: 1 });
      for (let i = 0; i < 8; i++) send(...Array.from({ length: 100 }, () => "x"));
      await run();
      expect(queue.mostConsumers).toBeLessThanOrEqual(maxConcurrency);
      expect(queue.counts.delivered).toBe(800);
    }
  });
});

describe("delays", () => {
  test("of a sent message and of a retry are kept, and a retry without one has retry_delay", async () => {
    const delays = [{ delaySeconds: 50 }, undefined, undefined];
    const { queue, batches, run } = open({ retryDelayS: 10 }, ({ messages: [message] }) => {
      const delay = delays.shift();
      if (batches.length < 3) message?.retry(delay);
    });
    queue.send([{ body: "a", delaySeconds: 100 }]);
    await run();
    expect(batches.map(({ at, attempts }) => [at, attempts[0]])).toEqual([
      [100, 1],
      [150, 2],
      [160, 3],
    ]);
  });

  test("of more than 86,400 seconds, or of fractions, are refused", () => {
    const { queue } = open();
    expect(() => queue.send([{ body: "a", delaySeconds: 86_400 }])).not.toThrow();
    expect(() => queue.send([{ body: "a", delaySeconds: 86_401 }])).toThrow(RangeError);
    expect(() => queue.send([{ body: "a", delaySeconds: 0.5 }])).toThrow(RangeError);
  });
});

describe("answers", () => {
  /** What is delivered again after the first batch, of the messages a and b. */
  const again = async (ending: Ending, handle = IGNORE) => {
    const { batches, send, run } = open(
      {},
      (batch) => (batches.length === 1 ? handle(batch) : undefined),
      () => (batches.length === 1 ? ending : "returned"),
    );
    send("a", "b");
    await run();
    return batches.slice(1).flatMap(({ bodies }) => bodies);
  };

  test("a handler that returns acknowledges what it has not retried", async () => {
    expect(await again("returned")).toEqual([]);
    expect(await again("returned", ({ messages }) => messages[1]?.retry())).toEqual(["b"]);
  });

  test("a handler that throws retries what it has not acknowledged", async () => {
    expect(await again("threw")).toEqual(["a", "b"]);
    expect(await again("threw", ({ messages }) => messages[0]?.ack())).toEqual(["b"]);
  });

  test.each<[string, Handle, string[]]>([
    ["ack, then retry", ({ messages: [a] }) => [a?.ack(), a?.retry()], []],
    ["retry, then ack", ({ messages: [a] }) => [a?.retry(), a?.ack()], ["a"]],
    ["ack, then retryAll", (batch) => [batch.messages[0]?.ack(), batch.retryAll()], ["b"]],
    ["retry, then ackAll", (batch) => [batch.messages[0]?.retry(), batch.ackAll()], ["a"]],
  ])("the call for a message wins, and the first of them: %s", async (_, handle, expected) => {
    expect(await again("returned", handle)).toEqual(expected);
  });
});

test.each<[string, Ending, Handle]>([
  ["the handler throws", "threw", IGNORE],
  ["the handler retries", "returned", ({ messages }) => messages[0]?.retry()],
])("after max_retries a message goes to the dead-letter queue: %s", async (_, ending, handle) => {
  const { batches, deadBodies, send, run } = open({}, handle, () => ending);
  send("a");
  await run();
  expect(batches.map(({ attempts }) => attempts[0])).toEqual([1, 2, 3]);
  expect(deadBodies).toEqual(["a"]);
});

describe("a call of sendBatch", () => {
  const { queue } = open();
  const send = (...sizes: number[]) => queue.send(sizes.map((size) => ({ body: "x".repeat(size - 102) })));

  test("takes messages of 128,000 bytes, and none that is longer", () => {
    expect(() => send(128_000)).not.toThrow();
    expect(() => send(128_001)).toThrow("exceeds limit");
  });

  test("counts bytes, not characters", () => {
    expect(() => queue.send([{ body: "é".repeat(64_000) }])).toThrow("exceeds limit");
  });

  test("takes 256,000 bytes and 100 messages, and nothing of a call that has more", () => {
    expect(() => send(128_000, 128_000)).not.toThrow();
    expect(() => send(128_000, 128_000, 103)).toThrow("256,000");
    const before = queue.counts.sent;
    expect(() => send(...Array.from({ length: 101 }, () => 110))).toThrow("100");
    expect(queue.counts.sent).toBe(before);
  });
});

test("faults lose, repeat, delay and reorder messages", async () => {
  const around = quietSurroundings(1, { rate: 0.2, budget: 1_000, kills: 0 });
  const queue = new ModelQueue<number>({ ...SETTINGS, maxConcurrency: 20 }, around);
  const seen: number[] = [];
  queue.consume(async ({ messages }) => {
    seen.push(...messages.map(({ body }) => body));
    return "returned";
  });
  for (let i = 0; i < 100; i++) queue.send([{ body: i }]);
  await around.time.until(around.time.sleep(1_000_000));
  expect(new Set(seen).size).toBeLessThan(100);
  expect(new Set(seen).size).toBeLessThan(seen.length);
  expect(seen).not.toEqual(seen.toSorted((a, b) => a - b));
});
