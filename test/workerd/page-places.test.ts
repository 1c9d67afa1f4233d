import fc from "fast-check";
import { expect, test } from "vitest";
import { PagePlaces } from "../../src/store/mirror/page-places.ts";
import type { PackedRow } from "../../src/store/mirror/read-mirror.ts";

/** Every third page has no place. */
const placeOf = (url: string) => (Number(url.slice(1)) % 3 === 0 ? null : ({ pack: `pack of ${url}` } as PackedRow));

function openPlaces(pages: number) {
  const urls = Array.from({ length: pages }, (_, i) => `/${i}`);
  const asked: number[] = [];
  const allPacked = async (crawl: string, some: readonly string[]) => {
    expect(crawl).toBe("crawl");
    asked.push(some.length);
    const found = some.map((url) => [url, placeOf(url)] as const).filter(([, place]) => place !== null);
    return new Map(found) as never;
  };
  const places = new PagePlaces("crawl", urls, { records: { allPacked } as never });
  return { places, urls, asked };
}

test("each page gets its place, however they are read, by a query for fifty of them", async () => {
  const order = fc.integer({ min: 0, max: 180 }).chain((pages) =>
    fc.record({
      pages: fc.constant(pages),
      read: fc.array(fc.integer({ min: 0, max: pages + 5 }), { maxLength: 60 }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(order, async ({ pages, read }) => {
      const { places, asked } = openPlaces(pages);
      const found = await Promise.all(read.map((at) => places.of(`/${at}`)));
      expect(found).toEqual(read.map((at) => (at < pages ? placeOf(`/${at}`) : null)));
      expect(asked).toHaveLength(new Set(read.filter((at) => at < pages).map((at) => Math.floor(at / 50))).size);
      expect(Math.max(0, ...asked)).toBeLessThanOrEqual(50);
    }),
  );
});

test("pages that are read in order are looked up as they are needed", async () => {
  const { places, urls, asked } = openPlaces(120);
  expect(asked).toEqual([]);
  for (const url of urls.slice(0, 50)) await places.of(url);
  expect(asked).toEqual([50]);
  for (const url of urls) await places.of(url);
  expect(asked).toEqual([50, 50, 20]);
});
