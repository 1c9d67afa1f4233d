import { HTTPException } from "hono/http-exception";
import { expect, test } from "vitest";
import { findId } from "../../../src/api/records/find-by-id.ts";

const IDS = ["3f2a0000-1", "3f2a0000-1-2", "3f2b0000-1", "abcd0000-1"];

test.each([
  ["abcd", "abcd0000-1"],
  ["3f2b0", "3f2b0000-1"],
  ["3f2a0000-1", "3f2a0000-1"],
  ["3f2a0000-1-", "3f2a0000-1-2"],
])("%s is %s", (given, id) => {
  expect(findId("crawl", given, IDS)).toBe(id);
});

test.each([
  ["abc", "There is no crawl abc."],
  ["ffff", "There is no crawl ffff."],
  ["", "There is no crawl ."],
  ["3f2a", "The ids of several crawls begin with 3f2a, such as 3f2a0000-1, 3f2a0000-1-2."],
])("%j is refused", (given, message) => {
  expect(() => findId("crawl", given, IDS)).toThrow(new HTTPException(404, { message }));
});
