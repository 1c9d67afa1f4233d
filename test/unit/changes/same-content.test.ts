import { describe, expect, test } from "vitest";
import { compareContent, findNoise, hashContent } from "../../../src/changes/compare/same-content.ts";
import type { PageVersion } from "../../../src/changes/page-version.ts";

const TEXT = Array.from({ length: 8 }, (_, i) => `Fact ${"abcdefgh"[i]} of a page that says enough to be compared`);

function version(changes: Partial<PageVersion> = {}): PageVersion {
  return { title: "A page", canonical: null, looksMissing: false, blocks: TEXT, headings: [], rest: null, ...changes };
}

function compare(one: Partial<PageVersion>, other: Partial<PageVersion>, noise: string[] = []) {
  const links = new Set(["https://a.test/b"]);
  return compareContent({ version: version(one), links }, { version: version(other), links }, new Set(noise));
}

describe("two pages", () => {
  test.each<[string, Partial<PageVersion>, string]>([
    ["equal", {}, "same"],
    ["in another order", { blocks: TEXT.toReversed() }, "same"],
    ["with another title", { title: "Another" }, "different"],
    ["with one more block", { blocks: [...TEXT, "more"] }, "different"],
    ["with another number", { blocks: [...TEXT.slice(1), "Item 7"] }, "different"],
    ["that says that it is missing", { looksMissing: true }, "unclear"],
    ["with a long rest", { rest: { characters: 9, hash: "x" } }, "different"],
  ])("%s", (_, other, expected) => expect(compare({}, other)).toBe(expected));

  test("short pages say nothing", () => {
    expect(compare({ blocks: ["No results"] }, { blocks: ["No results"] })).toBe("unclear");
    expect(compare({ blocks: ["No results"] }, { blocks: ["Two results"] })).toBe("different");
  });

  test("numbers count unless two visits of one URL differ in them", () => {
    const [one, other] = [
      version({ blocks: [...TEXT, "Seen 12 times"] }),
      version({ blocks: [...TEXT, "Seen 13 times"] }),
    ];
    expect(compare(one, other)).toBe("numbers");
    expect(compare(one, other, findNoise(one, other))).toBe("same");
    const item = version({ blocks: [...TEXT, "Item 1", "Seen 14 times"] });
    const next = version({ blocks: [...TEXT, "Item 2", "Seen 15 times"] });
    expect(compare(item, next, findNoise(one, other))).toBe("numbers");
  });

  test("a page that leads to more is another page", () => {
    const [few, many] = [new Set(["https://a.test/b"]), new Set(["https://a.test/b", "https://a.test/c"])];
    expect(compareContent({ version: version(), links: many }, { version: version(), links: few }, new Set())).toBe(
      "links",
    );
    const other = version({ title: "Another" });
    expect(compareContent({ version: other, links: many }, { version: version(), links: few }, new Set())).toBe(
      "different",
    );
    expect(compareContent({ version: version(), links: few }, { version: version(), links: many }, new Set())).toBe(
      "same",
    );
  });

  test("their hash is that of what they say, in any order", () => {
    const hash = (changes: Partial<PageVersion>) => hashContent(version(changes), new Set());
    expect(hash({ blocks: TEXT.toReversed() })).toBe(hash({}));
    expect(hash({ title: "Another" })).not.toBe(hash({}));
  });
});
