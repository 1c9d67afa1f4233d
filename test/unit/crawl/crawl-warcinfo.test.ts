import { expect, test } from "vitest";
import { contactOf } from "../../../src/crawl/crawl-warcinfo.ts";

test.each([
  ["Orbweaver/0.2", null],
  ["Orbweaver/0.2 (+https://example.com/bot)", "https://example.com/bot"],
  ["Orbweaver/0.2 (https://example.com/bot; bot@example.com)", "https://example.com/bot; bot@example.com"],
  ["Mozilla/5.0 (compatible; Orbweaver/0.2; +https://example.com/bot)", "https://example.com/bot"],
  ["Mozilla/5.0 (X11; Linux) Orbweaver/0.2 (bot@example.com)", "bot@example.com"],
  ["Orbweaver/0.2 (((", null],
])("the contact in %s", (userAgent, expected) => {
  expect(contactOf(userAgent)).toBe(expected);
});
