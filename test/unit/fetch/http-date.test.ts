import { expect, test } from "vitest";
import { parseHttpDate, toHttpDate } from "../../../src/fetch/request/http-date.ts";

/** RFC 9110 5.6.7. */
test.each([
  ["Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777],
  ["Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777],
  ["Sun Nov  6 08:49:37 1994", 784_111_777],
  ["", Number.NaN],
  ["yesterday", Number.NaN],
  ["1994-11-06", Number.NaN],
  ["Sun, 99 Foo 1994 08:49:37 GMT", Number.NaN],
])("%s", (text, seconds) => {
  expect(parseHttpDate(text)).toBe(seconds * 1000);
  if (!Number.isNaN(seconds)) expect(toHttpDate(seconds * 1000)).toBe("Sun, 06 Nov 1994 08:49:37 GMT");
});
