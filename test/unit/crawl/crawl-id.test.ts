import fc from "fast-check"; // the usual property tests of the npm world
import { expect, test } from "vitest";
import { z } from "zod";
import { nameUuid } from "../../../src/core/name-uuid.ts";
import { crawlIdIn, ledgerOf, MAX_LEDGER } from "../../../src/crawl/crawl-id.ts";

const uuids = fc.uuid({ version: [4, 5] });
const ledgers = fc.integer({ min: 0, max: MAX_LEDGER });

test("an id of any ledger names it, and is a UUID", () => {
  fc.assert(
    fc.property(uuids, ledgers, (uuid, ledger) => {
      const id = crawlIdIn(ledger, uuid);
      expect(ledgerOf(id)).toBe(ledger);
      expect(z.uuid().safeParse(id).success).toBe(true);
    }),
  );
});

test("two crawls have two ids, in one ledger and in two", () => {
  fc.assert(
    fc.property(uuids, uuids, ledgers, ledgers, (a, b, one, other) => {
      // The bits that name the ledger are none of the crawl's.
      const isSame = a.slice(0, 14) === b.slice(0, 14) && a.slice(18) === b.slice(18);
      fc.pre(!isSame && (one !== other || one !== 0));
      expect(crawlIdIn(one, a)).not.toBe(crawlIdIn(other, b));
    }),
  );
});

test("the ids of earlier versions are of the first ledger", () => {
  fc.assert(fc.property(uuids, (id) => ledgerOf(id) === 0 && crawlIdIn(0, id) === id));
  expect(ledgerOf(crypto.randomUUID())).toBe(0);
  expect(ledgerOf(nameUuid("3f1c6a54-6d0e-5b53-9a57-6f0f8f2f5a11", "an archive"))).toBe(0);
});

test("what is no whole id is of the first ledger", () => {
  const id = crawlIdIn(7, crypto.randomUUID());
  for (const given of ["", "latest", id.slice(0, 20), `${id}0`, id.toUpperCase(), "old"])
    expect(ledgerOf(given)).toBe(0);
});

test.each([-1, 1.5, MAX_LEDGER + 1, Number.NaN])("%s is no ledger", (ledger) => {
  expect(() => crawlIdIn(ledger, crypto.randomUUID())).toThrow(RangeError);
});
