import { expect, test } from "vitest";
import { retryAfterMs } from "../../../src/fetch/answer/retry-after.ts";

/** RFC 9110, sections 10.2.3 and 5.6.7. */
const NOW = Date.UTC(1994, 10, 6, 8, 49, 37);
const DAY = 86_400_000;

test.each<[string | null, number | null]>([
  [null, null],
  ["", null],
  ["0", 0],
  ["120", 120_000],
  [" 120 ", 120_000],
  ["86400", DAY],
  ["31536000", DAY],
  ["99999999999999999999", DAY],
  ["Sun, 06 Nov 1994 08:50:37 GMT", 60_000],
  ["Sunday, 06-Nov-94 08:50:37 GMT", 60_000],
  ["Sun Nov  6 08:50:37 1994", 60_000],
  ["Sun, 06 Nov 1994 08:48:37 GMT", 0],
  ["Sun, 06 Nov 1995 08:50:37 GMT", DAY],
  ["-5", null],
  ["1.5", null],
  ["12h", null],
  ["1994-11-06T08:50:37Z", null],
  ["soon", null],
  ["Sun, 99 Nov 1994 08:50:37 GMT", null],
])("%s", (value, expected) => {
  expect(retryAfterMs(value, NOW)).toBe(expected);
});
