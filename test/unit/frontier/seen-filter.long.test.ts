import { expect, test } from "vitest";
import { SeenFilters } from "../../../src/frontier/commit/seen-filter.ts";

/** The memory that the filters of large crawls take. */

const MEGABYTE = 1_000_000;
const url = (i: number) => `https://example.com/articles/${i}.html`;

test("never takes more than 16 MB, however many large crawls an isolate works on", () => {
  const filters = new SeenFilters();
  let peak = 0;
  for (let i = 0; i < 500_000; i++) {
    for (const id of ["a", "b", "c", "d"]) filters.of(id).remember(url(i));
    if (i % 100 === 0) peak = Math.max(peak, filters.bytes);
  }
  expect(peak).toBeGreaterThan(12 * MEGABYTE);
  expect(peak).toBeLessThanOrEqual(16 * MEGABYTE);
});
