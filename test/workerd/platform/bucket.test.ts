import { describe, expect, test } from "vitest";
import { ModelBucket } from "./bucket.ts";
import { Invocation } from "./invocation.ts";
import { Isolate } from "./isolates.ts";
import { quietSurroundings } from "./network.ts";

/**
 * The model of R2: whole objects, ranges, lists, uploads in parts, and calls that share the connections of their
 * request.
 */

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

describe("an upload in parts", () => {
  const PART = 5 * 1_048_576;
  const begin = async () => {
    const opened = open();
    const run = <T>(promise: Promise<T>) => opened.around.time.until(promise);
    const upload = await run(opened.bucket.createMultipartUpload("a"));
    const put = (partNumber: number, bytes: number, fill = 0) =>
      run(upload.uploadPart(partNumber, new Uint8Array(bytes).fill(fill)));
    return { ...opened, run, upload, put };
  };

  test("is an object once it is completed, in the order of the parts", async () => {
    const { model, run, upload, put } = await begin();
    const last = await put(2, 3, 2);
    await put(1, PART, 9);
    const first = await put(1, PART, 1);
    expect(model.objects.has("a")).toBe(false);
    await run(upload.complete([last, first]));
    const bytes = model.objects.get("a")?.bytes ?? new Uint8Array();
    expect([bytes.byteLength, bytes[0], bytes[PART - 1], bytes[PART]]).toEqual([PART + 3, 1, 1, 2]);
  });

  test("keeps its parts as they were when they were sent", async () => {
    const { model, run, upload } = await begin();
    const bytes = new Uint8Array([1, 2]);
    const sending = upload.uploadPart(1, bytes);
    bytes.fill(0);
    await run(upload.complete([await run(sending)]));
    expect(model.objects.get("a")?.bytes).toEqual(new Uint8Array([1, 2]));
  });

  test("that is aborted leaves nothing, and takes nothing more", async () => {
    const { model, run, upload, put } = await begin();
    const part = await put(1, 3);
    await run(upload.abort());
    await run(upload.abort());
    await expect(put(2, 3)).rejects.toThrow("does not exist");
    await expect(run(upload.complete([part]))).rejects.toThrow("does not exist");
    expect(model.objects.size).toBe(0);
  });

  test.each([
    ["a part before the last one that is too small", [PART - 1, 3], "minimum allowed size"],
    ["parts of two sizes", [PART, PART + 1, 3], "same length"],
    ["a last part that is larger than the others", [PART, PART + 1], "same length"],
  ])("is refused with %s", async (_, sizes, error) => {
    const { model, run, upload, put } = await begin();
    const parts: R2UploadedPart[] = [];
    for (const [i, bytes] of sizes.entries()) parts.push(await put(i + 1, bytes));
    await expect(run(upload.complete(parts))).rejects.toThrow(error);
    expect(model.objects.size).toBe(0);
  });

  test("knows its parts alone, by numbers from 1 to 10,000", async () => {
    const { run, upload, put } = await begin();
    const replaced = await put(1, 3);
    const part = await put(1, 3);
    await expect(run(upload.complete([replaced]))).rejects.toThrow("could not be found");
    await expect(run(upload.complete([part, { partNumber: 2, etag: part.etag }]))).rejects.toThrow(
      "could not be found",
    );
    await expect(put(0, 3)).rejects.toThrow("between 1 and 10000");
    await expect(put(10_001, 3)).rejects.toThrow("between 1 and 10000");
  });
});
