import { expect, test } from "vitest";
import { contactOf } from "../../../src/console/new-crawl/contact.ts";

test.each([
  ["bots@example.com", "Orbweaver/0.2", "mailto:bots@example.com"],
  ["https://example.com/bots", "Orbweaver/0.2", "https://example.com/bots"],
  ["Ann <ann@example.com>", "Orbweaver/0.2", "mailto:ann@example.com"],
  ["bots@example.com", "Orbweaver/0.2 (+https://example.com/)", "mailto:bots@example.com"],
  [undefined, "Orbweaver/0.2 (+https://example.com/bots)", "https://example.com/bots"],
  [undefined, "Mozilla/5.0 (compatible; Orbweaver/0.2; bots@example.com)", "mailto:bots@example.com"],
  ["javascript:alert(1)", "Orbweaver/0.2", null],
  [undefined, "Orbweaver/0.2", null],
  ["", "", null],
])("the contact of %j and %j is %j", (setting, userAgent, expected) => {
  expect(contactOf(setting, userAgent)?.href ?? null).toBe(expected);
});
