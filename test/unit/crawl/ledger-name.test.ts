import { expect, test } from "vitest";
import { MAX_LEDGER } from "../../../src/crawl/crawl-id.ts";
import { bindingOf, numberOfBinding } from "../../../src/crawl/ledger-name.ts";

test.each([0, 1, 9, 10, MAX_LEDGER])("the binding of ledger %i has its number", (ledger) => {
  expect(numberOfBinding(bindingOf(ledger))).toBe(ledger);
});

test.each(["LEDGER_0", "LEDGER_01", "LEDGER_", "LEDGER_4096", "LEDGERS", "MIRROR", "ledger_1", "LEDGER_1A"])(
  "%s is no binding of a ledger",
  (name) => {
    expect(numberOfBinding(name)).toBeNull();
  },
);
