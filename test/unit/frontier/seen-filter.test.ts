import fc from "fast-check";
import { expect, test } from "vitest";
import { SeenFilter } from "../../../src/frontier/seen-filter.ts";

test("never says new of a URL that it was told of, however small it is", () => {
  fc.assert(
    fc.property(fc.array(fc.webUrl(), { maxLength: 60 }), fc.integer({ min: 1, max: 5 }), (urls, size) => {
      const filter = new SeenFilter(size, size, 0.5);
      for (const url of urls) filter.remember(url);
      for (const url of urls) expect(filter.isRecent(url) || filter.ask(url) === "maybe").toBe(true);
    }),
  );
});

test("says recent only of URLs that it was told of", () => {
  const filter = new SeenFilter(4, 100, 0.01);
  for (const url of ["a", "b", "c", "d", "e"]) filter.remember(url);
  expect(["a", "b", "c", "d", "e", "f"].map((url) => filter.isRecent(url))).toEqual([
    false,
    true,
    true,
    true,
    true,
    false,
  ]);
});

test("at its capacity it takes hardly any new URL for a known one", () => {
  const filter = new SeenFilter(1, 5_000, 1e-3);
  for (let i = 0; i < 5_000; i++) filter.remember(`https://a.test/${i}`);
  let wrong = 0;
  for (let i = 5_000; i < 10_000; i++) if (filter.ask(`https://a.test/${i}`) === "maybe") wrong++;
  expect(wrong).toBeLessThan(50);
});
