import fc from "fast-check";
import { expect, test } from "vitest";
import { cutPage, readPair, writePair } from "../../../src/crawl/list-cursor.ts";

test.each([
  ["of crawls", "1764115200000.0b1c2d3e-aaaa", ["1764115200000", "0b1c2d3e-aaaa"]],
  ["of versions", "1764115200000.0b1c2d3e", ["1764115200000", "0b1c2d3e"]],
  ["of a delta", "d9cf3704.17", ["d9cf3704", "17"]],
  ["of a part of a full export", "17.https://a.test/b.html", ["17", "https://a.test/b.html"]],
  ["of the links to a URL", "pass-1.4294967294", ["pass-1", "4294967294"]],
  ["of the first page", "", null],
])("a cursor %s that a client has kept is read", (_, cursor, pair) => {
  expect(readPair(cursor)).toEqual(pair);
});

test("what is written is read again, whatever the second part is", () => {
  const first = fc.stringMatching(/^[\w-]{0,40}$/);
  fc.assert(
    fc.property(first, fc.string(), (one, other) => {
      expect(readPair(writePair(one, other))).toEqual([one, other]);
    }),
  );
});

test("a page has a cursor if more was found", () => {
  const cursorOf = (item: number) => `after ${item}`;
  expect(cutPage([1, 2, 3], 2, cursorOf)).toEqual({ page: [1, 2], cursor: "after 2" });
  expect(cutPage([1, 2], 2, cursorOf)).toEqual({ page: [1, 2], cursor: null });
  expect(cutPage([], 2, cursorOf)).toEqual({ page: [], cursor: null });
});
