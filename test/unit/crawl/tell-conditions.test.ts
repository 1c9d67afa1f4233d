import { describe, expect, test } from "vitest";
import { isWanted, readFieldCondition, readTextCondition } from "../../../src/crawl/watch/tell-conditions.ts";
import { isDigest, nextDigestAt, type WordedChange } from "../../../src/crawl/watch/telling.ts";

/** When a webhook is told of a change: conditions and digests. */

const change = (more: Partial<WordedChange> = {}): WordedChange => ({
  seq: 1,
  url: "https://a.test/",
  kind: "changed",
  at: 0,
  detail: null,
  title: null,
  ...more,
});
const EACH = { digest: null, when: [], whenText: [] };
const price = (before: string | number | null, after: string | number | null) =>
  change({ fields: [{ name: "price", before, after }] });

describe("a condition on a field", () => {
  test.each([
    ["price < 20", price(25, 19.99), true],
    ["price < 20", price(25, 20), false],
    ["price<=20", price(25, 20), true],
    ["price > 20", price(25, "30"), true],
    ["price > 20", price(25, "30 EUR"), false],
    ["price = 20", price(25, "20.0"), true],
    ["price != 20", price(20, null), true],
    ["price < 20", price(10, null), false],
    ['price = "Sold  Out"', price("In stock", "sold out"), true],
    ["price contains sale", price("1", "On SALE now"), true],
    ["price < 20", change(), false],
    ["price < 20", change({ kind: "added" }), true],
    ["other < 20", price(25, 10), false],
  ])("%s", (when, told, isTold) => {
    expect(isWanted(told, { price: 12 }, { ...EACH, when: [when] })).toBe(isTold);
  });

  test("of several all must hold, those of fields that stayed by what they are now", () => {
    const when = ["price < 20", "stock = yes"];
    expect(isWanted(price(25, 10), { stock: "yes" }, { ...EACH, when })).toBe(true);
    expect(isWanted(price(25, 10), { stock: "no" }, { ...EACH, when })).toBe(false);
    expect(isWanted(price(25, 10), { tags: ["a", "b"] }, { ...EACH, when: ["price < 20", "tags = b"] })).toBe(true);
  });

  test.each(["price", "price <", "< 20", "price < cheap", "price ~ 20", "", "price <> 20"])("%j is none", (written) => {
    expect(readFieldCondition(written)).toBeNull();
  });
});

describe("a condition on words", () => {
  const words = (before: string | null, after: string | null) => change({ words: [{ before, after }] });
  test.each([
    ["added:release", words(null, "A new Release is out"), true],
    ["added:release", words("The release of May", "The release of June"), false],
    ["removed:beta", words("This is beta", "This is stable"), true],
    ["removed:beta", words(null, "This is beta"), false],
    ['any:"sold out"', words("In stock", "Sold   out"), true],
    ["any:recall", words("a", "b"), false],
    // What cannot be read is told rather than lost.
    ["added:release", change({ words: null }), true],
  ])("%s", (written, told, isTold) => {
    expect(isWanted(told, {}, { ...EACH, whenText: [written] })).toBe(isTold);
  });

  test.each(["release", "added:", "added:''".slice(0, 6), "gone:x", 'any:""'])("%j is none", (written) => {
    expect(readTextCondition(written)).toBeNull();
  });
});

describe("a digest", () => {
  const at = (iso: string) => Date.parse(`${iso}Z`);
  test.each([
    ["daily", "2026-11-26T06:59:59", "2026-11-26T07:00:00"],
    ["daily", "2026-11-26T07:00:00", "2026-11-27T07:00:00"],
    ["daily@17:30", "2026-11-26T07:00:00", "2026-11-26T17:30:00"],
    ["hourly", "2026-11-26T07:10:00", "2026-11-26T08:00:00"],
    // A Thursday.
    ["weekly", "2026-11-26T07:00:00", "2026-11-30T07:00:00"],
    ["weekly@00:00", "2026-11-30T00:00:00", "2026-12-07T00:00:00"],
  ])("%s after %s is due at %s", (digest, now, due) => {
    expect(nextDigestAt({ ...EACH, digest }, at(now))).toBe(at(due));
  });

  test.each(["", "monthly", "daily@24:00", "daily@7:00", "hourly@10:00", "Daily"])("%j is none", (written) => {
    expect(isDigest(written)).toBe(false);
  });
});
