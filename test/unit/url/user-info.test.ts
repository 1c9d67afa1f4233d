import { expect, test } from "vitest";
import { hideUserInfo } from "../../../src/url/user-info.ts";

/** What is shown of a URL with a log-in. */

test.each([
  ["https://ann:hush@a.test/x", "...@a.test/x"],
  ["https://ann:hu@sh@a.test/x?to=b@c", "...@a.test/x?to=b@c"],
  ["http:ann:hush@a.test/ https://a.test/2", "...@a.test/ https://a.test/2"],
  ["http:\\\\ann:hush@a.test\\x@y", "...@a.test\\x@y"],
  ["https://a.test/@ann", "https://a.test/@ann"],
  ["no URL @ all", "no URL @ all"],
])("%s is shown as %s", (text, shown) => {
  expect(hideUserInfo(text)).toBe(shown);
});
