import { expect, test } from "vitest";
import { bytes, count, duration, plural, printable, state, table } from "../../../src/cli/output/terminal-text.ts";

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1_000, "1.0 KB"],
  [123_456, "123 KB"],
  [8_400_000, "8.4 MB"],
  [2_500_000_000_000_000, "2500 TB"],
])("bytes(%d)", (size, text) => expect(bytes(size)).toBe(text));

test.each([
  [0, "0"],
  [999, "999"],
  [1_000, "1,000"],
  [123_456, "123,456"],
  [12_345_678, "12,345,678"],
])("count(%d)", (value, text) => expect(count(value)).toBe(text));

test.each([
  [0.04, "0.0 s"],
  [59.94, "59.9 s"],
  [60, "1 min 0 s"],
  [3_725, "1 h 2 min 5 s"],
])("duration(%d)", (seconds, text) => expect(duration(seconds)).toBe(text));

test("plural, state and table", () => {
  expect([plural(1, "page"), plural(1_200, "page")]).toEqual(["1 page", "1,200 pages"]);
  expect(state("cancelled_due_to_timeout")).toBe("cancelled due to timeout");
  expect(
    table([
      ["ID", "SEEDS"],
      ["abc", "x y"],
    ]),
  ).toBe("ID   SEEDS\nabc  x y");
});

test.each([
  ["x/y\x1b[31m", "x/y\ufffd[31m"],
  ["\x1b]0;title\x07", "\ufffd]0;title\ufffd"],
  ["\x9b31m\x7f\r\b\0", "\ufffd31m\ufffd\ufffd\ufffd\ufffd"],
  ["a\tb\nçé 漢字 🪵", "a\tb\nçé 漢字 🪵"],
])("printable(%j)", (text, shown) => expect(printable(text)).toBe(shown));
