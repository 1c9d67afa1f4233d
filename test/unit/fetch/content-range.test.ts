import { expect, test } from "vitest";
import { parseContentRange } from "../../../src/fetch/transport/content-range.ts";

test.each([
  ["bytes 0-65535/100000", { start: 0, size: 100_000 }],
  [" Bytes  5-5/6 ", { start: 5, size: 6 }],
  ["bytes 0-9/*", { start: 0, size: null }],
  ["bytes */100", null],
  ["bytes 9-5/100", null],
  ["bytes 0-100/100", null],
  ["bytes -5-10/100", null],
  ["items 0-5/10", null],
  ["bytes 0-5", null],
  ["bytes 0-99999999999999999999/99999999999999999999", null],
  ["", null],
  [null, null],
])("%s", (header, range) => expect(parseContentRange(header)).toEqual(range));
