import { expect, test } from "vitest";
import { ModelBucket } from "./bucket.ts";
import { Invocation } from "./invocation.ts";
import { Isolate } from "./isolates.ts";
import { quietSurroundings } from "./network.ts";

/** The model of R2: whole objects, ranges, lists, and calls that share the connections of their request. */

function open(plan?: Parameters<typeof quietSurroundings>[1]) {
  const around = quietSurroundings(1, plan);
  const model = new ModelBucket(around);
  const invocation = new Invocation(new Isolate(1));
  return { around, model, invocation, bucket: model.bindingOf(invocation) };
}

test("an object is read as it was put, whole or in part", async () => {
  const { around, bucket } = open();
  const bytes = new Uint8Array([1, 2, 3, 4]);
  const put = bucket.put("a", bytes, { customMetadata: { k: "v" } });
  // The caller may use its buffer again.
  bytes.fill(0);
  await around.time.until(put);
  const whole = await around.time.until(bucket.get("a"));
  expect([...new Uint8Array((await whole?.arrayBuffer()) ?? [])]).toEqual([1, 2, 3, 4]);
  expect(whole?.customMetadata).toEqual({ k: "v" });
  const part = await around.time.until(bucket.get("a", { range: { offset: 1, length: 2 } }));
  expect([...new Uint8Array((await (part as R2ObjectBody).arrayBuffer()) ?? [])]).toEqual([2, 3]);
  expect(await around.time.until(bucket.get("b"))).toBeNull();
});

test("lists by prefix, and deletes up to 1,000 keys", async () => {
  const { around, bucket, model } = open();
  await around.time.until(Promise.all(["a/1", "a/2", "b/1"].map((key) => bucket.put(key, new Uint8Array(1)))));
  const { objects, truncated } = await around.time.until(bucket.list({ prefix: "a/", limit: 1 }));
  expect([objects.map(({ key }) => key), truncated]).toEqual([["a/1"], true]);
  await around.time.until(bucket.delete(["a/1", "a/2"]));
  expect([...model.objects.keys()]).toEqual(["b/1"]);
  expect(() => bucket.delete(Array.from({ length: 1_001 }, String))).toThrow("too many");
});

test("a put that fails has stored the whole object or nothing", async () => {
  const { around, bucket, model } = open({ rate: 0.4, budget: 100, kills: 0 });
  const seen = new Set<string>();
  for (let i = 0; i < 40; i++) {
    const end = await around.time.until(
      bucket.put(`${i}`, new Uint8Array(9)).then(
        () => "done",
        () => "failed",
      ),
    );
    seen.add(`${end} ${model.objects.get(`${i}`)?.bytes.length ?? 0}`);
  }
  expect([...seen].sort()).toEqual(["done 9", "failed 0", "failed 9"]);
});

test("a seventh call waits for one of six", async () => {
  const { around, bucket, invocation } = open();
  await around.time.until(Promise.all(Array.from({ length: 7 }, (_, i) => bucket.put(`${i}`, new Uint8Array(1)))));
  expect(invocation.connections.mostWaiting).toBe(1);
});
