import { expect, test } from "vitest";
import { printable, table } from "../../../src/cli/output/terminal-text.ts";

test("table", () => {
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
