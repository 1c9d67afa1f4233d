import { expect, test } from "vitest";
import { type FrontierMessage, hintsOf } from "../../../src/frontier/batch/message.ts";
import { asSeenBy, asSentBy } from "./deploy.ts";

/** Messages between two versions of the code. */

const MESSAGE: FrontierMessage = { v: 2, crawl: "c", epoch: 1, urls: ["https://a.test/"] };
const sent = (version: number, urls = MESSAGE.urls) =>
  (asSentBy(version, [{ body: { ...MESSAGE, urls } }])[0] as { body: FrontierMessage }).body;

test("code reads its own messages as they were sent", () => {
  expect(asSeenBy(2, sent(2))).toEqual(MESSAGE);
});

test("older messages have the shape of the first version, and mean the same", () => {
  expect(asSeenBy(2, sent(1))).toMatchObject({ v: 1, url: "https://a.test/" });
  expect(hintsOf(asSeenBy(2, sent(1)))).toEqual(hintsOf(MESSAGE));
  // That version had no messages with several URLs.
  expect(hintsOf(asSeenBy(2, sent(1, ["https://a.test/", "https://b.test/"])))).toHaveLength(2);
});

test("older code does not know newer messages", () => {
  expect(hintsOf(asSeenBy(1, sent(2)))).toBeNull();
});
