import fc from "fast-check";
import { expect, test } from "vitest";
import { SeenFilter, SeenFilters } from "../../../src/frontier/commit/seen-filter.ts";

const MEGABYTE = 1_000_000;
const url = (i: number) => `https://example.com/articles/${i}.html`;
const unlimited = { take: () => true, release: () => undefined };

test("never says new of a URL that it was told of, however small it is", () => {
  fc.assert(
    fc.property(fc.array(fc.webUrl(), { maxLength: 60 }), fc.integer({ min: 0, max: 5_000 }), (urls, budget) => {
      const filter = new SeenFilters(budget, (memory) => new SeenFilter(memory, 4_096, 10)).of("a");
      for (const url of urls) filter.remember(url);
      for (const url of urls) expect(filter.isRecent(url) || filter.ask(url) === "maybe").toBe(true);
    }),
  );
});

test("says recent only of URLs that it was told of", () => {
  const filter = new SeenFilter(unlimited, 16_384, 100);
  for (let i = 0; i < 10_000; i++) filter.remember(url(i));
  for (let i = 10_000; i < 20_000; i++) expect(filter.isRecent(url(i))).toBe(false);
});

test("says new of every new URL while it has forgotten none", () => {
  const filter = new SeenFilter(unlimited);
  for (let i = 0; i < 50_000; i++) filter.remember(url(i));
  for (let i = 50_000; i < 100_000; i++) expect(filter.ask(url(i))).toBe("new");
});

test("says maybe of hardly any new URL, though it has forgotten as many as its Bloom filter is made for", () => {
  const filter = new SeenFilter(unlimited, 4_096, 5_000);
  for (let i = 0; i < 5_000; i++) filter.remember(url(i));
  let wrong = 0;
  for (let i = 5_000; i < 15_000; i++) if (filter.ask(url(i)) === "maybe") wrong++;
  expect(wrong).toBeLessThan(200);
});

test("forgets none of a million URLs of a crawl", () => {
  const filter = new SeenFilters().of("a");
  for (let i = 0; i < 1_000_000; i++) filter.remember(url(i));
  let forgotten = 0;
  for (let i = 0; i < 1_000_000; i += 5) if (!filter.isRecent(url(i))) forgotten++;
  expect(forgotten).toBe(0);
});

test("a crawl that begins takes the place of one that ended", () => {
  const filters = new SeenFilters(MEGABYTE, (memory) => new SeenFilter(memory, MEGABYTE, 1_000));
  for (let i = 0; i < 200_000; i++) filters.of("ended").remember(url(i));
  for (let i = 0; i < 50_000; i++) filters.of("begun").remember(url(i));
  for (let i = 0; i < 50_000; i++) expect(filters.of("begun").isRecent(url(i))).toBe(true);
  expect(filters.of("ended").bytes).toBe(0);
  expect(filters.of("ended").ask(url(1))).toBe("maybe");
});

test("crawls that run side by side keep a fair part each", () => {
  const filters = new SeenFilters(MEGABYTE, (memory) => new SeenFilter(memory, MEGABYTE, 1_000));
  const ids = ["a", "b", "c", "d"];
  for (let i = 0; i < 100_000; i++) for (const id of ids) filters.of(id).remember(url(i));
  for (const id of ids) expect(filters.of(id).bytes).toBeGreaterThan(MEGABYTE / 8);
  expect(filters.bytes).toBeLessThanOrEqual(MEGABYTE);
});

test("filters of a thousand crawls take no more than the last of them need", () => {
  const filters = new SeenFilters();
  for (let i = 0; i < 1_000; i++) filters.of(`crawl ${i}`).remember(url(i));
  expect(filters.bytes).toBeLessThan(64 * 1024);
});

test("a filter that a batch still holds takes no memory after other crawls have displaced it", () => {
  const filters = new SeenFilters();
  const displaced = filters.of("a");
  for (let i = 0; i < 100; i++) filters.of(`crawl ${i}`);
  for (let i = 0; i < 1_000; i++) displaced.remember(url(i));
  expect(filters.bytes).toBe(0);
  expect(displaced.ask(url(1))).toBe("maybe");
});
