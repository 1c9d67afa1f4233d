import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { openReport, readAll, readKind } from "../../src/passes/links/report-object.ts";
import { openResult, writeSections } from "../../src/passes/sectioned-object.ts";
import { PassObjects } from "../../src/store/passes/pass-objects.ts";

const order = { crawl: "sectioned", id: "pass" };
const objects = () => new PassObjects(env.MIRROR);
const stored = (name: string, head: string, rest: string, lengthBytes: number[]) =>
  env.MIRROR.put(
    `sectioned/packs/passes/${name}-pass`,
    Buffer.concat([Uint8Array.from(lengthBytes), Buffer.from(head + rest)]),
  );

test("a result as the first version stored it is read by its sections", async () => {
  const head = `{"rows":1,"nodesPerBucket":2,"rowsPerRange":3,"sections":{"index":{"offset":0,"length":3},"none":{"offset":3,"length":0},"ranks":{"offset":3,"length":2}}}`;
  await stored("result", head, "abcde", [head.length, 0, 0, 0]);
  const result = await openResult(order, objects());
  expect(result.header).toMatchObject({ rows: 1, nodesPerBucket: 2, rowsPerRange: 3 });
  const texts = await Promise.all(["index", "none", "ranks"].map((name) => result.bytes(name)));
  expect(texts.map((bytes) => new TextDecoder().decode(bytes))).toEqual(["abc", "", "de"]);
  await expect(result.bytes("edges")).rejects.toThrow("no section edges");
});

test("a report as the first version stored it is read by kinds, and from a place on", async () => {
  const lines = ['{"url":"https://a.test/1"}\n', '{"url":"https://a.test/2"}\n', '{"url":"https://a.test/3"}\n'];
  const head = `{"counts":{},"sections":{"broken-link":{"offset":0,"length":54},"redirect":{"offset":54,"length":27}}}`;
  await stored("report", head, lines.join(""), [head.length, 0, 0, 0]);
  const report = await openReport(order, objects());
  if (report === null) throw new Error("no report");
  const urls: string[] = [];
  for await (const finding of readAll(report)) urls.push((finding as unknown as { url: string }).url.slice(-1));
  expect(urls.sort()).toEqual(["1", "2", "3"]);
  const ends: number[] = [];
  for await (const { end } of readKind(report, "broken-link", 27)) ends.push(end);
  expect(ends).toEqual([54]);
  expect(await openReport({ ...order, id: "none" }, objects())).toBeNull();
});

test("a header that is larger than the first read is read to its end", async () => {
  await objects().put(order, "part", new TextEncoder().encode("part"));
  const facts = { rows: 1, nodesPerBucket: 2, rowsPerRange: 3, more: "x".repeat(100_000) };
  await writeSections("result", [["index", ["part", "part"]]], facts, order, objects());
  const result = await openResult(order, objects());
  expect(result.header.sections).toEqual({ index: { offset: 0, length: 8 } });
  expect(new TextDecoder().decode(await result.bytes("index"))).toBe("partpart");
});
