import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { MAX_CRAWL_MARKS } from "../../src/store/learned/marks.ts";
import { World } from "./world.ts";

/** What a person says of pages: labels, and what a crawl that learns sees of them. */

const SITE = "https://a.test/";
const [B, C, GONE] = [`${SITE}b`, `${SITE}c`, `${SITE}gone`];

async function newMarks() {
  const world = new World((url) => ({ links: url === SITE ? [B, C] : [] }));
  const crawl = await world.start([SITE]);
  await world.runToEnd(crawl);
  const labelsAfter = async (seq: number, most = 10) =>
    (await world.deps.marks.after(crawl, seq, most)).map(({ url, label }) => [url, label]);
  return { world, crawl, marks: world.deps.marks, labelsAfter };
}

test("a reader that keeps the last number gets each mark once, and changed labels again", async () => {
  const { marks, crawl, labelsAfter } = await newMarks();
  expect(await marks.put(crawl, [B, C, GONE], "right", 5)).toEqual({ missing: [GONE], isFull: false });
  expect(await labelsAfter(0)).toEqual([
    [B, "right"],
    [C, "right"],
  ]);
  const last = (await marks.after(crawl, 0, 10)).at(-1)?.seq ?? 0;
  expect(await labelsAfter(0, 1)).toEqual([[B, "right"]]);
  await marks.put(crawl, [B], "right", 6);
  expect(await labelsAfter(last)).toEqual([]);
  await marks.put(crawl, [B], "wrong", 7);
  expect(await labelsAfter(last)).toEqual([[B, "wrong"]]);
  expect((await marks.list(crawl)).map(({ url, label, markedAt }) => [url, label, markedAt])).toEqual([
    [B, "wrong", 7],
    [C, "right", 5],
  ]);
});

test("the number of a removed mark is not used again, so the next one is seen", async () => {
  const { marks, crawl, labelsAfter } = await newMarks();
  await marks.put(crawl, [B], "right", 5);
  const last = (await marks.after(crawl, 0, 10)).at(-1)?.seq ?? 0;
  await marks.remove(crawl, [B, GONE]);
  expect(await labelsAfter(0)).toEqual([]);
  await marks.put(crawl, [C], "wrong", 6);
  expect(await labelsAfter(last)).toEqual([[C, "wrong"]]);
});

test("a crawl has a bounded number of marks, and one that is being deleted gets none", async () => {
  const { world, marks, crawl, labelsAfter } = await newMarks();
  await env.LEDGER.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MAX_CRAWL_MARKS - 1})
     INSERT INTO marks (crawl, url, label, marked_at) SELECT ?1, 'https://a.test/' || i, 'x', 1 FROM n`,
  )
    .bind(crawl)
    .run();
  expect((await marks.put(crawl, [B, C], "right", 5)).isFull).toBe(true);
  expect((await marks.put(crawl, [B], "right", 5)).isFull).toBe(false);
  expect((await marks.list(crawl)).length).toBe(MAX_CRAWL_MARKS);
  await marks.remove(crawl, [B]);
  await world.deps.deletions.mark(crawl, true, 1);
  await marks.put(crawl, [B], "right", 6);
  expect((await marks.list(crawl)).find(({ url }) => url === B)).toBeUndefined();
  expect(await labelsAfter(0, 1)).toEqual([["https://a.test/1", "x"]]);
});
