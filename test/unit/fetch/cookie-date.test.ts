import { expect, test } from "vitest";
import { parseCookieDate } from "../../../src/fetch/request/cookie-date.ts";

const AT = Date.UTC(1994, 10, 6, 8, 49, 37);

test.each([
  ["Sun, 06 Nov 1994 08:49:37 GMT", AT],
  ["Sunday, 06-Nov-94 08:49:37 GMT", AT],
  ["Sun Nov  6 08:49:37 1994", AT],
  ["Sun, 6-november-1994 8:49:37 +0200", AT],
  ["94 6 8:49:37x Nov", null],
  ["6 94 8:49:37x Nov", AT],
  ["1 Jan 69 0:0:0", Date.UTC(2069, 0, 1)],
  ["1 Jan 70 0:0:0", 0],
  ["1 Jan 1600 0:0:0", null],
  ["1 Jan 1601 0:0:0", Date.UTC(1601, 0, 1)],
  ["29 Feb 2024 0:0:0", Date.UTC(2024, 1, 29)],
  ["29 Feb 2023 0:0:0", null],
  ["0 Jan 2023 0:0:0", null],
  ["1 Jan 2023 24:0:0", null],
  ["1 Jan 2023 0:60:0", null],
  ["1 Jan 2023 0:0:60", null],
  ["1 Jan 2023", null],
  ["tomorrow", null],
  ["", null],
])("%j", (text, date) => expect(parseCookieDate(text)).toBe(date));
