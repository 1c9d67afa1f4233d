import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalLanguage, matchesLanguage } from "../../../src/scope/language-range.ts";

describe("canonicalLanguage", () => {
  test.each([
    ["DE", "de"],
    [" de ", "de"],
    ["pt_br", "pt-BR"],
    ["zh-hant-tw", "zh-Hant-TW"],
    ["cmn", "zh"],
    ["iw", "he"],
    ["ast", "ast"],
    ["", null],
    ["english", null],
    ["en-US,en;q=0.9", null],
    ["de, en", null],
    ["x-default", null],
    ["und", null],
    ["mul", null],
    ["zxx-Latn", null],
    ["de-1", null],
    ["de--at", null],
    ["{{ lang }}", null],
    ["de".padEnd(200, "-aaaaaaaa"), null],
  ])("%j is %s", (written, tag) => {
    expect(canonicalLanguage(written)).toBe(tag);
  });

  test("throws for no text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-z]{2,3}([-_][a-z0-9]{1,8}){0,4}$/)), (written) => {
        const tag = canonicalLanguage(written);
        if (tag === null) expect(matchesLanguage(written, ["de"])).toBeNull();
        else expect([canonicalLanguage(tag), matchesLanguage(written, [tag])]).toEqual([tag, true]);
      }),
    );
  });
});

describe("matchesLanguage", () => {
  test.each([
    ["de", "de", true],
    ["de-AT", "de", true],
    ["DE_at", "de", true],
    ["den", "de", false],
    ["en", "de", false],
    // A page that says less may be what is asked for.
    ["pt", "pt-BR", true],
    ["pt-BR", "pt-BR", true],
    ["pt-PT", "pt-BR", false],
    ["pt-BR", "pt", true],
    // Regions imply their script.
    ["zh", "zh-Hant", true],
    ["zh-TW", "zh-Hant", true],
    ["zh-HK", "zh-Hant", true],
    ["zh-Hant-HK", "zh-Hant", true],
    ["zh-CN", "zh-Hant", false],
    ["zh-Hans", "zh-Hant", false],
    ["zh-Hant", "zh-TW", true],
    ["zh-Hans", "zh-TW", false],
    ["zh-HK", "zh-TW", false],
    ["zh-CN", "zh-Hans", true],
    ["zh-TW", "zh", true],
    ["sr-Latn", "sr-Cyrl", false],
    ["sr-RS", "sr-Cyrl", true],
    ["nb", "no", true],
    ["no", "nn", true],
    ["nn", "nb", false],
    ["de-CH-1996", "de-CH", true],
    ["x-default", "de", null],
    ["english", "en", null],
  ])("a page in %s for %s: %s", (tag, range, expected) => {
    expect(matchesLanguage(tag, [range])).toBe(expected);
  });

  test("one of several ranges is enough", () => {
    expect(matchesLanguage("fr-CA", ["de", "fr"])).toBe(true);
    expect(matchesLanguage("it", ["de", "fr"])).toBe(false);
  });
});
